import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshTask } from '../../test/support/task-record.ts';
import { memoryTasks } from '../store/memory-tasks.ts';
import type { TaskStore } from '../store/tasks.ts';
import { Keeper } from './keeper.ts';
import { cancelled } from './machine.ts';
import { RecordTexts } from './sealed-text.ts';

function keeperOf(store: TaskStore): Keeper {
  const texts = new RecordTexts(undefined);
  return new Keeper({ store, queue: 'q', texts, now: () => 0, keepMs: 0, onError: () => undefined });
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
