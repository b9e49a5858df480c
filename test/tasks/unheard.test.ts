/** Tasks of which an engine may not have heard. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { begun, engine, led, statusOf, textOf } from '../support/engine-led.ts';
import { memoryTasks } from '../../packages/parley/src/storage/memory-tasks.ts';
import type { TaskStore } from '../../packages/parley/src/storage/tasks.ts';
import type { TaskExecutor } from '../../packages/parley/src/tasks/executor.ts';

const minute = 60_000;

/** Lets the looks of all processes pass, by timers that are mocked. */
async function looks(t: TestContext): Promise<void> {
  for (let look = 0; look < 20; look++) {
    t.mock.timers.tick(2_000);
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => void setImmediate(resolve));
  }
}

test('a process with an engine runs nothing by itself, be it due or answered, and tells of it once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  let runs = 0;
  const executor = engine();
  const one = await led(t, { executor, store: memoryTasks({ now: () => now }), queue: 'q' }, { run: () => ++runs });
  const taskId = await begun(one);
  for (let turn = 0; turn < 3; turn++) {
    now += 100_000;
    await looks(t);
  }
  assert.deepEqual([runs, executor.words], [0, [`start ${taskId} q`]]);
});

/** A store as a process has it that dies when its engine is to be told: what it does from then on comes to nothing. */
function dying(store: TaskStore): {
  readonly store: TaskStore;
  readonly executor: TaskExecutor;
  readonly ids: string[];
} {
  const ids: string[] = [];
  const gone = <Given extends readonly unknown[], Result>(method: (...given: Given) => Promise<Result>) => {
    return async (...given: Given): Promise<Result> => {
      if (ids.length > 0) throw new Error('this process is gone');
      return await method(...given);
    };
  };
  const { add, get, swap, claim, renew, list, sweep } = store;
  const methods = { get: gone(get), swap: gone(swap), claim: gone(claim), renew: gone(renew), list: gone(list) };
  const start = (id: string): never => {
    ids.push(id);
    throw new Error('this process is gone');
  };
  return { store: { add, ...methods, sweep: gone(sweep) }, executor: engine({ start }), ids };
}

test('an engine is told of a task whose process ended before it told, and then no more', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const store = memoryTasks({ now: () => now });
  const { ids, ...dead } = dying(store);
  const one = await led(t, { ...dead, queue: 'q' }, { run: () => 'x' });
  await one.client.ask('tools/call', { name: 't' });
  const executor = engine();
  const two = await led(t, { executor, store, queue: 'q' }, { run: () => 'done' });
  const [taskId = ''] = ids;
  await looks(t);
  assert.deepEqual(executor.words, [], 'its maker has time to tell');
  now += 20_000;
  await looks(t);
  now += 200_000;
  await looks(t);
  assert.deepEqual(executor.words, [`start ${taskId} q`]);
  assert.equal(await two.server.tasks.run(taskId), 'ended');
  assert.equal(await textOf(two, taskId), 'done');
});

test('an engine that was away is told again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const store = memoryTasks({ now: () => now });
  const { ids, ...dead } = dying(store);
  await (await led(t, { ...dead, queue: 'q' }, { run: () => 'x' })).client.ask('tools/call', { name: 't' });
  let tries = 0;
  const start = (): void => {
    if (++tries < 3) throw new Error('away');
  };
  const two = await led(t, { executor: engine({ start }), store, queue: 'q' }, { run: () => 'x' });
  for (let turn = 0; turn < 5; turn++) {
    now += 70_000;
    await looks(t);
  }
  assert.deepEqual([ids.length, tries], [1, 3]);
  assert.deepEqual(
    two.faults,
    Array.from({ length: 2 }, () => 'the start of the executor of tasks'),
  );
});

test('an engine is told again of a task that it never called for, well before the task expires by default', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const executor = engine();
  const one = await led(t, { executor, store: memoryTasks({ now: () => now }), queue: 'q' }, { run: () => 'x' });
  const taskId = await begun(one);
  for (const at of [9, 11, 19, 22]) {
    now = at * minute;
    await looks(t);
  }
  assert.deepEqual(
    executor.words,
    Array.from({ length: 3 }, () => `start ${taskId} q`),
  );
});

test('a task whose run died is free for the engine, or failed where it may not run again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const [attempts, end] of [
    [1, 'failed'],
    [2, 'working'],
  ] as const) {
    let now = 0;
    const store = memoryTasks({ now: () => now });
    let dead = false;
    // What stands still neither renews nor looks.
    const frozen: TaskStore = {
      ...store,
      renew: async (...given) => (dead ? [] : await store.renew(...given)),
      claim: async (...given) => (dead ? [] : await store.claim(...given)),
    };
    const one = await led(
      t,
      { executor: engine(), store: frozen, queue: 'q' },
      { attempts, run: () => new Promise(() => {}) },
    );
    const taskId = await begun(one);
    void one.server.tasks.run(taskId);
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => void setImmediate(resolve));
    dead = true;
    now += 40_000;
    const executor = engine();
    const two = await led(t, { executor, store, queue: 'q' }, { attempts, run: () => 'done' });
    await looks(t);
    assert.equal(await statusOf(two, taskId), end);
    assert.deepEqual(executor.words, end === 'failed' ? [] : [`start ${taskId} q`]);
    if (end === 'working') assert.equal(await two.server.tasks.run(taskId), 'ended');
  }
});
