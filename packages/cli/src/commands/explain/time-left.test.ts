import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { createServer } from '../../../../parley/src/server.ts';
import { memoryTransport } from '../../../../parley/src/testing/memory-transport.ts';
import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import { passing } from '../../../../../test/support/turns.ts';
import { explainServer } from './server.ts';
import { timeLeft, atMost, type TimeLeft } from './time-left.ts';

const silent: Transport = {
  description: 'silent',
  open: () => Promise.resolve({ send: () => Promise.resolve(), close: () => Promise.resolve() }),
};

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

async function explained(reach: Transport, left: TimeLeft): ReturnType<typeof explainServer> {
  const explaining = explainServer({ reach: () => reach, timeoutMs: undefined, left, wire: false, signal });
  let isOver = false;
  void explaining.finally(() => (isOver = true));
  await passing(
    () => isOver,
    () => mock.timers.tick(100),
  );
  return await explaining;
}

const { signal } = new AbortController();

test('a version for which no time is left is not asked', async () => {
  const { tries, works } = await explained(silent, () => 0);
  assert.equal(works, false);
  assert.deepEqual(
    [...new Set(tries.map(({ outcome, reason, why }) => `${outcome} ${reason}: ${why}`))],
    ['unknown timeout: not asked: the time of --timeout was over'],
  );
});

test('the first version may take half of the time, and the others share the rest', async () => {
  const { tries } = await explained(silent, () => 6_000);
  const waits = tries.map(({ why }) => Number(/within (\d+) ms/.exec(why)?.[1]));
  // This time does not pass, so that the last one has all of it.
  assert.deepEqual(waits, [3_000, 1_500, 2_000, 3_000, 6_000]);
});

test('an answer may take as long as before where the time is long', async () => {
  const server = createServer({ name: 's', version: '1' });
  const { works } = await explained(memoryTransport(server), timeLeft(10_000_000));
  assert.equal(works, true);
  assert.equal(atMost(timeLeft(), 60_000), 60_000);
});
