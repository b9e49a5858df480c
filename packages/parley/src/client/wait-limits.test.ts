/** What ends a wait, and what is left of it afterwards. */

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test, type TestContext } from 'node:test';
import { settle } from '../../../../test/support/raw.ts';
import { settledOrAborted, waitFor } from './api/wait-for.ts';

const never = new Promise<void>(() => undefined);

/** Timers that were started and neither ran nor were cleared. */
function timers(t: TestContext): Map<() => void, number> {
  const pending = new Map<() => void, number>();
  t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => (pending.set(run, ms), run));
  t.mock.method(globalThis, 'clearTimeout', (run: () => void) => void pending.delete(run));
  return pending;
}

test('a wait leaves no timer and no listener, however it ends', async (t) => {
  const pending = timers(t);
  const failing = async (): Promise<never> => {
    throw new Error('failed');
  };
  for (const [title, work] of [
    ['answered', async () => undefined],
    ['failed', failing],
  ] as const) {
    const { signal } = new AbortController();
    await waitFor(work(), { method: 'x', signal, ms: 10 }).catch(() => undefined);
    await settledOrAborted(10, work(), signal);
    assert.deepEqual([pending.size, getEventListeners(signal, 'abort').length], [0, 0], title);
  }
});

test('a wait has the limit that is given, and none for 0', async (t) => {
  const pending = timers(t);
  for (const ms of [0, undefined, Infinity]) void waitFor(never, { method: 'x', ms });
  assert.equal(pending.size, 0);
  const waits = [waitFor(never, { method: 'x', ms: 1 }), waitFor(never, { method: 'y', ms: 2, until: 'taken' })];
  assert.deepEqual([...pending.values()], [1, 2]);
  for (const run of pending.keys()) run();
  const outcomes = await Promise.allSettled(waits);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason)),
    ['ConnectionError: x was not answered within 1 ms', 'ConnectionError: y was not taken within 2 ms'],
  );
});

test('a signal ends a wait before and during it, and not after it', async () => {
  const during = new AbortController();
  const waiting = waitFor(never, { method: 'x', signal: during.signal });
  const settling = settledOrAborted(10_000, never, during.signal);
  during.abort();
  await assert.rejects(waiting, { reason: 'aborted' });
  assert.equal(await settling, true);
  assert.equal(await settledOrAborted(10_000, never, AbortSignal.abort()), true);
  const after = new AbortController();
  await waitFor(Promise.resolve(), { method: 'x', signal: after.signal });
  after.abort();
  await settle();
});
