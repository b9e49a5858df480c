import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshTask } from '../../../../test/support/task-record.ts';
import { until } from '../../../../test/support/turns.ts';
import type { Bus } from '../storage/bus.ts';
import { memoryTasks } from '../storage/memory-tasks.ts';
import type { TaskStore } from '../storage/tasks.ts';
import { eventually } from '../testing/tasks/checks.ts';
import { Keeper } from './keeper.ts';
import { cancelled } from './machine.ts';
import { RecordTexts } from './sealed-text.ts';

function keeperOf(store: TaskStore, queue = 'q'): Keeper {
  const texts = new RecordTexts(undefined);
  return new Keeper({ store, queue, texts, now: () => 0, outcomeTtlMs: 0, onError: () => undefined });
}

test('two servers of one process that share a store hear of each other', async (t) => {
  const store = memoryTasks();
  const [one, other] = [1, 2].map(() => keeperOf(store)) as [Keeper, Keeper];
  t.after(() => Promise.all([one.close(), other.close()]));
  await one.add(freshTask, 0, 10);
  const heard = new Promise<unknown>((resolve) => other.hear(freshTask.id, resolve));
  await one.change(freshTask.id, ({ record }) => cancelled(record, 1));
  assert.equal(await heard, undefined, 'it is told that somebody else changed it');
});

/** A store whose bus loses every text, beside what tells that it did. */
function deafStore(fails = 0): { readonly store: TaskStore; gap(): void } {
  const gaps: (() => void)[] = [];
  let failures = 0;
  const bus: Bus = {
    publish: () => 0,
    subscribe(_channel, _hear, onGap) {
      if (failures++ < fails) throw new Error('away');
      if (onGap !== undefined) gaps.push(onGap);
      return () => undefined;
    },
  };
  return { store: { ...memoryTasks(), bus }, gap: () => gaps.forEach((tell) => tell()) };
}

test('a change that a bus may have lost is seen when it says so', async (t) => {
  const { store, gap } = deafStore();
  const [one, other] = [keeperOf(store), keeperOf(store)];
  t.after(() => Promise.all([one.close(), other.close()]));
  await one.add(freshTask, 0, 10);
  const kept = (await other.read(freshTask.id)) ?? assert.fail('it is there');
  const seen: unknown[] = [];
  t.after(other.watch(kept, (now) => seen.push(now?.record.status)));
  await new Promise(setImmediate);
  await one.change(freshTask.id, ({ record }) => cancelled(record, 1));
  await new Promise(setImmediate);
  assert.deepEqual(seen, []);
  gap();
  await eventually('it is seen', async () => seen.length > 0);
  assert.deepEqual(seen, ['cancelled']);
});

test('a bus that could not be heard is tried again for who waits, and what it lost meanwhile is seen', async (t) => {
  const { store } = deafStore(1);
  const [one, other] = [keeperOf(store), keeperOf(store)];
  t.after(() => Promise.all([one.close(), other.close()]));
  await one.add(freshTask, 0, 10);
  const kept = (await other.read(freshTask.id)) ?? assert.fail('it is there');
  const seen: unknown[] = [];
  t.after(other.watch(kept, (now) => seen.push(now?.record.status)));
  await one.change(freshTask.id, ({ record }) => cancelled(record, 1));
  await eventually('it is seen', async () => seen.length > 0);
  assert.deepEqual(seen, ['cancelled']);
});

test('a task is out of reach of whoever has another queue of the same store', async () => {
  const store = memoryTasks();
  const [one, other] = [keeperOf(store), keeperOf(store, 'other')];
  await one.add(freshTask, 0, 10);
  const { id } = freshTask;
  for (const way of ['read', 'look', 'demand'] as const) assert.equal(await other[way](id), undefined, way);
  assert.equal(await other.change(id, ({ record }) => cancelled(record, 1)), 'unknown');
  assert.equal((await one.read(id))?.record.status, 'working');
});

test('whoever looks at a task sees one record until it changes, and whoever reads it has one of his own', async () => {
  const keeper = keeperOf(memoryTasks());
  await keeper.add(freshTask, 0, 10);
  const { id } = freshTask;
  const [first, again] = [await keeper.look(id), await keeper.look(id)];
  assert.equal(first?.record, again?.record);
  assert.deepEqual(first?.record, freshTask);
  assert.notEqual((await keeper.read(id))?.record, first?.record);
  await keeper.change(id, ({ record }) => cancelled(record, 1));
  assert.equal((await keeper.look(id))?.record.status, 'cancelled');
});

test('of all tasks that are looked at the last 64 are remembered, and none that is long', async () => {
  const texts = new RecordTexts(undefined);
  const seen = async (id: string, more = ''): Promise<unknown> =>
    await texts.seenAs(id, JSON.stringify({ ...freshTask, id, statusMessage: more }));
  const first = await seen('0');
  for (let at = 1; at < 64; at++) await seen(String(at));
  assert.equal(await seen('0'), first);
  await seen('64');
  assert.notEqual(await seen('0'), first);
  const long = 'x'.repeat(20_000);
  assert.notEqual(await seen('long', long), await seen('long', long));
});

test('who cannot make sense of a change undoes it for nobody, here or in another process', async (t) => {
  const faults: string[] = [];
  const onError = (error: unknown, where: string): void => void faults.push(`${where}: ${String(error)}`);
  const store = memoryTasks();
  const parts = { store, queue: 'q', texts: new RecordTexts(undefined), now: () => 0, outcomeTtlMs: 0, onError };
  const [one, other] = [new Keeper(parts), new Keeper(parts)];
  t.after(() => Promise.all([one.close(), other.close()]));
  const added = await one.add(freshTask, 0, 10);
  assert.ok(typeof added === 'object');
  const hard = (): never => {
    throw new RangeError('no');
  };
  let heard = (): void => undefined;
  const told = new Promise<void>((resolve) => (heard = resolve));
  one.watch(added, hard);
  one.hear(freshTask.id, heard);
  other.watch(added, hard);
  const changed = await one.change(freshTask.id, ({ record }) => cancelled(record, 1));
  assert.equal(typeof changed, 'object');
  await told;
  await until(() => faults.length === 2, 'both were told');
  assert.deepEqual(faults, Array(2).fill('telling of a task: RangeError: no'));
});

test('a watch reports each version of a task once, and none after its end', async () => {
  const keeper = keeperOf(memoryTasks());
  const added = await keeper.add(freshTask, 0, 10);
  assert.ok(typeof added === 'object');
  const seen: unknown[] = [];
  const end = keeper.watch(added, (now) => seen.push(now?.record.statusMessage));
  const say = async (statusMessage: string): Promise<void> => {
    await keeper.change(freshTask.id, ({ record }) => ({ ...record, statusMessage }));
    // What was seen already is read again.
    keeper.lookAgain(freshTask.id);
    await new Promise(setImmediate);
  };
  keeper.lookAgain(freshTask.id);
  await new Promise(setImmediate);
  assert.deepEqual(seen, []);
  await say('half');
  await say('done');
  assert.deepEqual(seen, ['half', 'done']);
  end();
  await say('more');
  assert.deepEqual(seen, ['half', 'done']);
  await keeper.close();
});

test('a keeper is closed when its bus has ended, or did not for a second', async (t) => {
  for (const isSlow of [false, true]) {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let end!: () => void;
    const ending = new Promise<void>((resolve) => (end = resolve));
    const bus: Bus = { publish: () => 0, subscribe: () => async () => await ending };
    const keeper = keeperOf({ ...memoryTasks(), bus });
    keeper.hear(freshTask.id, () => undefined)();
    await new Promise(setImmediate);
    let isClosed = false;
    const closing = keeper.close().then(() => (isClosed = true));
    t.mock.timers.tick(999);
    await new Promise(setImmediate);
    assert.equal(isClosed, false);
    if (isSlow) t.mock.timers.tick(1);
    else end();
    await closing;
    t.mock.timers.reset();
  }
});

test('an owner is listed no task of another, whatever its store takes for the same', async () => {
  const store = memoryTasks();
  const vague: TaskStore = { ...store, list: (of, after, most) => store.list({ ...of, owner: 'ann' }, after, most) };
  const keeper = keeperOf(vague);
  await keeper.add({ ...freshTask, owner: 'ann' }, 0, 10);
  assert.equal((await keeper.list('ann', undefined, 10)).records.length, 1);
  assert.equal((await keeper.list('bob', undefined, 10)).records.length, 0);
});

test('a sealed task is opened once for those who look at it', async () => {
  let opened = 0;
  const seal = {
    seal: async (text: string) => `sealed ${text}`,
    open: async (text: string) => (opened++, text.slice('sealed '.length)),
    sealAlike: async (text: string) => `sealed ${text}`,
    isNewest: async () => true,
  };
  const texts = new RecordTexts(seal);
  const text = await texts.textOf(freshTask);
  assert.equal(await texts.seenAs(freshTask.id, text), await texts.seenAs(freshTask.id, text));
  assert.equal(opened, 1);
});
