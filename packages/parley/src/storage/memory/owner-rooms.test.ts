import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OwnerRooms } from './owner-rooms.ts';

const mebi = 1024 * 1024;

test('an owner keeps a bounded amount in five minutes, and others have their own', () => {
  let now = 0;
  const rooms = new OwnerRooms(() => now);
  for (let at = 0; at < 32; at++) assert.equal(rooms.take('address a', mebi), true);
  assert.equal(rooms.take('address a', 1), false);
  assert.equal(rooms.take('address b', mebi), true);
  for (let at = 0; at < 40; at++) assert.equal(rooms.take(undefined, mebi), true);
  now = 5 * 60_000;
  assert.equal(rooms.take('address a', mebi), true);
});
