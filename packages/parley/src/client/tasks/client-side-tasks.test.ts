import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { chat, connected, codeOf, everything, form, handshakes } from '../../../../../test/support/asked-client.ts';
import { until } from '../../../../../test/support/turns.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import { metaKey } from '../../protocol/meta.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import { scriptedTransport, type ScriptedPeer } from '../../testing/scripted.ts';
import { createConnect } from '../connect.ts';
import type { ConnectOptions } from '../api/options.ts';

type Json = Readonly<Record<string, unknown>>;
type Connected = Awaited<ReturnType<typeof connected>>;

const core = '2025-11-25';
const clientTasks = { elicitation: true, sampling: true } as const;

async function hosting(t: TestContext, options: ConnectOptions = {}): Promise<Connected> {
  const one = await connected(core, { ...everything, clientTasks, ...options });
  t.after(() => one.client.close());
  return one;
}

/** Asks as the server, and waits for the answer, however long it takes. */
async function asked({ peer, transport }: Connected, method: string, params?: unknown): Promise<Json> {
  const id = crypto.randomUUID();
  peer.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
  return await appears(() => transport.sent.find(({ message }) => message['id'] === id)?.message);
}

async function appears<T>(find: () => T | undefined): Promise<T> {
  await until(() => find() !== undefined, 'what is waited for');
  // It was there just now.
  return find() as T;
}

const resultOf = (answer: Json): Json => answer['result'] as Json;
const begun = async (one: Connected, method: string, params: object, task: object = {}): Promise<Json> =>
  resultOf(await asked(one, method, { ...params, task }))['task'] as Json;

/** A client whose user answers when the test says so. */
async function slow(
  t: TestContext,
): Promise<Connected & { answer(name: string): void; readonly signals: AbortSignal[] }> {
  let answer: (name: string) => void = () => undefined;
  const signals: AbortSignal[] = [];
  const one = await hosting(t, {
    onElicit: (_, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) => (answer = (name) => resolve({ action: 'accept', content: { name } })));
    },
  });
  return { ...one, signals, answer: (name) => answer(name) };
}

test('a client that hosts tasks says so to servers of 2025-11-25 alone [tasks-001, D23]', async (t) => {
  for (const revision of handshakes) {
    const { client, declared } = await connected(revision, { ...everything, clientTasks });
    t.after(() => client.close());
    const tasks = {
      list: {},
      cancel: {},
      requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
    };
    assert.deepEqual((declared() as Json)['tasks'], revision === core ? tasks : undefined);
  }
});

test('it declares what it hosts, and no more [tasks-001]', async (t) => {
  const nothing = await hosting(t, { clientTasks: {} });
  assert.equal((nothing.declared() as Json)['tasks'], undefined);
  const { declared } = await hosting(t, { clientTasks: { sampling: true } });
  assert.deepEqual((declared() as { tasks: Json }).tasks['requests'], { sampling: { createMessage: {} } });
});

test('a question with task is answered at once by a task that works [tasks-010, tasks-011, tasks-014, tasks-015, tasks-023]', async (t) => {
  const one = await slow(t);
  const task = await begun(one, 'elicitation/create', form, { ttl: 60_000 });
  assert.deepEqual([task['status'], task['ttl'], typeof task['pollInterval']], ['working', 60_000, 'number']);
  assert.match(String(task['taskId']), /^[\w-]{24}$/);
  for (const name of ['createdAt', 'lastUpdatedAt'])
    assert.equal(new Date(String(task[name])).toISOString(), task[name]);
  assert.deepEqual(resultOf(await asked(one, 'tasks/get', { taskId: task['taskId'] })), task);
});

test('tasks/result waits for the answer, and is that of a plain question and its task [tasks-020, tasks-021, tasks-022, tasks-025]', async (t) => {
  const one = await slow(t);
  const { taskId } = await begun(one, 'elicitation/create', form);
  const result = asked(one, 'tasks/result', { taskId });
  await appears(() => one.signals[0]);
  one.answer('Ada');
  const related = { [metaKey.relatedTask]: { taskId } };
  assert.deepEqual(resultOf(await result), { action: 'accept', content: { name: 'Ada' }, _meta: related });
  assert.equal(resultOf(await asked(one, 'tasks/get', { taskId }))['status'], 'completed');
});

test('of which task a request is its params say, whatever related-task names, and the answer does not repeat that [tasks-026, tasks-027]', async (t) => {
  const one = await slow(t);
  const { taskId } = await begun(one, 'elicitation/create', form);
  const params = { taskId, _meta: { [metaKey.relatedTask]: { taskId: 'another' } } };
  const result = asked(one, 'tasks/result', params);
  await appears(() => one.signals[0]);
  assert.equal(resultOf(await asked(one, 'tasks/get', params))['_meta'], undefined);
  one.answer('Ada');
  assert.deepEqual(resultOf(await result)['_meta'], { [metaKey.relatedTask]: { taskId } });
});

test('an error of the handler fails the task, and is what tasks/result answers [tasks-020, tasks-042]', async (t) => {
  const one = await hosting(t, {
    onSample: () => {
      throw new McpError(-1, 'User rejected sampling request');
    },
  });
  const { taskId } = await begun(one, 'sampling/createMessage', chat);
  const answer = await asked(one, 'tasks/result', { taskId });
  assert.deepEqual(answer['error'], { code: -1, message: 'User rejected sampling request' });
  const task = resultOf(await asked(one, 'tasks/get', { taskId }));
  assert.deepEqual([task['status'], task['statusMessage']], ['failed', 'User rejected sampling request']);
});

test('an answer that does not fit, and one that is too long, fail the task, and tell the server no more', async (t) => {
  const one = await hosting(t, {
    onElicit: () => ({ action: 'accept', content: { name: 5 } }),
    onSample: () => 'x'.repeat(5 * 1024 * 1024),
  });
  const { taskId } = await begun(one, 'elicitation/create', form);
  const answer = await asked(one, 'tasks/result', { taskId });
  assert.deepEqual(answer['error'], { code: -32603, message: 'internal error' });
  assert.match(one.warnings.join(), /the answer to elicitation\/create does not fit/);
  const { taskId: other } = await begun(one, 'sampling/createMessage', chat);
  const { error } = await asked(one, 'tasks/result', { taskId: other });
  assert.match(String((error as Json)['message']), /a task keeps 4194304/);
});

test('the server is told when a task ends, without related-task [tasks-027]', async (t) => {
  const one = await hosting(t);
  const { taskId } = await begun(one, 'sampling/createMessage', chat);
  const { params } = await appears(
    () =>
      one.transport.sent.find(({ message }) => message['method'] === 'notifications/tasks/status')?.message as
        | { params: Json }
        | undefined,
  );
  assert.deepEqual([params['taskId'], params['status'], params['_meta']], [taskId, 'completed', undefined]);
});

test('a cancel is done when it is answered, aborts the handler, and stays [tasks-013, tasks-036, tasks-037, tasks-038, tasks-039]', async (t) => {
  const one = await slow(t);
  const { taskId } = await begun(one, 'elicitation/create', form);
  const signal = await appears(() => one.signals[0]);
  assert.equal(resultOf(await asked(one, 'tasks/cancel', { taskId }))['status'], 'cancelled');
  assert.equal(signal.aborted, true);
  one.answer('late');
  assert.equal(resultOf(await asked(one, 'tasks/get', { taskId }))['status'], 'cancelled');
  assert.equal(codeOf(await asked(one, 'tasks/cancel', { taskId })), -32602);
  assert.equal(codeOf(await asked(one, 'tasks/result', { taskId })), -32603);
});

test('unknown tasks and cursors get -32602, whatever they look like [tasks-041]', async (t) => {
  const one = await hosting(t);
  for (const taskId of ['nothing', 'A'.repeat(24), '', '__proto__', 'x'.repeat(100_000)])
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      assert.equal(codeOf(await asked(one, method, { taskId })), -32602);
  for (const taskId of [undefined, null, 5, {}])
    assert.equal(codeOf(await asked(one, 'tasks/get', { taskId })), -32602);
  assert.equal(codeOf(await asked(one, 'tasks/list', { cursor: 'nothing' })), -32602);
});

test('without clientTasks a task is ignored, and its methods do not exist [tasks-009]', async (t) => {
  const one = await connected(core, everything);
  t.after(() => one.client.close());
  const plain = resultOf(await asked(one, 'elicitation/create', { ...form, task: { ttl: 5 } }));
  assert.deepEqual(plain, { action: 'accept', content: { name: 'Ada' } });
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
    assert.equal(codeOf(await asked(one, method, { taskId: 'x' })), -32601);
  assert.equal(codeOf(await asked(one, 'tasks/list')), -32601);
});

test('what is not hosted is answered plainly, with task and without [tasks-009]', async (t) => {
  const one = await hosting(t, { clientTasks: { elicitation: true } });
  const answer = resultOf(await asked(one, 'sampling/createMessage', { ...chat, task: {} }));
  assert.equal(answer['role'], 'assistant');
  assert.equal(resultOf(await asked(one, 'elicitation/create', form))['action'], 'accept');
});

test('in revisions without tasks a question with task is answered plainly [tasks-009]', async (t) => {
  const one = await connected('2025-06-18', { ...everything, clientTasks });
  t.after(() => one.client.close());
  assert.equal(resultOf(await asked(one, 'elicitation/create', { ...form, task: {} }))['action'], 'accept');
  assert.equal(codeOf(await asked(one, 'tasks/get', { taskId: 'x' })), -32601);
});

test('what is no question is refused in the words of a plain one, and makes no task', async (t) => {
  const one = await hosting(t);
  const nested = { message: 'm', requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } };
  for (const params of [{ message: 5 }, nested, {}]) {
    const [plain, wanted] = [
      await asked(one, 'elicitation/create', params),
      await asked(one, 'elicitation/create', { ...params, task: {} }),
    ];
    assert.deepEqual(wanted['error'], plain['error']);
  }
  assert.deepEqual(resultOf(await asked(one, 'tasks/list')), { tasks: [] });
});

test('all tasks are listed, page by page, those that ended among them [tasks-033, tasks-034, tasks-035]', async (t) => {
  const one = await hosting(t);
  const ids = new Set<unknown>();
  const answered = async (): Promise<void> => {
    const { taskId } = await begun(one, 'sampling/createMessage', chat);
    await asked(one, 'tasks/result', { taskId });
    ids.add(taskId);
  };
  for (let batch = 0; batch < 4; batch++) await Promise.all(Array.from({ length: 30 }, answered));
  const listed = new Set<unknown>();
  let cursor: unknown;
  do {
    const page = resultOf(await asked(one, 'tasks/list', cursor === undefined ? {} : { cursor }));
    for (const { taskId } of page['tasks'] as Json[]) listed.add(taskId);
    cursor = page['nextCursor'];
  } while (cursor !== undefined);
  assert.deepEqual(listed, ids);
});

test('a server that begins tasks without end is refused more than 100, and answered all the same [tasks-048]', async (t) => {
  const one = await slow(t);
  const answers = [];
  const greedy = { ...form, task: { ttl: 1e15 } };
  for (let batch = 0; batch < 20; batch++)
    answers.push(...(await Promise.all(Array.from({ length: 50 }, () => asked(one, 'elicitation/create', greedy)))));
  const refused = answers.filter((answer) => codeOf(answer) === -32603);
  assert.equal(refused.length, 900);
  for (const { error } of refused) assert.deepEqual((error as Json)['data'], { limit: 100 });
  assert.equal(resultOf(await asked(one, 'elicitation/create', { ...form, task: 5 })), undefined);
  assert.deepEqual(resultOf(await asked(one, 'ping')), {});
});

test('a life longer than a day is cut, and one that makes no sense is an hour [tasks-024, tasks-048]', async (t) => {
  const one = await hosting(t);
  for (const [ttl, told] of [
    [1e15, 86_400_000],
    [-1, 3_600_000],
    [0, 3_600_000],
    [1, 1],
  ])
    assert.equal((await begun(one, 'sampling/createMessage', chat, { ttl }))['ttl'], told);
});

test('a task goes on while its connection is lost, and the server has its answer in the next one', async (t) => {
  const one = await slow(t);
  const { taskId } = await begun(one, 'elicitation/create', form);
  const signal = await appears(() => one.signals[0]);
  one.peer.end(new ConnectionError('closed', 'the server went away'));
  await one.client.callTool('x', {});
  const peer = one.transport.peers.at(-1);
  assert.ok(peer !== undefined && peer !== one.peer);
  assert.equal(signal.aborted, false);
  one.answer('Ada');
  assert.equal(resultOf(await asked({ ...one, peer }, 'tasks/result', { taskId }))['action'], 'accept');
});

test('what waits is aborted when the client is closed', async (t) => {
  const one = await slow(t);
  await begun(one, 'elicitation/create', form);
  const signal = await appears(() => one.signals[0]);
  await one.client.close();
  assert.equal(signal.aborted, true);
});

test('a time that is over aborts the handler, and forgets the task [tasks-048]', async (t) => {
  const one = await slow(t);
  const { taskId } = await begun(one, 'elicitation/create', form, { ttl: 30 });
  const signal = await appears(() => one.signals[0]);
  if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  // The timer that aborts may be a moment before the clock by which the task is forgotten.
  let code: unknown;
  do code = codeOf(await asked(one, 'tasks/get', { taskId }));
  while (code === undefined);
  assert.equal(code, -32602);
});

test('hosting what nobody answers, and options that do not exist, are mistakes', async () => {
  const wrong: readonly (readonly [ConnectOptions, RegExp])[] = [
    [{ clientTasks: { elicitation: true } }, /needs onElicit/],
    [{ clientTasks: { sampling: true } }, /needs onSample/],
    [{ ...everything, clientTasks: { roots: true } as never }, /has no option "roots"/],
    [{ ...everything, clientTasks: { elicitation: 'yes' } as never }, /clientTasks.elicitation must be true or false/],
    [{ ...everything, clientTasks: { store: {} } as never }, /clientTasks.store.claim must be a function/],
    [{ clientTasks: {}, onRequest: async () => ({}) }, /exclude each other/],
  ];
  for (const [options, message] of wrong)
    await assert.rejects(
      connected(core, options),
      (error) => error instanceof TypeError && message.test(error.message),
    );
});

test('more than 32 requests that wait for results are refused, and the others still have theirs [tasks-048]', async (t) => {
  const one = await slow(t);
  const { taskId } = await begun(one, 'elicitation/create', form);
  await appears(() => one.signals[0]);
  const results = Array.from({ length: 40 }, () => asked(one, 'tasks/result', { taskId }));
  const refused = await Promise.any(
    results.map(async (result) => (codeOf(await result) === -32603 ? await result : await Promise.reject(new Error()))),
  );
  assert.deepEqual((refused['error'] as Json)['data'], { limit: 32 });
  one.answer('Ada');
  const codes = (await Promise.all(results)).map(codeOf);
  assert.equal(codes.filter((code) => code === undefined).length, 32);
});

test('what the client does not declare is not served, though it hosts [tasks-009]', async (t) => {
  const one = await hosting(t, { advertise: false, capabilities: { elicitation: { form: {} } } });
  assert.equal(resultOf(await asked(one, 'elicitation/create', { ...form, task: {} }))['action'], 'accept');
  assert.equal(codeOf(await asked(one, 'tasks/list')), -32601);
  const part = await hosting(t, {
    advertise: false,
    capabilities: { elicitation: { form: {} }, tasks: { requests: { elicitation: { create: {} } } } },
  });
  const { taskId } = await begun(part, 'elicitation/create', form);
  assert.equal(codeOf(await asked(part, 'tasks/list')), -32601);
  assert.equal(codeOf(await asked(part, 'tasks/cancel', { taskId })), -32601);
  assert.equal(resultOf(await asked(part, 'tasks/get', { taskId }))['taskId'], taskId);
});

test('a server finds its tasks in a store after the client began anew, and no other server does [tasks-043]', async (t) => {
  const store = memoryTasks();
  const connect = createConnect({ http: (url) => scriptedTransport('stdio', speaking, url.href) });
  const peers: ScriptedPeer[] = [];
  const sent: Json[] = [];
  function speaking({ message }: { readonly message: Json }, peer: ScriptedPeer): void {
    sent.push(message);
    if (message['method'] !== 'initialize') return;
    peers.push(peer);
    const result = { protocolVersion: core, capabilities: {}, serverInfo: { name: 's', version: '1' } };
    peer.send({ jsonrpc: '2.0', id: message['id'], result });
  }
  const ask = async (url: string, method: string, params: Json): Promise<Json> => {
    const client = await connect(url, { ...everything, revisions: [core], clientTasks: { ...clientTasks, store } });
    t.after(() => client.close());
    const id = crypto.randomUUID();
    peers.at(-1)?.send({ jsonrpc: '2.0', id, method, params });
    return await appears(() => sent.find((message) => message['id'] === id));
  };
  const made = resultOf(await ask('https://one.example/mcp', 'sampling/createMessage', { ...chat, task: {} }));
  const { taskId } = made['task'] as Json;
  assert.equal(resultOf(await ask('https://one.example/mcp', 'tasks/result', { taskId }))['model'], 'unknown');
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
    assert.equal(codeOf(await ask('https://two.example/mcp', method, { taskId })), -32602);
  assert.deepEqual(resultOf(await ask('https://two.example/mcp', 'tasks/list', {})), { tasks: [] });
});

test('a client that is closed does not watch the lifetimes of its tasks', async (t) => {
  const { setTimeout: start, clearTimeout: clear } = globalThis;
  const pending = new Set<unknown>();
  t.mock.method(globalThis, 'setTimeout', (run: () => void, ms?: number) => {
    const timer = start(run, ms);
    // The time for which a task is kept; other timers of this client are shorter.
    if (ms !== undefined && ms > 500_000) pending.add(timer);
    return timer;
  });
  t.mock.method(globalThis, 'clearTimeout', (timer: NodeJS.Timeout) => {
    pending.delete(timer);
    clear(timer);
  });
  const one = await slow(t);
  await begun(one, 'elicitation/create', form, { ttl: 600_000 });
  assert.equal(pending.size, 2);
  await one.client.close();
  // The handler ignores its signal, so its run keeps the other one.
  assert.equal(pending.size, 1);
});
