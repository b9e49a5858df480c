import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missing } from '../../support/engines.ts';
import { play } from './play.ts';

const skip = missing('redis-server');

test('clients of every revision and of other makers are served by processes that share a Redis', { skip }, async () => {
  const { violations, processes, calls } = await play({ engine: 'one', fault: 'nothing', times: 1 });
  assert.deepEqual(violations, []);
  assert.ok(processes > 1, `${calls} calls at ${processes} processes`);
});

test('nobody loses a call or a session when processes are replaced', { skip }, async () => {
  const { violations } = await play({ engine: 'one', fault: 'replacing', times: 3 });
  assert.deepEqual(violations, []);
});

test('nobody loses a session when a process is killed', { skip }, async () => {
  const { violations } = await play({ engine: 'one', fault: 'killing', times: 1 });
  assert.deepEqual(violations, []);
});
