/**
 * Two processes do to a few tasks whatever may be done, several things at once: what a store has of each task afterwards is one way through its states. `npm run
 * model:tasks` plays 100,000 courses.
 */

import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import fc from 'fast-check';
import { sqliteTasks } from '../../packages/parley/src/sqlite.ts';
import { memoryTasks } from '../../packages/parley/src/storage/memory-tasks.ts';
import type { StoredTask, TaskStore } from '../../packages/parley/src/storage/tasks.ts';
import { Keeper, type HeldTask } from '../../packages/parley/src/tasks/keeper.ts';
import * as machine from '../../packages/parley/src/tasks/machine.ts';
import type { TaskRecord } from '../../packages/parley/src/tasks/record.ts';
import { RecordTexts } from '../../packages/parley/src/tasks/sealed-text.ts';
import { freshTask } from '../support/task-record.ts';
import { hasEnded } from '../../packages/parley/src/protocol/task-status.ts';

const courses = Number(process.env['TASK_COURSES'] ?? 300);
const ids = ['a', 'b'] as const;
const names = [
  'claim',
  'begin',
  'ask',
  'answer',
  'say',
  'keep',
  'leave',
  'finish',
  'cancel',
  'end',
  'give back',
] as const;

/** What one process does to one task. */
const deed = fc.record({
  name: fc.constantFrom(...names),
  id: fc.constantFrom(...ids),
  by: fc.integer({ min: 0, max: 1 }),
  key: fc.constantFrom('x', 'y', 'z'),
  /** Whether the lease of a claim is over at once. */
  ends: fc.boolean(),
});
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

const fresh: TaskRecord = { ...freshTask, attempts: 2 };

/** A store, and all versions that were written of its tasks. */
function written(store: TaskStore, all: StoredTask[]): TaskStore {
  return {
    add: (task, most) => store.add(task, most),
    get: (id) => store.get(id),
    swap: async (task) => {
      const done = await store.swap(task);
      if (done) all.push(task);
      return done;
    },
    claim: async (queue, by) => {
      const tasks = await store.claim(queue, by);
      all.push(...tasks);
      return tasks;
    },
    renew: (leases, forMs) => store.renew(leases, forMs),
    list: (of, after, most) => store.list(of, after, most),
    sweep: (most) => store.sweep(most),
  };
}

/** What a process knows of the tasks that it claimed. */
type Held = Map<string, HeldTask>;

async function done({ name, id, key, ends }: Deed, keeper: Keeper, held: Held): Promise<void> {
  const mine = held.get(id);
  const holder = (epoch: number): machine.Actor => ({ epoch, ...(mine === undefined ? {} : { by: mine.epoch }) });
  const change = async (step: (kept: HeldTask) => machine.Next): Promise<void> => void (await keeper.change(id, step));
  const question = { method: 'roots/list', params: {}, digest: key } as const;
  const steps: Readonly<Record<Exclude<Deed['name'], 'claim'>, (kept: HeldTask) => machine.Next>> = {
    begin: ({ record, epoch }) => (mine?.epoch === epoch ? machine.claimed(record) : 'fenced'),
    ask: ({ record, epoch }) => machine.asked(record, { [key]: question }, holder(epoch), 1),
    answer: ({ record }) => machine.replied(record, { [key]: { answer: {} } }, 1),
    say: ({ record, epoch }) => machine.said(record, key, holder(epoch), 1),
    keep: ({ record, epoch }) => machine.kept(record, { [key]: { result: 1 } }, holder(epoch)),
    leave: ({ record, epoch }) => machine.left(record, holder(epoch), 1),
    finish: ({ record, epoch }) => machine.finished(record, { result: {} }, holder(epoch), 1),
    cancel: ({ record }) => machine.cancelled(record, 1),
    end: ({ record }) => machine.leaseEnded(record, 1),
    'give back': ({ record, epoch }) => machine.givenBack(record, holder(epoch)),
  };
  if (name !== 'claim') return await change(steps[name]);
  for (const kept of await keeper.claim('node', ends ? 0 : 1e9, 2)) held.set(kept.record.id, kept);
}

/** What was written of one task, in the order of its versions. */
function judge(id: string, all: readonly StoredTask[]): void {
  const versions = all.filter((task) => task.id === id).toSorted((one, other) => one.version - other.version);
  let before: StoredTask = {
    id,
    queue: 'q',
    owner: '',
    version: 1,
    epoch: 0,
    open: true,
    text: JSON.stringify({ ...fresh, id }),
  };
  const answered = new Set<string>();
  for (const task of versions) {
    assert.equal(task.version, before.version + 1, 'each version is written once, and none is left out');
    assert.ok(task.epoch === before.epoch || task.epoch === before.epoch + 1, 'epochs grow one by one');
    // Only the runtime writes texts.
    const [was, is] = [JSON.parse(before.text) as TaskRecord, JSON.parse(task.text) as TaskRecord];
    assert.ok(!hasEnded(was), 'what ended is never written again');
    assert.equal(task.open, !hasEnded(is));
    assert.equal(is.status === 'input_required', Object.keys(is.open).length > 0);
    for (const key of Object.keys(is.open))
      assert.ok(!answered.has(key), 'nothing is asked under a key that was answered');
    for (const key of Object.keys(is.answers)) answered.add(key);
    assert.ok(is.attempt <= is.attempts);
    before = task;
  }
}

const parts = {
  queue: 'q',
  texts: new RecordTexts(undefined),
  now: () => 0,
  outcomeTtlMs: 0,
  onError: () => undefined,
};
const kinds: Readonly<Record<string, () => TaskStore & { close?(): void }>> = {
  memory: () => memoryTasks(),
  ...(process.getBuiltinModule?.('node:sqlite') === undefined ? {} : { SQLite: () => sqliteTasks(':memory:') }),
};

for (const [kind, make] of Object.entries(kinds))
  test(`whatever two processes do at once, a task has each version once and its end for good: ${kind} [tasks-012, tasks-013, tasks-072]`, async () => {
    const turns = fc.array(fc.array(deed, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(turns, async (course) => {
        const store = make();
        const all: StoredTask[] = [];
        const keepers = [0, 1].map(() => new Keeper({ ...parts, store: written(store, all) }));
        const held: readonly Held[] = [new Map(), new Map()];
        for (const id of ids) await keepers[0]?.add({ ...fresh, id }, 0, 9);
        for (const deeds of course)
          await Promise.all(
            deeds.map(async (one) => {
              const [keeper, known] = [keepers[one.by], held[one.by]];
              if (keeper !== undefined && known !== undefined) await done(one, keeper, known);
            }),
          );
        for (const id of ids) judge(id, all);
        store.close?.();
      }),
      { numRuns: courses },
    );
  });
