/** One task that is followed: who hears of it, how often the server is asked, and what is left when nobody waits. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { settle } from '../../../../test/support/raw.ts';
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
function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const log: string[] = [];
  const asked: { answer(state: TaskState): void; readonly signal: AbortSignal }[] = [];
  const parts = {
    settings: { clock: () => now, random: () => 0, inputs: {} },
    requests: {
      revision: newestRevision,
      get: (_: string, { signal }: { readonly signal: AbortSignal }) =>
        new Promise((answer) => void asked.push({ answer, signal })),
    },
    listener: { want: () => undefined, covers: () => false, drop: (id: string) => log.push(`drop ${id}`) },
    turns: { take: async (work: () => unknown) => await work() },
    over: () => undefined,
    following: (_: unknown, isFollowed: boolean) => log.push(isFollowed ? 'followed' : 'left'),
    learned: (error: unknown) => error,
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
  const options = { state: stateOf('working'), reference, sent: {}, release: () => log.push('released') };
  const task = new FollowedTask(parts as unknown as FollowParts, options as never);
  const watcher = (name: string): TaskWatcher => ({
    told: ({ status }) => void log.push(`${name} ${status}`),
    ended: (outcome, isOwn) => void log.push(`${name} ${'error' in outcome ? 'failed' : 'ended'} ${isOwn}`),
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
