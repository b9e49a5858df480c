/** One server behind a bridge: what it is offered as, and what goes on without any client. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBridge } from '../../bridge.ts';
import { bridgeTo, clientOf } from '../../../../../test/support/bridged.ts';
import {
  begun,
  clientAt,
  core,
  createdAs,
  newest,
  scripted,
  taskOf,
} from '../../../../../test/support/bridged-tasks.ts';
import { hurried } from '../../../../../test/support/hurried.ts';
import { settle } from '../../../../../test/support/raw.ts';
import { until } from '../../../../../test/support/turns.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';

test('tasks are listed only if each client has a connection to the server that is its own', async (t) => {
  const authorization = { context: () => 'somebody' };
  for (const [more, options, isListed] of [
    [{}, {}, true],
    [{ authorization }, {}, false],
    [{}, { sharing: 'shared' }, false],
  ] as const) {
    const bridge = await bridgeTo(t, { ...scripted(core), ...more }, options);
    const { tasks } = (await clientOf(t, bridge, core)).capabilities;
    assert.equal(tasks?.list !== undefined, isListed);
  }
});

test('a bridge follows the tasks of an earlier one without waiting for a client', async (t) => {
  hurried(t);
  const store = memoryTasks();
  const upstream = () =>
    scripted(newest, {
      'tools/call': { ...createdAs(newest, 'upstream-task-1'), pollIntervalMs: 5 },
      'tasks/get': { ...taskOf('upstream-task-1'), pollIntervalMs: 5 },
    });
  const first = await createBridge({ upstream: upstream(), tasks: { store } });
  const { taskId } = await begun(await clientAt(first, core), core);
  while ((await store.get(String(taskId)))?.text.includes('"begun"') !== true) await settle();
  await first.close();
  const second = upstream();
  await bridgeTo(t, second, { tasks: { store } });
  await until(() => second.methods.includes('tasks/get'), 'the task is followed');
});
