import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasEnded } from '../protocol/task-status.ts';
import { memoryTasks } from '../storage/memory-tasks.ts';
import type { TaskStore } from '../storage/tasks.ts';
import { taskLimits, taskTimes } from './limits.ts';
import { Tasks } from './tasks.ts';

function tasksOf(store: TaskStore): Tasks {
  return new Tasks({
    store,
    queue: 'q',
    limits: taskLimits,
    // Who misses a change would wait for an hour.
    times: { ...taskTimes, pollIntervalMs: 3_600_000 },
    now: () => 0,
    perform: () => Promise.resolve({ result: {} }),
    knows: () => true,
    onError: () => undefined,
  });
}

test('a change that another process tells of while a task is read is not missed', async (t) => {
  const store = memoryTasks();
  const hold: Promise<unknown>[] = [];
  const slow: TaskStore = {
    ...store,
    get: async (id) => {
      const stored = await store.get(id);
      await Promise.all(hold);
      return stored;
    },
  };
  const [here, there] = [tasksOf(slow), tasksOf(store)];
  t.after(() => Promise.all([here.close(), there.close()]));
  const params = { name: 'x', params: {}, revision: '2026-07-28', client: { capabilities: {} } } as const;
  const kept = await here.create(params, { owner: 'ann' });
  const { id } = kept.record;
  const told = new Promise<void>((resolve) => here.keeper.hear(id, () => resolve()));
  hold.push(told);
  const ended = here.until(kept, hasEnded, new AbortController().signal);
  await there.cancel(id, 'ann');
  assert.equal((await ended)?.record.status, 'cancelled');
});
