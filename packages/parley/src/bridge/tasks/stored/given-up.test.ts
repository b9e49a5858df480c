/** A call that its client gives up before it is a task leaves no task that runs. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { bridgeTo } from '../../../../../../test/support/bridged.ts';
import { core, newest, scripted } from '../../../../../../test/support/bridged-tasks.ts';
import { open, settle, type Json } from '../../../../../../test/support/raw.ts';
import { until } from '../../../../../../test/support/turns.ts';
import type { Servable } from '../../../server/runtime/request-handler.ts';
import { createServer } from '../../../server/server.ts';
import { memoryTasks } from '../../../storage/memory-tasks.ts';
import type { TaskStore } from '../../../storage/tasks.ts';

/** A store that adds a task when the test lets it. */
function slowStore() {
  const store = memoryTasks();
  const adding: (() => void)[] = [];
  const slow: TaskStore = {
    ...store,
    add: async (...given) => {
      await new Promise<void>((resolve) => void adding.push(resolve));
      return await store.add(...given);
    },
  };
  return { slow, adding };
}

const auth = { principal: 'ann', scopes: [], claims: {} } as never;

interface Scene {
  readonly served: Servable;
  /** How often the tool ran. */
  called(): number;
}

async function bridged(t: TestContext, store: TaskStore): Promise<Scene> {
  const transport = scripted(newest, { 'tools/call': { content: [] } });
  const served = await bridgeTo(t, transport, { tasks: { store } });
  return { served, called: () => transport.methods.filter((method) => method === 'tools/call').length };
}

async function direct(t: TestContext, store: TaskStore): Promise<Scene> {
  let calls = 0;
  const served = createServer({ name: 's', version: '1' }, { tasks: { store } });
  t.after(() => served.close());
  served.tool('job', { task: { support: 'optional' } }, () => String(++calls));
  return { served, called: () => calls };
}

for (const [where, serve] of [
  ['a bridge', bridged],
  ['a server', direct],
] as const)
  test(`${where} cancels the task of a call that is cancelled while it is stored`, async (t) => {
    const { slow, adding } = slowStore();
    const { served, called } = await serve(t, slow);
    const raw = await open(served, core, { auth });
    const call = raw.send('tools/call', { name: 'job', task: {} }, 'given up');
    await until(() => adding.length > 0);
    await raw.notify('notifications/cancelled', { requestId: 'given up' });
    adding[0]?.();
    assert.equal(await call, undefined);
    await settle();
    const tasks = (await raw.result('tasks/list'))['tasks'] as readonly Json[];
    assert.deepEqual(
      tasks.map(({ status }) => status),
      ['cancelled'],
    );
    assert.equal(called(), 0);
  });
