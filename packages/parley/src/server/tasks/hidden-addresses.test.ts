/** Addresses of clients without a principal, as a store of tasks has them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extended, taskClient } from '../../../../../test/support/task-client.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import type { StoredTask, TaskStore } from '../../storage/tasks.ts';
import { createServer, type Server } from '../server.ts';

const address = '203.0.113.7';
const keys: readonly string[] = [btoa('k'.repeat(32))];

interface Kept {
  readonly store: TaskStore;
  readonly added: StoredTask[];
}

function kept(): Kept {
  const inner = memoryTasks();
  const added: StoredTask[] = [];
  const add: TaskStore['add'] = (task, most) => {
    added.push(task);
    return inner.add(task, most);
  };
  const store = new Proxy(inner, {
    get: (target, name) => {
      if (name === 'add') return add;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { store, added };
}

function serverOf(store: TaskStore, own: { readonly keys?: readonly string[] }): Server {
  const server = createServer({ name: 's', version: '1' }, { tasks: { store, ...own, limits: { ofNobody: 4 } } });
  server.tool('t', { task: 'required' }, async () => await new Promise<never>(() => undefined));
  return server;
}

for (const own of [{ keys }, {}])
  test(`an address is ${'keys' in own ? 'encrypted with keys' : 'readable without keys'}, and counted`, async (t) => {
    const { store, added } = kept();
    // Processes that share the store count the tasks of one address together.
    const servers = [serverOf(store, own), serverOf(store, own)];
    t.after(() => Promise.all(servers.map((server) => server.close())));
    const outcomes: unknown[] = [];
    for (const server of [...servers, ...servers]) {
      const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended, address });
      outcomes.push((await client.ask('tools/call', { name: 't' }))['code'] ?? 'added');
    }
    assert.deepEqual(outcomes, ['added', 'added', -32603, -32603]);
    assert.equal(JSON.stringify(added).includes(address), !('keys' in own));
    assert.equal(new Set(added.map(({ share }) => share)).size, 1);
  });
