import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announcer } from './announce.ts';

test('one announcement is made in two seconds at most, and it has what came last', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const said: string[] = [];
  const announce = announcer((words) => said.push(words));
  announce('one');
  for (const words of ['two', 'three', 'four', 'two', 'five']) announce(words);
  t.mock.timers.tick(1_999);
  assert.deepEqual(said, ['one']);
  t.mock.timers.tick(1);
  assert.deepEqual(said, ['one', 'four. two. five']);
  announce('six');
  t.mock.timers.tick(1_999);
  assert.equal(said.length, 2);
  t.mock.timers.tick(1);
  assert.deepEqual(said.slice(2), ['six']);
});

test('what is long is announced once, and nothing is done where nothing comes', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const said: string[] = [];
  announcer((words) => said.push(words))('x'.repeat(1_000));
  t.mock.timers.tick(60_000);
  assert.equal(said.length, 1);
});

test('after a quiet time the next is announced at once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const said: string[] = [];
  const announce = announcer((words) => said.push(words));
  announce('one');
  t.mock.timers.tick(2_000);
  announce('two');
  assert.deepEqual(said, ['one', 'two']);
});
