import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GapBrake } from './gap-brake.ts';

test('gaps are heard at once and then together, and none after the end', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let heard = 0;
  const gaps = new GapBrake(() => heard++);
  gaps.note();
  gaps.note();
  gaps.note();
  assert.equal(heard, 1);
  t.mock.timers.tick(30_000);
  assert.equal(heard, 2);
  t.mock.timers.tick(30_000);
  assert.equal(heard, 2);
  gaps.note();
  gaps.note();
  assert.equal(heard, 3);
  gaps.close();
  gaps.note();
  t.mock.timers.tick(60_000);
  assert.equal(heard, 3);
});
