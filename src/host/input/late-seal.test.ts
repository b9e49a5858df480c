import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lateSeal } from './late-seal.ts';
import { createSeal } from './seal.ts';

test('a wrong key is told of at once, though the seal is made late', () => {
  assert.throws(() => lateSeal(['short']), TypeError);
  assert.throws(() => lateSeal([new Uint8Array(31)]), TypeError);
});

test('a late seal is the seal of its keys, as they were', async () => {
  const key = new Uint8Array(32).fill(7);
  const late = lateSeal([key]);
  const other = createSeal([new Uint8Array(32).fill(7)]);
  key.fill(0);
  assert.equal(await other.open(await late.seal('text', 'to'), 'to'), 'text');
  assert.equal(await late.open(await other.seal('text', 'to'), 'to'), 'text');
});
