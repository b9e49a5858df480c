import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../test/support/turns.ts';
import { Bodies, InFlight, Quota } from './quota.ts';

const ann = { principal: 'ann' };
const bob = { principal: 'bob' };

test('a principal takes its own places, and all of them together take all', () => {
  const quota = new Quota(4, 2);
  const places = (): unknown[] => [quota.full(ann), quota.full(bob), quota.full(undefined)];
  quota.take(ann);
  assert.deepEqual(places(), [undefined, undefined, undefined]);
  quota.take(ann);
  assert.deepEqual(places(), ['own', undefined, undefined]);
  assert.deepEqual([quota.ownFull(ann), quota.ownFull(bob), quota.ownFull(undefined)], [true, false, false]);
  quota.take(undefined);
  quota.take(bob);
  assert.deepEqual(places(), ['all', 'all', 'all']);
  quota.give(undefined);
  assert.deepEqual(places(), ['own', undefined, undefined]);
  quota.give(ann);
  assert.deepEqual(places(), [undefined, undefined, undefined]);
  quota.take(ann);
  assert.equal(quota.full(ann), 'own', 'one that was given back counts no more');
});

test('the bytes of bodies are limited together, and one body alone has room always', () => {
  const bodies = new Bodies(10);
  assert.equal(bodies.take(11), true);
  assert.equal(bodies.take(1), false);
  bodies.give(11);
  assert.deepEqual([bodies.take(4), bodies.take(6), bodies.take(1)], [true, true, false]);
  bodies.give(6);
  assert.deepEqual([bodies.take(7), bodies.take(6)], [false, true]);
});

test('so many requests run at once, and as many again beyond', () => {
  const running = new InFlight(2);
  assert.deepEqual([running.enter(), running.enter(), running.enter()], [true, true, false]);
  assert.deepEqual([running.enterBeyond(), running.enterBeyond(), running.enterBeyond()], [true, true, false]);
  running.leave();
  assert.deepEqual([running.enter(), running.enterBeyond()], [false, true]);
});

test('who waits until no request runs hears of it after the last one', async () => {
  const running = new InFlight(1);
  await running.idle();
  running.enter();
  running.rejoin();
  let isIdle = false;
  void running.idle().then(() => (isIdle = true));
  running.leave();
  await turns();
  assert.equal(isIdle, false);
  running.leave();
  await turns();
  assert.equal(isIdle, true);
});
