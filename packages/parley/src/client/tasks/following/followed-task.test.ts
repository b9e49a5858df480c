/** One task that is followed: who hears of it, how often the server is asked, and what is left when nobody waits. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { settle } from '../../../../../../test/support/raw.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { McpError } from '../../../protocol/error.ts';
import { newestRevision } from '../../../protocol/revision.ts';
import type { FollowParts, TaskWatcher } from './follow-parts.ts';
import { FollowedTask } from './followed-task.ts';
import { taskStateOf, type TaskState } from './task-state.ts';

const times = { createdAt: '2026-07-28T00:00:00.000Z', lastUpdatedAt: '2026-07-28T00:00:00.000Z' };

function stateOf(status: string, more: object = {}): TaskState {
  return taskStateOf({ taskId: 't', status, ...times, ttlMs: null, pollIntervalMs: 1_000, ...more } as never);
}

const completed = stateOf('completed', { result: { content: [] } });

/** A task of the extension at a server that answers when the test lets it. */
function scene(t: TestContext, requests: object = {}, more: object = {}, own: object = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const log: string[] = [];
  const asked: { answer(state: TaskState): void; fail(error: Error): void; readonly signal: AbortSignal }[] = [];
  const parts = {
    settings: { clock: () => now, random: () => 0, inputs: { capabilities: {} } },
    requests: {
      revision: newestRevision,
      get: (_: string, { signal }: { readonly signal: AbortSignal }) =>
        new Promise((answer, fail) => void asked.push({ answer, fail, signal })),
      ...requests,
    },
    listener: { want: () => undefined, covers: () => false, drop: (id: string) => log.push(`drop ${id}`) },
    turns: { take: async (work: () => unknown) => await work() },
    over: () => undefined,
    following: (_: unknown, isFollowed: boolean) => log.push(isFollowed ? 'followed' : 'left'),
    learned: (error: unknown) => error,
    ...own,
  };
  const reference = {
    server: '',
    taskId: 't',
    revision: '2026-07-28',
    tool: 'x',
    createdAt: '',
    ttlMs: null,
    answered: [],
  };
  const options = { state: stateOf('working'), reference, sent: {}, release: () => log.push('released'), ...more };
  const task = new FollowedTask(parts as unknown as FollowParts, options as never);
  const watcher = (name: string): TaskWatcher => ({
    told: ({ status }) => void log.push(`${name} ${status}`),
    wants: (error) => void log.push(`${name} wants ${Object.keys(error.inputRequests).join()}`),
    ended: (outcome, isOwn) =>
      void log.push(`${name} ${'error' in outcome ? (outcome.error as Error).name : 'ended'} ${isOwn}`),
  });
  const pass = async (ms: number): Promise<void> => {
    await settle();
    now += ms;
    t.mock.timers.tick(ms);
    await settle();
  };
  return { task, watcher, asked, pass, took: () => log.splice(0) };
}

test('everybody who waits hears the end of a task once, and a later watcher hears it at once', async (t) => {
  const { task, watcher, asked, pass, took } = scene(t);
  task.watch(watcher('a'));
  task.watch(watcher('b'));
  assert.deepEqual(took(), ['a working', 'followed', 'b working']);
  await pass(1_000);
  assert.equal(asked.length, 1);
  asked[0]?.answer(completed);
  await settle();
  assert.deepEqual(took(), [
    'a completed',
    'b completed',
    'released',
    'a ended true',
    'b ended true',
    'left',
    'drop t',
  ]);
  task.watch(watcher('late'));
  await settle();
  assert.deepEqual(took(), ['late completed', 'followed', 'late ended true', 'left', 'drop t']);
  await pass(60_000);
  assert.equal(asked.length, 1);
});

test('a task that nobody waits for any more is not asked for, and its question is aborted', async (t) => {
  const { task, watcher, asked, pass, took } = scene(t);
  const [leaveA, leaveB] = [task.watch(watcher('a')), task.watch(watcher('b'))];
  await pass(1_000);
  took();
  leaveA();
  leaveA();
  await settle();
  assert.deepEqual([took(), asked[0]?.signal.aborted], [[], false]);
  leaveB();
  assert.equal(asked[0]?.signal.aborted, true);
  asked[0]?.answer(stateOf('working'));
  await pass(60_000);
  assert.deepEqual([took(), asked.length], [['left', 'drop t'], 1]);
});

test('a change that the server tells is taken, and a change without its result is asked for', async (t) => {
  const { task, watcher, asked, pass, took } = scene(t);
  task.watch(watcher('a'));
  await pass(0);
  took();
  task.heard(stateOf('working', { statusMessage: 'half' }));
  task.heard(stateOf('working', { statusMessage: 'half' }));
  assert.deepEqual(took(), ['a working']);
  task.heard(stateOf('completed'));
  await settle();
  assert.equal(asked.length, 1);
  asked[0]?.answer(stateOf('working', { statusMessage: 'half' }));
  await settle();
  // Never sooner than the server says.
  task.nudge();
  await pass(999);
  assert.equal(asked.length, 1);
  await pass(1);
  assert.equal(asked.length, 2);
  asked[1]?.answer(completed);
  await settle();
  assert.deepEqual(took(), ['a completed', 'released', 'a ended true', 'left', 'drop t']);
});

test('a cancelled task ends for everybody, and one that has ended is not cancelled', async (t) => {
  let cancels = 0;
  const cancel = async (): Promise<TaskState> => (cancels++, stateOf('cancelled'));
  const { task, watcher, took } = scene(t, { cancel });
  task.watch(watcher('a'));
  await task.cancel({});
  await settle();
  assert.deepEqual(took().slice(-5), ['a cancelled', 'released', 'a TaskCancelledError true', 'left', 'drop t']);
  await task.cancel({});
  assert.equal(cancels, 1);
});

test('a task that the server does not cancel, since it has ended, is no failure', async (t) => {
  const unknown = new McpError('invalidParams', 'no such task');
  const cancel = async (): Promise<never> => await Promise.reject(unknown);
  const ended = scene(t, { cancel, get: async () => completed });
  await ended.task.cancel({});
  assert.deepEqual(ended.task.state, completed);
  t.mock.timers.reset();
  const working = scene(t, { cancel, get: async () => stateOf('working') });
  await assert.rejects(working.task.cancel({}), unknown);
  t.mock.timers.reset();
  const broken = scene(t, { cancel: () => Promise.reject(new McpError('internalError', 'no')), get: assert.fail });
  await assert.rejects(broken.task.cancel({}), /^McpError: no/);
});

test('a poll for an unknown task says so, and other errors come as they are', async (t) => {
  for (const [error, name] of [
    [new McpError('invalidParams', 'no such task'), 'TaskGoneError'],
    [new McpError('internalError', 'no'), 'McpError'],
  ] as const) {
    const { task } = scene(t, { get: () => Promise.reject(error) });
    await assert.rejects(task.poll({}), { name });
    t.mock.timers.reset();
  }
});

test('a failure that may pass is waited out, and any other ends the wait', async (t) => {
  const { task, watcher, asked, pass, took } = scene(t);
  task.watch(watcher('a'));
  await pass(1_000);
  asked[0]?.fail(new ConnectionError('closed', 'away'));
  await pass(1_000);
  asked[1]?.fail(new ConnectionError('closed', 'away'));
  await pass(1_999);
  assert.equal(asked.length, 2);
  await pass(1);
  assert.equal(asked.length, 3);
  took();
  asked[2]?.fail(new McpError('invalidRequest', 'broken'));
  await settle();
  assert.deepEqual(took(), ['a McpError false', 'left', 'drop t']);
});

test('progress begins with the task, and each of its messages is told', async (t) => {
  const said: unknown[] = [];
  const progress = { became: () => said.push('became'), say: (words: unknown) => said.push(words) };
  const { task, watcher, asked, pass } = scene(
    t,
    {},
    { progress, state: stateOf('working', { statusMessage: 'one' }) },
  );
  task.watch(watcher('a'));
  await pass(1_000);
  asked[0]?.answer(stateOf('working', { statusMessage: 'two' }));
  await pass(1_000);
  assert.deepEqual(said, ['became', 'one', 'two']);
});

test('a task of which nothing is known is asked for at once', async (t) => {
  const { task, watcher, asked, took } = scene(t, {}, { state: undefined });
  task.watch(watcher('a'));
  await settle();
  assert.deepEqual([asked.length, took()], [1, ['followed']]);
  asked[0]?.answer(completed);
  await settle();
  assert.deepEqual(took(), ['a completed', 'released', 'a ended true', 'left', 'drop t']);
});

test('everybody who waits hears once what nothing here can answer, and answers given by hand are sent', async (t) => {
  const given: unknown[] = [];
  const update = async (_: string, responses: unknown): Promise<void> => void given.push(responses);
  const question = { method: 'elicitation/create', params: { mode: 'form', message: '?', requestedSchema: {} } };
  const state = stateOf('input_required', { inputRequests: { a: question } });
  const { task, watcher, asked, pass, took } = scene(t, { update }, { state });
  task.watch(watcher('a'));
  await settle();
  assert.deepEqual(took(), ['a input_required', 'followed', 'a wants a']);
  task.watch(watcher('b'));
  assert.deepEqual(took(), ['b input_required', 'b wants a']);
  await pass(1_000);
  asked[0]?.answer(state);
  await settle();
  assert.deepEqual(took(), []);
  const answers = { a: { action: 'decline' } } as const;
  await task.give(answers, {});
  assert.deepEqual([given, [...task.answered]], [[answers], ['a']]);
  task.watch(watcher('late'));
  assert.deepEqual(took(), ['late input_required']);
  await pass(999);
  assert.equal(asked.length, 1);
  await pass(1);
  assert.equal(asked.length, 2);
});

test('a task is abandoned by a cancellation, unless the connection is over for good', async (t) => {
  for (const isOver of [true, false]) {
    let cancels = 0;
    const cancel = async (): Promise<never> => (cancels++, await Promise.reject(new Error('away')));
    const { task } = scene(t, { cancel }, {}, { over: () => (isOver ? new Error('closed') : undefined) });
    task.abandon();
    await settle();
    assert.equal(cancels, isOver ? 0 : 1);
    t.mock.timers.reset();
  }
});
