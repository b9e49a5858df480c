/** A wait for the result of a task: its limit of time, its signal, and what ends it. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { settle } from '../../../../../../test/support/raw.ts';
import type { ConnectionError } from '../../../jsonrpc/transport.ts';
import type { TaskWatcher } from './follow-parts.ts';
import type { FollowedTask } from './followed-task.ts';
import { untilFinished, type FinishLimits } from './until-finished.ts';

const result = { content: [] };

function waiting(t: TestContext, limits: FinishLimits) {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  const watchers = new Set<TaskWatcher>();
  const task = {
    watch: (watcher: TaskWatcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
  const state: { outcome: unknown } = { outcome: 'waits' };
  // A wait uses this of a task alone.
  const over = untilFinished(task as unknown as FollowedTask, limits).then(
    (value) => (state.outcome = value),
    (error: unknown) => (state.outcome = error),
  );
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    t.mock.timers.tick(ms);
    await settle();
  };
  const [watcher] = watchers;
  return { watcher, watchers, state, over, pass };
}

test('it ends with the outcome of the task, and watches no more', async (t) => {
  const failure = new Error('failed');
  for (const [outcome, expected] of [
    [{ result }, result],
    [{ error: failure }, failure],
  ] as const) {
    const { watcher, watchers, state, over } = waiting(t, {});
    watcher?.ended(outcome, true);
    await over;
    assert.deepEqual([state.outcome, watchers.size], [expected, 0]);
    t.mock.timers.reset();
    t.mock.restoreAll();
  }
});

test('it ends with what the task wants and nobody here gives', async (t) => {
  const { watcher, state, over } = waiting(t, {});
  const wanting = new Error('wants input');
  watcher?.wants?.(wanting as never);
  await over;
  assert.equal(state.outcome, wanting);
});

test('its time is limited, less what is used, and stands still while a person is asked', async (t) => {
  const { watcher, watchers, state, pass } = waiting(t, { ms: 1_000, usedMs: 300 });
  await pass(200);
  watcher?.asks?.(true);
  watcher?.asks?.(true);
  await pass(5_000);
  watcher?.asks?.(false);
  await pass(300);
  // Starting a clock that runs changes nothing.
  watcher?.asks?.(false);
  await pass(199);
  assert.equal(state.outcome, 'waits');
  await pass(1);
  const { name, reason, message } = state.outcome as unknown as ConnectionError;
  assert.deepEqual(
    [name, reason, message],
    ['ConnectionError', 'timeout', 'tools/call did not end within 1000 ms (maxTotalTimeoutMs)'],
  );
  assert.equal(watchers.size, 0);
});

test('it has no limit where none is set', async (t) => {
  for (const limits of [{}, { ms: 0 }, { ms: 0, usedMs: 5 }, { ms: Infinity }]) {
    const { watchers, state, pass } = waiting(t, limits);
    await pass(2 ** 31);
    assert.deepEqual([state.outcome, watchers.size], ['waits', 1]);
    t.mock.timers.reset();
    t.mock.restoreAll();
  }
});

test('its signal ends it, before and while it waits', async (t) => {
  const [before, meanwhile] = [new AbortController(), new AbortController()];
  const why = new Error('enough');
  before.abort(why);
  const first = waiting(t, { signal: before.signal });
  await first.over;
  assert.equal(first.watchers.size, 0);
  t.mock.timers.reset();
  t.mock.restoreAll();
  const second = waiting(t, { signal: meanwhile.signal });
  assert.equal(second.watchers.size, 1);
  meanwhile.abort(why);
  await second.over;
  assert.equal(second.watchers.size, 0);
  for (const { state } of [first, second]) assert.equal(Object(state.outcome).cause, why);
});
