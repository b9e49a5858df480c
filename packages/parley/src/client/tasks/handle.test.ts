/** The options of a task's requests, and a call that the server answered at once. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { playing, type Played } from '../../../../../test/support/played-tasks.ts';
import { TaskGoneError } from '../../client.ts';
import { newestRevision } from '../../protocol/revision.ts';
import { answeredAtOnce, handleOf } from './handle.ts';
import type { TaskHandle } from '../api/task-handle.ts';

test('options that do not exist are refused before anything is sent', async () => {
  const asked: string[] = [];
  const task = {
    reference: 'r',
    poll: async () => void asked.push('poll'),
    cancel: async () => void asked.push('cancel'),
    abandon: () => asked.push('abandon'),
  };
  const handle = handleOf({
    task: task as never,
    check: undefined,
    immediate: undefined,
    revision: () => newestRevision,
  });
  const wrong = { timeout: 1 } as never;
  const ways: readonly (() => Promise<unknown>)[] = [
    () => handle.result(wrong),
    () => handle.poll(wrong),
    () => handle.answer({}, wrong),
    () => handle.cancel(wrong),
    async () => await handle.updates(wrong)[Symbol.asyncIterator]().next(),
  ];
  for (const way of ways)
    await assert.rejects(async () => await way(), { name: 'TypeError', message: /has no option "timeout"/ });
  await assert.rejects(async () => await handle.result({ onGiveUp: 'stop' } as never), /onGiveUp/);
  assert.deepEqual(asked, []);
  await handle.cancel({ timeoutMs: 1 });
  assert.deepEqual([asked, handle.reference], [['cancel'], 'r']);
});

test('the result of a task is checked before it is returned', async () => {
  const result = { content: [] };
  const watch = ({ ended }: { ended(outcome: object): void }): (() => void) => {
    ended({ result });
    return () => undefined;
  };
  const checked: unknown[] = [];
  const handle = (check: (one: unknown) => void): TaskHandle =>
    handleOf({ task: { watch } as never, check, immediate: 'later', revision: () => newestRevision });
  assert.equal(await handle((one) => void checked.push(one)).result(), result);
  assert.deepEqual(checked, [result]);
  const refuse = (): never => {
    throw new RangeError('not what the tool promised');
  };
  await assert.rejects(handle(refuse).result(), RangeError);
  assert.equal(handle(refuse).immediate, 'later');
});

test('a call that was answered at once has a result, and no task', async () => {
  const result = { content: [] };
  const checked: unknown[] = [];
  const handle: TaskHandle = answeredAtOnce(result, (one) => checked.push(one));
  assert.equal(await handle.result(), result);
  assert.deepEqual(checked, [result]);
  assert.deepEqual([handle.reference, handle.immediate], [undefined, undefined]);
  for await (const _ of handle.updates()) assert.fail('there are none');
  for (const way of [() => handle.poll(), () => handle.answer({})]) await assert.rejects(way, /answered at once/);
  await handle.cancel();
  await assert.rejects(handle.result({ signal: AbortSignal.abort(new Error('given up')) }), /given up/);
  await assert.rejects(handle.result({ timeout: 1 } as never), TypeError);
});

const times = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
const working = { taskId: 'a', status: 'working', ...times, ttlMs: null };

/** A task whose state the test changes, and its handle. */
async function started(t: TestContext): Promise<{ one: Played; task: TaskHandle; become(state: object): void }> {
  let state: Readonly<Record<string, unknown>> = working;
  const one = await playing(t, {
    'tools/call': () => ({ resultType: 'task', ...working }),
    'tasks/get': () => state,
    'tasks/cancel': () => ({}),
  });
  const task = await one.client.startTask('t');
  return { one, task, become: (next) => void (state = { ...working, ...next }) };
}

/** Takes all updates, and how they end. */
async function drained(updates: ReturnType<TaskHandle['updates']>): Promise<readonly unknown[]> {
  const taken: unknown[] = [];
  try {
    for await (const { status, statusMessage } of updates) taken.push(statusMessage ?? status);
    return [...taken, 'end'];
  } catch (error) {
    return [...taken, error];
  }
}

const isCancelled = ({ asked }: Played): boolean => asked.some(({ method }) => method === 'tasks/cancel');

for (const onGiveUp of [undefined, 'leave', 'cancel'] as const)
  for (const wait of ['updates', 'result'] as const)
    test(`a wait for the ${wait} that is given up ${onGiveUp === 'cancel' ? 'cancels' : 'leaves'} the task (${onGiveUp})`, async (t) => {
      const { one, task } = await started(t);
      const given = new AbortController();
      const why = new Error('enough');
      const options = { signal: given.signal, onGiveUp };
      const end =
        wait === 'updates'
          ? drained(task.updates(options))
          : task.result(options).then(
              () => [],
              (error: unknown) => [error],
            );
      await one.pass(2000);
      given.abort(why);
      assert.equal((await end).at(-1), why);
      await one.pass(50);
      assert.equal(isCancelled(one), onGiveUp === 'cancel');
      const { length } = one.asked;
      await one.pass(60_000);
      assert.equal(one.asked.length, length, 'nobody waits any more');
    });

test('a wait whose signal was aborted before asks nothing', async (t) => {
  const { one, task } = await started(t);
  const before = one.asked.length;
  const options = { signal: AbortSignal.abort(new Error('enough')), onGiveUp: 'cancel' } as const;
  await assert.rejects(task.result(options), /enough/);
  assert.match(String((await drained(task.updates(options)))[0]), /enough/);
  await one.pass(2000);
  assert.deepEqual(
    one.asked.slice(before).map(({ method }) => method),
    [],
  );
});

test('updates tell of each change once, and end with the task, however it ended', async (t) => {
  for (const [end, last] of [
    [{ status: 'completed', result: { content: [] } }, 'completed'],
    [{ status: 'failed', error: { code: -32603, message: 'broken' } }, 'failed'],
    [{ status: 'cancelled' }, 'cancelled'],
  ] as const) {
    const { one, task, become } = await started(t);
    const updates = drained(task.updates());
    await one.pass(5000);
    become({ statusMessage: 'half' });
    await one.pass(10_000);
    become(end);
    await one.pass(60_000);
    assert.deepEqual(await updates, ['working', 'half', last, 'end']);
    assert.deepEqual(await drained(task.updates()), [last, 'end'], 'again, of a task that has ended');
    t.mock.timers.reset();
  }
});

test('updates of a task that is gone end with an error', async (t) => {
  const { one, task, become } = await started(t);
  const updates = drained(task.updates());
  become({ code: -32602, message: 'no such task' });
  await one.pass(5000);
  const [first, error, ...rest] = await updates;
  assert.deepEqual([first, error instanceof TaskGoneError, rest], ['working', true, []]);
});

test('a task that has ended is not cancelled', async (t) => {
  const { one, task, become } = await started(t);
  become({ status: 'completed', result: { content: [] } });
  await task.poll();
  await task.cancel();
  assert.equal(isCancelled(one), false);
  assert.deepEqual(await task.result(), { content: [] });
});
