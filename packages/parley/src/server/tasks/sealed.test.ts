import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { extended, taskClient, whenTask, type TaskClient } from '../../../../../test/support/task-client.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import type { StoredTask, TaskStore } from '../../storage/tasks.ts';
import { createServer, type Server } from '../server.ts';
import type { ServerOptions } from '../definition/options.ts';

type Json = Readonly<Record<string, unknown>>;

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const key = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);

interface Sealed {
  readonly server: Server;
  readonly client: TaskClient;
  readonly faults: string[];
}

async function sealed(t: TestContext, store: TaskStore, keys: readonly Uint8Array[] | undefined): Promise<Sealed> {
  const faults: string[] = [];
  const tasks: ServerOptions['tasks'] = { store, ...(keys === undefined ? {} : { keys }) };
  const server = createServer(
    { name: 's', version: '1' },
    { tasks, rateLimits: { tasks: { perSecond: 1e6, burst: 1e6 } }, onError: (error) => faults.push(String(error)) },
  );
  t.after(() => (t.mock.timers.reset(), server.close()));
  const input = { type: 'object', properties: { text: { type: 'string' } } } as const;
  server.tool('t', { input, task: 'required' }, async (_, ctx) => {
    await ctx.once('load', () => 'kept-word');
    const { action, content } = await ctx.elicit({ message: 'question-word', schema: form });
    return `outcome-word ${action} ${content?.name ?? ''}`;
  });
  const options = { revision: '2026-07-28', capabilities: extended, principal: 'ann' } as const;
  return { server, client: await taskClient(server, options), faults };
}

/** A store that remembers all that was written. */
function watched(): { readonly store: TaskStore; readonly written: StoredTask[] } {
  const store = memoryTasks();
  const written: StoredTask[] = [];
  return {
    written,
    store: {
      ...store,
      add: (task, most) => (written.push(task), store.add(task, most)),
      swap: (task) => (written.push(task), store.swap(task)),
    },
  };
}

async function begun({ client }: Sealed): Promise<string> {
  return String((await client.ask('tools/call', { name: 't', arguments: { text: 'argument-word' } }))['taskId']);
}

async function answered({ client }: Sealed, taskId: string): Promise<Json> {
  const { inputRequests } = await whenTask(client, taskId, ({ status }) => status === 'input_required');
  const [name = ''] = Object.keys(inputRequests as Json);
  const answer = { action: 'accept', content: { name: 'answer-word' } };
  await client.ask('tasks/update', { taskId, inputResponses: { [name]: answer } });
  return await whenTask(client, taskId, ({ status }) => status === 'completed');
}

test('with keys nothing that was said of a task is readable in its store, at any time', async (t) => {
  const { store, written } = watched();
  const one = await sealed(t, store, [key(1)]);
  const ended = await answered(one, await begun(one));
  assert.match(JSON.stringify(ended), /outcome-word accept answer-word/);
  assert.ok(written.length >= 5, `${written.length} writes`);
  for (const { text } of written) assert.match(text, /^[\w-]+$/);
});

test('a task goes on under a new key that stands before the old one', async (t) => {
  const { store } = watched();
  const old = await sealed(t, store, [key(1)]);
  const taskId = await begun(old);
  await whenTask(old.client, taskId, ({ status }) => status === 'input_required');
  await old.server.tasks.drain({ timeoutMs: 0 });
  const both = await sealed(t, store, [key(2), key(1)]);
  assert.equal((await answered(both, taskId))['status'], 'completed');
  assert.deepEqual(both.faults, []);
  const fresh = await sealed(t, store, [key(2)]);
  assert.equal((await fresh.client.ask('tasks/get', { taskId }))['status'], 'completed');
});

test('a task that no key opens is unknown to its client, and told to the operator', async (t) => {
  const { store } = watched();
  const one = await sealed(t, store, [key(1)]);
  const taskId = await begun(one);
  await whenTask(one.client, taskId, ({ status }) => status === 'input_required');
  for (const keys of [[key(2)], undefined]) {
    const other = await sealed(t, store, keys);
    const unknown = await other.client.ask('tasks/get', { taskId: 'x'.repeat(24) });
    assert.deepEqual(await other.client.ask('tasks/get', { taskId }), unknown);
    assert.deepEqual(await other.client.ask('tasks/cancel', { taskId }), unknown);
    assert.match(other.faults[0] ?? '', new RegExp(`task ${taskId} cannot be read: .* tasks\\.keys`));
  }
});

test('a task that was kept without keys is not taken where there are some', async (t) => {
  const { store } = watched();
  const plain = await sealed(t, store, undefined);
  const taskId = await begun(plain);
  const other = await sealed(t, store, [key(1)]);
  assert.equal((await other.client.ask('tasks/get', { taskId }))['code'], -32602);
  assert.match(other.faults[0] ?? '', /it is not sealed, though there are tasks\.keys/);
});

test('what was sealed for one task does not open as another', async (t) => {
  const { store } = watched();
  const one = await sealed(t, store, [key(1)]);
  const [first, second] = [await begun(one), await begun(one)];
  await whenTask(one.client, second, ({ status }) => status === 'input_required');
  const [from, to] = [await store.get(first), await store.get(second)];
  assert.ok(from !== undefined && to !== undefined);
  assert.equal(await store.swap({ ...to, version: to.version + 1, dueInMs: undefined, text: from.text }), true);
  assert.equal((await one.client.ask('tasks/get', { taskId: second }))['code'], -32602);
});

test('a task that cannot be read is put back when it is claimed, and holds up no other', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const store = memoryTasks({ now: () => now });
  const stored = { queue: 's', owner: '', version: 1, epoch: 0, open: true, dueInMs: 0 };
  for (const id of ['a', 'b']) await store.add({ ...stored, id: id.repeat(24), text: 'AQ' }, 10);
  const { client, faults } = await sealed(t, store, [key(1)]);
  await client.ask('tasks/get', { taskId: 'x'.repeat(24) });
  t.mock.timers.tick(2_200);
  for (let turn = 0; turn < 10_000 && faults.length < 2; turn++)
    await new Promise((resolve) => void setImmediate(resolve));
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => void setImmediate(resolve));
  assert.equal(faults.length, 2);
  // They are due again in a minute.
  now = 59_000;
  assert.deepEqual(await store.claim('s', { node: 'n', forMs: 1, most: 10 }), []);
  now = 60_000;
  assert.equal((await store.claim('s', { node: 'n', forMs: 1, most: 10 })).length, 2);
});

test('a task whose text was damaged is unknown to its client, and holds up no other', async (t) => {
  const { store } = watched();
  const one = await sealed(t, store, undefined);
  const [broken, other] = [await begun(one), await begun(one)];
  await whenTask(one.client, broken, ({ status }) => status === 'input_required');
  await whenTask(one.client, other, ({ status }) => status === 'input_required');
  await one.server.tasks.drain({ timeoutMs: 0 });
  const kept = await store.get(broken);
  assert.ok(kept !== undefined);
  const { id: _, ...nameless } = JSON.parse(kept.text) as Json;
  for (const [at, text] of ['{', JSON.stringify(nameless), '{}'].entries()) {
    assert.equal(await store.swap({ ...kept, version: kept.version + 1 + at, dueInMs: 0, text }), true);
    const { client, faults } = await sealed(t, store, undefined);
    assert.equal((await client.ask('tasks/get', { taskId: broken }))['code'], -32602, text);
    assert.match(faults[0] ?? '', new RegExp(`task ${broken} cannot be read: the stored text is damaged`));
  }
  const last = await sealed(t, store, undefined);
  assert.equal((await answered(last, other))['status'], 'completed');
});

test('keys that are none are refused at once', () => {
  const info = { name: 's', version: '1' };
  assert.throws(() => createServer(info, { tasks: { keys: [] } }), /tasks\.keys needs a key at least/);
  assert.throws(() => createServer(info, { tasks: { keys: [new Uint8Array(16)] } }), /must be 32 bytes/);
});
