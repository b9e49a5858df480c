import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OwnWrites } from './own-writes.ts';

test('a file that changes after each start is the own of a server, and a source that is saved again and again is none', () => {
  let now = 0;
  const writes = new OwnWrites(() => now);
  const restarted = (names: readonly string[]): readonly [boolean, readonly string[]] => {
    now += 500;
    const { isFresh, found } = writes.changed(names);
    if (isFresh) writes.started();
    return [isFresh, found];
  };
  writes.started();
  assert.deepEqual(restarted(['app.log']), [true, []]);
  assert.deepEqual(restarted(['app.log']), [true, []]);
  assert.deepEqual(restarted(['app.log']), [false, ['app.log']]);
  assert.deepEqual(restarted(['app.log']), [false, []]);
  for (let time = 0; time < 10; time++) assert.deepEqual(restarted(['app.log', 'server.ts']), [true, []]);
  now += 60_000;
  assert.deepEqual(restarted(['data.json']), [true, []]);
  now += 60_000;
  for (let time = 0; time < 2; time++) assert.deepEqual(restarted(['data.json']), [true, []]);
});
