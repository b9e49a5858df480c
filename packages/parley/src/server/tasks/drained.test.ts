/** Runs that take their time: leases that are renewed, and drains that wait. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begun, led, statusOf, textOf } from '../../../../../test/support/engine-led.ts';
import { settle } from '../../../../../test/support/raw.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

test('a drain waits for a run that ends in time, and its result stays', async (t) => {
  const { opened, open } = gate();
  const one = await led(t, { store: memoryTasks() }, { run: () => opened.then(() => 'done') });
  const taskId = await begun(one);
  let isOver = false;
  const drained = one.server.tasks.drain({ timeoutMs: 60_000 }).then(() => (isOver = true));
  for (let turn = 0; turn < 10; turn++) await settle();
  assert.deepEqual([isOver, await statusOf(one, taskId)], [false, 'working']);
  open();
  await drained;
  assert.deepEqual([await statusOf(one, taskId), await textOf(one, taskId)], ['completed', 'done']);
});

test('a server is closed when the store has its running tasks back', async (t) => {
  const inner = memoryTasks();
  const { opened, open } = gate();
  let isHeld = false;
  const store: typeof inner = {
    ...inner,
    swap: async (task) => {
      if (isHeld) await opened;
      return await inner.swap(task);
    },
  };
  const one = await led(t, { store }, { run: () => new Promise(() => undefined) });
  await begun(one);
  isHeld = true;
  let isOver = false;
  const closed = one.server.close().then(() => (isOver = true));
  for (let turn = 0; turn < 10; turn++) await settle();
  assert.equal(isOver, false);
  open();
  await closed;
});

test('a drain waits for a task that is just being claimed, which is given back', async (t) => {
  const inner = memoryTasks();
  const { opened, open } = gate();
  let claims = 0;
  const store: typeof inner = {
    ...inner,
    swap: async (task) => {
      if (claims++ === 0) await opened;
      return await inner.swap(task);
    },
  };
  let runs = 0;
  const one = await led(t, { store }, { run: () => ++runs });
  const taskId = await begun(one);
  let isOver = false;
  const drained = one.server.tasks.drain({ timeoutMs: 60_000 }).then(() => (isOver = true));
  for (let turn = 0; turn < 10; turn++) await settle();
  assert.deepEqual([claims, isOver], [1, false]);
  open();
  await drained;
  assert.deepEqual([runs, await statusOf(one, taskId)], [0, 'working']);
});

test('a run keeps its task for as long as its process renews the lease', async (t) => {
  const clock = { now: 0 };
  t.mock.method(performance, 'now', () => clock.now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { opened, open } = gate();
  let runs = 0;
  const run = async (ctx: { once(key: string, effect: () => string): Promise<string> }): Promise<string> => {
    runs++;
    await opened;
    return await ctx.once('effect', () => 'done');
  };
  const store = memoryTasks({ now: () => clock.now });
  const one = await led(t, { store, leaseTtlMs: 3_000 } as never, { run: run as never });
  const taskId = await begun(one);
  for (let step = 0; step < 40; step++) {
    clock.now += 500;
    t.mock.timers.tick(500);
    for (let turn = 0; turn < 3; turn++) await settle();
  }
  open();
  for (let turn = 0; turn < 20; turn++) await settle();
  assert.deepEqual([await statusOf(one, taskId), runs, one.faults], ['completed', 1, []]);
});
