/** The request that waits for the result of a task of 2025-11-25. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { settle } from '../../../../../../test/support/raw.ts';
import type { CallToolResult } from '../../../protocol/features/tools.ts';
import { CoreResult } from './core-result.ts';
import type { TaskRequests, TaskSent } from './task-requests.ts';

const result: CallToolResult = { content: [] };

interface Sent {
  readonly options: TaskSent & { readonly maxTotalTimeoutMs?: number };
  readonly resolve: (result: CallToolResult) => void;
  readonly reject: (error: unknown) => void;
}

function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sent: Sent[] = [];
  let arrived = 0;
  // It uses this one request alone.
  const requests = {
    result: (_: string, options: TaskSent) =>
      new Promise((resolve, reject) => void sent.push({ options, resolve, reject })),
  } as unknown as TaskRequests;
  const waits = new CoreResult(requests, { taskId: 'task', sent: { timeoutMs: 7 }, arrived: () => arrived++ });
  return { sent, waits, arrived: () => arrived };
}

test('is one at a time, without a limit, and its result is taken once', async (t) => {
  const { sent, waits, arrived } = scene(t);
  waits.wait(0);
  waits.wait(0);
  assert.deepEqual(
    sent.map(({ options: { timeoutMs, maxTotalTimeoutMs } }) => [timeoutMs, maxTotalTimeoutMs]),
    [[0, 0]],
  );
  sent[0]?.resolve(result);
  await settle();
  assert.equal(arrived(), 1);
  waits.wait(0);
  assert.equal(sent.length, 1);
  assert.deepEqual([waits.take(), waits.take()], [{ result }, undefined]);
  waits.wait(0);
  assert.equal(sent.length, 2);
});

test('waits longer after each failure', async (t) => {
  const { sent, waits } = scene(t);
  const failure = new Error('away');
  for (const [tries, ms] of [1_000, 2_000, 4_000].entries()) {
    assert.equal(waits.tries, tries);
    waits.wait(10_000 * tries);
    sent.at(-1)?.reject(failure);
    await settle();
    assert.deepEqual(waits.take(), { error: failure });
    waits.delay(10_000 * tries, 0);
    waits.wait(10_000 * tries + ms - 1);
    assert.equal(sent.length, tries + 1);
  }
  waits.wait(24_000);
  assert.equal(sent.length, 4);
});

test('of a task that ended is waited for, and asked for anew after its time', async (t) => {
  for (const [timeoutMs, ms] of [
    [0, 60_000],
    [500, 500],
  ] as const) {
    const { sent, waits, arrived } = scene(t);
    waits.wait(0);
    let isOver = false;
    const settled = waits.settled(timeoutMs).then(() => (isOver = true));
    t.mock.timers.tick(ms - 1);
    await settle();
    assert.equal(sent.length, 1);
    t.mock.timers.tick(1);
    await settle();
    assert.deepEqual([sent[0]?.options.signal?.aborted, sent.length, sent[1]?.options.timeoutMs], [true, 2, 7]);
    assert.equal('maxTotalTimeoutMs' in (sent[1]?.options ?? {}), false);
    sent[0]?.resolve({ content: [{ type: 'text', text: 'late' }] });
    await settle();
    assert.deepEqual([isOver, arrived()], [false, 0]);
    sent[1]?.resolve(result);
    await settled;
    assert.deepEqual(waits.take(), { result });
    t.mock.timers.reset();
  }
});

test('that comes in time is not asked for twice', async (t) => {
  const { sent, waits } = scene(t);
  waits.wait(0);
  const settled = waits.settled(0);
  await settle();
  sent[0]?.resolve(result);
  await settled;
  await waits.settled(0);
  assert.deepEqual([sent.length, waits.take()], [1, { result }]);
});

test('is given up, and what comes later is ignored', async (t) => {
  const { sent, waits, arrived } = scene(t);
  waits.wait(0);
  waits.stop();
  sent[0]?.reject(new Error('late'));
  await settle();
  assert.deepEqual([sent[0]?.options.signal?.aborted, arrived(), waits.take()], [true, 0, undefined]);
  waits.wait(0);
  assert.equal(sent.length, 2);
  sent[1]?.resolve(result);
  await settle();
  waits.stop();
  assert.equal(waits.take(), undefined);
});
