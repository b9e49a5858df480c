import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extended, taskClient, whenTask, type TaskClient } from '../../../../../test/support/task-client.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import type { StoredTask, TaskStore } from '../../storage/tasks.ts';
import { createServer, type Server } from '../server.ts';
import type { ServerOptions } from '../definition/options.ts';

type Json = Readonly<Record<string, unknown>>;

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const newest = { revision: '2026-07-28', capabilities: extended } as const;
const core = { revision: '2025-11-25', capabilities: { elicitation: {} } } as const;

function serverWith(tasks: ServerOptions['tasks'] = {}): Server {
  return createServer({ name: 's', version: '1' }, { tasks, rateLimits: { tasks: { perSecond: 1e6, burst: 1e6 } } });
}

/** A promise, and what settles it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0));
}

async function begun(client: TaskClient, wish: Json = {}): Promise<string> {
  const result = await client.ask('tools/call', { name: 't', ...wish });
  return String(result['taskId'] ?? (result['task'] as Json)['taskId']);
}

test('a tool that is a task at once is for callers with its scopes alone', async (t) => {
  const server = serverWith();
  t.after(() => server.close());
  let runs = 0;
  server.tool('t', { task: { support: 'optional', after: 0 }, scopes: ['admin'] }, () => String(runs++));
  for (const options of [newest, core]) {
    const client = await taskClient(server, { ...options, principal: 'ann', network: 'tcp' });
    const { code, message } = await client.ask('tools/call', { name: 't', task: {} });
    assert.deepEqual([code, message], [-32600, 'insufficient scope: this needs admin']);
  }
  await turn();
  assert.equal(runs, 0);
});

test('no more runs begin at once than may', async (t) => {
  const server = serverWith({ limits: { running: 2 } });
  t.after(() => server.close());
  const [end, enough] = [gate(), gate()];
  let [now, most, all] = [0, 0, 0];
  server.tool('t', { task: 'required' }, async () => {
    most = Math.max(most, ++now);
    await end.opened;
    now--;
    if (++all === 20) enough.open();
    return 'x';
  });
  // One address would have a share of what may run.
  const client = await taskClient(server, { ...newest, address: null });
  await Promise.all(Array.from({ length: 20 }, async () => await begun(client)));
  for (let turns = 0; turns < 5; turns++) await turn();
  assert.equal(most, 2);
  end.open();
  await enough.opened;
  assert.equal(most, 2);
});

test('a request that waits for a task ends with it, and takes its question back from the client', async (t) => {
  const server = serverWith();
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, async (_, ctx) => (await ctx.elicit({ message: 'a', schema: form })).action);
  const asked = gate();
  const heard: Json[] = [];
  const conversation = server.endpoint.openConnection({
    lasting: true,
    network: 'inproc',
    send: (message) => {
      heard.push({ ...message });
      // It is never answered.
      if ('method' in message && message.method === 'elicitation/create') asked.open();
    },
  });
  t.after(() => conversation.close());
  let id = 0;
  const ask = async (method: string, params: Json): Promise<Json> => {
    const response = await conversation.receive({ jsonrpc: '2.0', id: ++id, method, params: { ...params } });
    return { ...response };
  };
  const clientInfo = { name: 'c', version: '1' };
  await ask('initialize', { protocolVersion: core.revision, capabilities: core.capabilities, clientInfo });
  await conversation.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { result } = await ask('tools/call', { name: 't', task: {} });
  const { taskId } = (result as Json)['task'] as Json;
  const ended = ask('tasks/result', { taskId });
  await asked.opened;
  await ask('tasks/cancel', { taskId });
  const { error } = await ended;
  assert.deepEqual([(error as Json)['code'], (error as Json)['message']], [-32603, 'the task was cancelled']);
  const question = heard.find(({ method }) => method === 'elicitation/create');
  const back = heard.find(({ method }) => method === 'notifications/cancelled');
  assert.equal((back?.['params'] as Json | undefined)?.['requestId'], question?.['id']);
});

test('a call that becomes a task runs once, also where the store fails right after', async (t) => {
  const store = memoryTasks();
  const [end, kept] = [gate(), gate()];
  const flaky: TaskStore = {
    ...store,
    add: async (task, most) => {
      await store.add(task, most);
      kept.open();
      // It is there, and nobody is told.
      throw new Error('the connection is gone');
    },
  };
  const server = serverWith({ store: flaky });
  t.after(() => server.close());
  server.tool('t', { task: { support: 'optional', after: 0.1 } }, async () => {
    await end.opened;
    return 'x';
  });
  const client = await taskClient(server, newest);
  const call = client.ask('tools/call', { name: 't' });
  await kept.opened;
  end.open();
  assert.equal((await call)['resultType'], 'complete');
  // Whoever looks for work finds none that is due within a lease.
  assert.deepEqual(await store.claim('s', { node: 'other', forMs: 1000, most: 10 }), []);
});

test('what is being claimed when a server drains does not run, and is given back', async (t) => {
  const store = memoryTasks();
  const [claims, go] = [gate(), gate()];
  const slow: TaskStore = {
    ...store,
    swap: async (task) => {
      claims.open();
      await go.opened;
      return await store.swap(task);
    },
  };
  const server = serverWith({ store: slow });
  t.after(() => server.close());
  let runs = 0;
  server.tool('t', { task: 'required' }, () => String(runs++));
  const client = await taskClient(server, newest);
  const taskId = await begun(client);
  await claims.opened;
  const drained = server.tasks.drain({ timeoutMs: 0 });
  go.open();
  await drained;
  await turn();
  const text = (await store.get(taskId))?.text ?? '';
  assert.deepEqual([runs, /"hand":"queued".*"replays":true/.test(text)], [0, true]);
});

test('words are written once an interval, and those that came last are not lost', async (t) => {
  const store = memoryTasks();
  let swaps = 0;
  const counting: TaskStore = { ...store, swap: async (task) => (swaps++, await store.swap(task)) };
  const server = serverWith({ store: counting, pollIntervalMs: 60_000 });
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, async (_, ctx) => {
    for (let done = 0; done <= 1000; done++) ctx.progress(done, 1000);
    await turn();
    for (let done = 1001; done <= 2000; done++) ctx.progress(done, 2000);
    return 'x';
  });
  const client = await taskClient(server, newest);
  const taskId = await begun(client);
  const task = await whenTask(client, taskId, ({ status }) => status === 'completed');
  assert.equal(task['statusMessage'], '2000 of 2000');
  // The claim, the first words, and the end with the last.
  assert.ok(swaps <= 4, `${swaps} writes`);
});

test('a client of 2025-11-25 is told of what it can see alone', async (t) => {
  const server = serverWith();
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, async (_, ctx) => {
    for (const key of ['a', 'b', 'c']) await ctx.once(key, () => 1);
    return 'x';
  });
  const client = await taskClient(server, core);
  await client.ask('tasks/result', { taskId: await begun(client, { task: {} }) });
  const told = client.heard.filter(({ method }) => method === 'notifications/tasks/status');
  assert.deepEqual(
    told.map(({ params }) => (params as Json)['status']),
    ['completed'],
  );
});

test('arguments that are longer than a task keeps make no task', async (t) => {
  const server = serverWith({ limits: { textLength: 300 } });
  t.after(() => server.close());
  const input = { type: 'object', properties: { text: { type: 'string' } } } as const;
  server.tool('t', { input, task: 'required' }, () => 'x');
  server.tool('later', { input, task: { support: 'optional', after: 0.1 } }, async (_, ctx) => {
    await ctx.background();
    return String(ctx.task?.id);
  });
  const client = await taskClient(server, newest);
  const { code, data } = await client.ask('tools/call', { name: 't', arguments: { text: 'x'.repeat(300) } });
  assert.deepEqual([code, data], [-32603, { limit: 300 }]);
  const { content } = await client.ask('tools/call', { name: 'later', arguments: { text: 'x'.repeat(300) } });
  assert.deepEqual(content, [{ type: 'text', text: 'undefined' }]);
});

test('what is no id of a task reaches no store', async (t) => {
  const store = memoryTasks();
  const asked: string[] = [];
  const server = serverWith({ store: { ...store, get: async (id) => (asked.push(id), await store.get(id)) } });
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, () => 'x');
  const client = await taskClient(server, newest);
  for (const taskId of ['a\0b', 'x'.repeat(10_000), '', '../../..'])
    assert.equal((await client.ask('tasks/get', { taskId }))['code'], -32602);
  assert.deepEqual(asked, []);
});

test('a listener hears of what changed while its tasks were looked up', async (t) => {
  const store = memoryTasks();
  const [end, looked, go] = [gate(), gate(), gate()];
  let slow = '';
  const server = serverWith({
    store: {
      ...store,
      get: async (id) => {
        const found = await store.get(id);
        if (id === slow) {
          slow = '';
          looked.open();
          await go.opened;
        }
        return found;
      },
    },
  });
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, async () => {
    await end.opened;
    return 'x';
  });
  const client = await taskClient(server, newest);
  const taskId = await begun(client);
  const listener = await taskClient(server, newest);
  slow = taskId;
  const listening = listener.ask('subscriptions/listen', { notifications: { taskIds: [taskId] } });
  listening.catch(() => undefined);
  await looked.opened;
  end.open();
  await whenTask(client, taskId, ({ status }) => status === 'completed');
  go.open();
  const last = (): unknown => (listener.heard.at(-1)?.['params'] as Json | undefined)?.['status'];
  for (let turns = 0; turns < 100 && last() !== 'completed'; turns++) await turn();
  assert.equal(last(), 'completed');
  listener.close();
});

test('a tool that becomes a task by an update is served as one', async (t) => {
  const server = serverWith();
  t.after(() => server.close());
  const tool = server.tool('t', {}, () => 'x');
  tool.update({ task: 'required' });
  tool.disable();
  assert.equal(tool.enabled, false);
  tool.enable();
  const client = await taskClient(server, newest);
  await whenTask(client, await begun(client), ({ status }) => status === 'completed');
});

test('the end of its work does not abort a task: nobody cancelled it', async (t) => {
  const server = serverWith();
  t.after(() => server.close());
  let signal: AbortSignal | undefined;
  server.tool('t', { task: 'required' }, (_, ctx) => {
    ({ signal } = ctx);
    return 'x';
  });
  const client = await taskClient(server, newest);
  await whenTask(client, await begun(client), ({ status }) => status === 'completed');
  await turn();
  assert.equal(signal?.aborted, false);
});

test('a run that does not end while its server drains is aborted', async (t) => {
  const server = serverWith();
  t.after(() => server.close());
  const runs = gate();
  let signal: AbortSignal | undefined;
  server.tool('t', { task: 'required' }, async (_, ctx) => {
    ({ signal } = ctx);
    runs.open();
    return await new Promise<never>(() => undefined);
  });
  const client = await taskClient(server, newest);
  const taskId = await begun(client);
  await runs.opened;
  await server.tasks.drain({ timeoutMs: 0 });
  assert.equal(signal?.aborted, true);
  assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'failed');
});

test('a task that is cancelled while another process claims it is not written again', async (t) => {
  const store = memoryTasks();
  const [claims, goesOn, looks] = [gate(), gate(), gate()];
  let claimed: readonly StoredTask[] = [];
  const slow: TaskStore = {
    ...store,
    get: async (id) => {
      if (claimed.length > 0) looks.open();
      return await store.get(id);
    },
    claim: async (queue, by) => {
      claimed = await store.claim(queue, by);
      if (claimed.length > 0) {
        claims.open();
        await goesOn.opened;
      }
      return claimed;
    },
  };
  const first = serverWith({ store, limits: { running: 0 } });
  const second = serverWith({ store: slow });
  for (const server of [first, second]) {
    t.after(() => server.close());
    server.tool('t', { task: 'required' }, () => 'x');
  }
  const client = await taskClient(first, newest);
  const id = await begun(client);
  // It is the second's to look for work.
  await taskClient(second, newest).then((other) => other.ask('tasks/get', { taskId: id }));
  await claims.opened;
  await client.ask('tasks/cancel', { taskId: id });
  const cancelled = await store.get(id);
  goesOn.open();
  await looks.opened;
  for (let turns = 0; turns < 5; turns++) await turn();
  assert.equal((await store.get(id))?.version, cancelled?.version);
});

test('a task that ends while a request for its result looks at it is answered at once', async (t) => {
  const memory = memoryTasks();
  const [end, seen, late] = [gate(), gate(), gate()];
  let reads = 0;
  const store: TaskStore = {
    ...memory,
    get: async (id) => {
      const task = await memory.get(id);
      // The second look of the request is the one that waits for the end; it is slow to come back.
      if (++reads !== 3) return task;
      seen.open();
      await late.opened;
      return task;
    },
  };
  // Nobody asks again within the time of a test.
  const server = serverWith({ store, pollIntervalMs: 3_600_000 });
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, async () => {
    await end.opened;
    return 'done';
  });
  const client = await taskClient(server, core);
  const taskId = await begun(client, { task: {} });
  const result = client.ask('tasks/result', { taskId });
  await seen.opened;
  end.open();
  while ((await memory.get(taskId))?.open === true) await turn();
  late.open();
  assert.partialDeepStrictEqual(await result, { content: [{ type: 'text', text: 'done' }] });
});
