import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskPlaces, runOwner } from './places.ts';

test('an owner has as many places as it leaves free, and nobody else is bounded but by all', () => {
  const taken: (string | undefined)[] = [];
  const places = new TaskPlaces(8, () => taken);
  const takeAll = (owner: string | undefined): number => {
    let count = 0;
    for (; places.hasRoomFor(owner); count++) taken.push(owner);
    return count;
  };
  assert.deepEqual(['eve', 'ann', 'bob', 'eve', undefined, 'joe'].map(takeAll), [4, 2, 1, 0, 1, 0]);
  assert.equal(places.free, 0);
});

test('runs of an owner beyond its share take no place from others', () => {
  const taken = Array.from({ length: 8 }, () => 'eve');
  const places = new TaskPlaces(4, () => taken);
  assert.deepEqual([places.free, places.hasRoomFor('eve'), places.hasRoomFor('ann')], [2, false, true]);
  taken.push('ann');
  assert.deepEqual([places.free, places.hasRoomFor('ann'), places.hasRoomFor('bob')], [1, false, true]);
});

test('one place is for whoever comes first', () => {
  assert.equal(new TaskPlaces(1, () => []).hasRoomFor('eve'), true);
  assert.equal(new TaskPlaces(1, () => ['eve']).hasRoomFor('ann'), false);
  assert.equal(new TaskPlaces(0, () => []).hasRoomFor(undefined), false);
});

test('a run counts for its principal, else for the address, else for nobody', () => {
  assert.equal(runOwner({ owner: 'ann' }), 'principal "ann"');
  assert.equal(runOwner({ owner: '', share: 'address 192.0.2.1' }), 'address 192.0.2.1');
  assert.equal(runOwner({ owner: '' }), undefined);
});
