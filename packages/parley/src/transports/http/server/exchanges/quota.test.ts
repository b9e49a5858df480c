import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../../../../test/support/turns.ts';
import { Bodies, InFlight, Quota, ServingCount, type QuotaClient } from './quota.ts';

const ann: QuotaClient = { auth: { principal: 'ann' }, owner: 'ann' };
const bob: QuotaClient = { auth: { principal: 'bob' }, owner: 'bob' };
const here: QuotaClient = { owner: 'here' };
const there: QuotaClient = { owner: 'there' };
const nobody: QuotaClient = {};

function taken(quota: Quota, client: QuotaClient): number {
  let count = 0;
  for (; quota.full(client) === undefined; count++) quota.take(client);
  return count;
}

test('a principal takes its own places, and all of them together take all', () => {
  const quota = new Quota(5, 2);
  const places = (): unknown[] => [quota.full(ann), quota.full(bob), quota.full(nobody)];
  quota.take(ann);
  assert.deepEqual(places(), [undefined, undefined, undefined]);
  quota.take(ann);
  assert.deepEqual(places(), ['own', undefined, undefined]);
  assert.deepEqual([quota.ownFull(ann), quota.ownFull(bob), quota.ownFull(nobody)], [true, false, false]);
  quota.take(nobody);
  quota.take(nobody);
  quota.take(bob);
  assert.deepEqual(places(), ['all', 'all', 'all']);
  quota.give(nobody);
  quota.give(nobody);
  assert.deepEqual(places(), ['own', undefined, undefined]);
  quota.give(ann);
  assert.deepEqual(places(), [undefined, undefined, undefined]);
  quota.take(ann);
  assert.equal(quota.full(ann), 'own', 'one that was given back counts no more');
});

test('an owner takes as many places as it leaves free, and others find the rest', () => {
  const quota = new Quota(50, 1000);
  assert.deepEqual([taken(quota, here), taken(quota, there)], [25, 13]);
  assert.deepEqual([quota.full(here), quota.full(there), quota.full(ann)], ['own', 'own', undefined]);
  assert.deepEqual([taken(new Quota(1), here), taken(new Quota(3), here)], [1, 2]);
  assert.equal(taken(new Quota(7), nobody), 7);
});

test('the bytes of bodies are limited together, and one body alone has room always', () => {
  const bodies = new Bodies(10);
  assert.equal(bodies.take(11), undefined);
  assert.equal(bodies.take(1), 'all');
  bodies.give(11);
  assert.deepEqual([bodies.take(4), bodies.take(6), bodies.take(1)], [undefined, undefined, 'all']);
  bodies.give(6);
  assert.deepEqual([bodies.take(7), bodies.take(6)], ['all', undefined]);
});

test('the bodies of an owner take as many bytes as they leave free', () => {
  const bodies = new Bodies(16);
  assert.deepEqual(
    [bodies.take(4, 'here'), bodies.take(4, 'here'), bodies.take(1, 'here')],
    [undefined, undefined, 'own'],
  );
  assert.deepEqual([bodies.take(4, 'there'), bodies.take(1, 'there')], [undefined, 'own']);
  bodies.give(8, 'here');
  assert.deepEqual(
    [bodies.take(5, 'here'), bodies.take(7, 'here', 5)],
    [undefined, undefined],
    'one body has all of it',
  );
  assert.equal(bodies.take(1, 'here', 12), 'all');
});

test('so many requests run at once, and as many again go on with what is open', () => {
  const running = new InFlight(2);
  const places = [
    running.enter(nobody, true),
    running.enter(),
    running.enter(nobody, true),
    running.enter(nobody, true),
  ];
  assert.deepEqual(
    places.map((place) => (typeof place === 'string' ? place : place.beyond)),
    [undefined, undefined, 'all', 'all'],
  );
  assert.deepEqual([running.enter(), running.enter(nobody, true)], ['all', 'all']);
  const [first] = places;
  if (first === undefined || typeof first === 'string') return assert.fail();
  running.leave(first);
  assert.notEqual(running.enter(), 'all');
});

test('a request counts for its address, then for its principal', () => {
  const running = new InFlight(4);
  const places = [running.enter(here), running.enter(here)];
  assert.equal(running.enter(here), 'own');
  const [first, second] = places.map((place) => (typeof place === 'string' ? assert.fail() : place));
  if (first === undefined || second === undefined) return assert.fail();
  assert.deepEqual(running.move(first, ann), { client: ann, beyond: undefined });
  assert.notEqual(running.enter(here), 'own', 'its address has a place again');
  running.enter(bob);
  assert.deepEqual(running.move(second, ann), { client: ann, beyond: 'own' });
});

test('who waits until no request runs hears of it after the last one', async () => {
  const serving = new ServingCount();
  await serving.idle();
  serving.enter();
  serving.enter();
  let isIdle = false;
  void serving.idle().then(() => (isIdle = true));
  serving.leave();
  await turns();
  assert.equal(isIdle, false);
  serving.leave();
  await turns();
  assert.equal(isIdle, true);
});
