/** Tasks that a client of 2025-11-25 hosts for a server of 2025-11-25 behind a bridge. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bridgeTo, clientOf, type QuietOptions } from '../../../../../../test/support/bridged.ts';
import {
  core,
  keys,
  newest,
  paramsOf,
  person,
  scripted,
  taskOf,
  type Json,
} from '../../../../../../test/support/bridged-tasks.ts';
import { scriptedUpstream } from '../../../../../../test/support/scripted-upstream.ts';
import { taskClient, type TaskClient } from '../../../../../../test/support/task-client.ts';
import { until } from '../../../../../../test/support/turns.ts';
import { createBridge } from '../../../bridge.ts';
import { metaKey } from '../../../protocol/meta.ts';
import { createServer } from '../../../server/server.ts';
import { memoryTransport } from '../../../testing/memory-transport.ts';

const tasks = { list: {}, cancel: {}, requests: { elicitation: { create: {} } } };
const capabilities = { elicitation: {}, tasks };
const ada = { action: 'accept', content: { name: 'Ada' } };
const question = { message: 'who?', requestedSchema: person, task: { ttl: 5 } };

/** A server that asks when its tool is called, and whatever else it is told to. */
function asking(up: typeof core | typeof newest = core) {
  let send: (message: Json) => void = () => undefined;
  let next = 0;
  const transport = scripted(up, {
    'tools/call': (_, peer) => {
      send = (message) => peer.send(message as never);
    },
  });
  const answerTo = (id: string): Json | undefined =>
    transport.sent.find(({ message }) => message['id'] === id)?.message;
  return {
    transport,
    /** Asks the client, and waits for the answer. */
    async ask(method: string, params: Json): Promise<Json> {
      const id = `asked-${next++}`;
      send({ jsonrpc: '2.0', id, method, params });
      await until(() => answerTo(id) !== undefined, `an answer to ${method}`);
      const { result, error } = answerTo(id) ?? {};
      return (result ?? error) as Json;
    },
    sent: (method: string): readonly Json[] =>
      transport.sent
        .filter(({ message }) => message['method'] === method)
        .map(({ message }) => paramsOf({ ...message })),
  };
}

interface ServerCore extends TaskClient {
  readonly asked: { readonly method: string; readonly params: Json }[];
  status: string;
}

/** A client that hosts one task. */
async function hostAt(bridge: Parameters<typeof taskClient>[0], principal?: string): Promise<ServerCore> {
  const asked: { method: string; params: Json }[] = [];
  const one = { status: 'working' };
  const client = await taskClient(bridge, {
    revision: core,
    capabilities,
    ...(principal === undefined ? {} : { principal }),
    answer: (method, params) => {
      asked.push({ method, params });
      if (method === 'elicitation/create') return { task: taskOf('of-the-client', 'working') };
      if (params['taskId'] !== 'of-the-client') return { code: -32602, message: 'no such task' };
      if (method !== 'tasks/result')
        return taskOf('of-the-client', method === 'tasks/cancel' ? 'cancelled' : one.status);
      return { ...ada, _meta: { [metaKey.relatedTask]: { taskId: 'of-the-client' } } };
    },
  });
  return Object.assign(one, { ...client, asked });
}

async function met(t: TestContext, options: QuietOptions = {}) {
  const server = asking();
  const bridge = await bridgeTo(t, server.transport, options);
  const client = await hostAt(bridge);
  void client.ask('tools/call', { name: 'job' }).catch(() => undefined);
  await until(() => server.sent('tools/call').length > 0, 'the call');
  return { server, bridge, client };
}

/** What a server was told of its client when a session with it was opened. */
function declared({ sent }: ReturnType<typeof asking>): unknown {
  return (sent('initialize').at(-1)?.['capabilities'] as Json | undefined)?.['tasks'];
}

describe('between 2025-11-25 and 2025-11-25 a bridge', () => {
  it('declares the tasks that its client hosts, but not that they are listed [tasks-001]', async (t) => {
    const { server } = await met(t);
    assert.deepEqual(declared(server), { cancel: {}, requests: { elicitation: { create: {} } } });
    assert.equal((await server.ask('tasks/list', {}))['code'], -32601);
  });

  it('carries the wish, the task, its state and its result, under an id of its own [tasks-020, tasks-025]', async (t) => {
    const { server, client } = await met(t);
    const created = (await server.ask('elicitation/create', question))['task'] as Json;
    assert.deepEqual(client.asked[0]?.params, question);
    assert.notEqual(created['taskId'], 'of-the-client');
    assert.equal(created['status'], 'working');
    const { taskId } = created;
    assert.partialDeepStrictEqual(await server.ask('tasks/get', { taskId }), { taskId, status: 'working' });
    assert.deepEqual(client.asked[1], { method: 'tasks/get', params: { taskId: 'of-the-client' } });
    client.status = 'completed';
    assert.equal((await server.ask('tasks/get', { taskId }))['status'], 'completed');
    const _meta = { [metaKey.relatedTask]: { taskId } };
    assert.deepEqual(await server.ask('tasks/result', { taskId }), { ...ada, _meta });
  });

  it('carries a cancel, and an answer that came plainly', async (t) => {
    const { server } = await met(t);
    const { taskId } = (await server.ask('elicitation/create', question))['task'] as Json;
    assert.partialDeepStrictEqual(await server.ask('tasks/cancel', { taskId }), { taskId, status: 'cancelled' });
    const plain = asking();
    const bridge = await bridgeTo(t, plain.transport);
    const client = await taskClient(bridge, { revision: core, capabilities, answer: () => ada });
    void client.ask('tools/call', { name: 'job' }).catch(() => undefined);
    await until(() => plain.sent('tools/call').length > 0, 'the call');
    assert.deepEqual(await plain.ask('elicitation/create', question), ada);
  });

  it('tells its server how such a task stands, as long as it may change, and of no other', async (t) => {
    const { server, client } = await met(t);
    const status = 'notifications/tasks/status';
    const { taskId } = (await server.ask('elicitation/create', question))['task'] as Json;
    await client.tell(status, taskOf('of-another-server'));
    for (const at of ['working', 'completed', 'completed']) await client.tell(status, taskOf('of-the-client', at));
    await client.tell('notifications/roots/list_changed', {});
    await until(() => server.sent('notifications/roots/list_changed').length > 0, 'what comes after');
    const told = server.sent(status).map((params) => [params['taskId'], params['status']]);
    assert.deepEqual(told, [
      [taskId, 'working'],
      [taskId, 'completed'],
    ]);
  });

  it('carries progress of the question until its task has ended', async (t) => {
    const { server, client } = await met(t);
    const progress = 'notifications/progress';
    const asked = await server.ask('elicitation/create', { ...question, _meta: { progressToken: 'mine' } });
    const { taskId } = asked['task'] as Json;
    const { progressToken } = paramsOf(client.asked[0])['_meta'] as Json;
    await client.tell(progress, { progressToken, progress: 1 });
    await until(() => server.sent(progress).length > 0, 'progress');
    await server.ask('tasks/result', { taskId });
    await client.tell(progress, { progressToken, progress: 2 });
    await client.tell('notifications/roots/list_changed', {});
    await until(() => server.sent('notifications/roots/list_changed').length > 0, 'what comes after');
    assert.deepEqual(server.sent(progress), [{ progressToken: 'mine', progress: 1 }]);
  });

  it('carries progress of the last question alone where a client names two of its tasks alike', async (t) => {
    const { server, client } = await met(t);
    const progress = 'notifications/progress';
    for (const progressToken of ['first', 'second'])
      await server.ask('elicitation/create', { ...question, _meta: { progressToken } });
    const tokens = client.asked.map(({ params }) => (params['_meta'] as Json)['progressToken']);
    for (const progressToken of tokens) await client.tell(progress, { progressToken, progress: 1 });
    await client.tell('notifications/roots/list_changed', {});
    await until(() => server.sent('notifications/roots/list_changed').length > 0, 'what comes after');
    assert.deepEqual(server.sent(progress), [{ progressToken: 'second', progress: 1 }]);
  });

  it('knows an id in another session and another process with its keys, for the same principal alone', async (t) => {
    const rounds = { keys };
    const { server, client } = await met(t, { rounds });
    const { taskId } = (await server.ask('elicitation/create', question))['task'] as Json;
    client.close();
    for (const [principal, isKnown] of [
      [undefined, true],
      ['bob', false],
    ] as const) {
      const later = asking();
      const bridge = await bridgeTo(t, later.transport, { rounds });
      const again = await hostAt(bridge, principal);
      void again.ask('tools/call', { name: 'job' }).catch(() => undefined);
      await until(() => later.sent('tools/call').length > 0, 'the call');
      const seen = await later.ask('tasks/get', { taskId });
      assert.equal(seen['taskId'] === taskId, isKnown);
      if (!isKnown) assert.equal(seen['code'], -32602);
      // What is no id of the bridge is none, and neither is that of the client.
      for (const id of ['of-the-client', ''])
        assert.equal((await later.ask('tasks/get', { taskId: id }))['code'], -32602);
    }
  });

  it('cancels the task of a question that was given up before it was there', async (t) => {
    const server = asking();
    const bridge = await bridgeTo(t, server.transport);
    let created: (() => void) | undefined;
    const heard: Json[] = [];
    const conversation = bridge.endpoint.openConnection({
      lasting: true,
      send: (message) => {
        heard.push({ ...message });
        const reply = (result: Json): unknown =>
          conversation.receive({ jsonrpc: '2.0', id: (message as unknown as Json)['id'], result });
        if (!('id' in message && 'method' in message)) return;
        if (message.method === 'elicitation/create') created = () => void reply({ task: taskOf('of-the-client') });
        else void reply(taskOf('of-the-client', 'cancelled'));
      },
    });
    const clientInfo = { name: 'c', version: '1' };
    const params = { protocolVersion: core, capabilities, clientInfo };
    await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    await conversation.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
    void conversation.receive({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'job' } });
    await until(() => server.sent('tools/call').length > 0, 'the call');
    void server.ask('elicitation/create', question).catch(() => undefined);
    await until(() => created !== undefined, 'the question');
    await conversation.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    created?.();
    await until(() => heard.some(({ method }) => method === 'tasks/cancel'), 'a cancel');
    assert.deepEqual(paramsOf(heard.find(({ method }) => method === 'tasks/cancel')), { taskId: 'of-the-client' });
  });
});

describe('elsewhere a bridge', () => {
  it('declares no tasks of a client: on a shared connection, to a server without, and for a client of another revision', async (t) => {
    const shared = await met(t, { sharing: 'shared' });
    assert.equal(declared(shared.server), undefined);
    const older = scriptedUpstream({ up: '2025-06-18', answers: { 'tools/call': { content: [] } } });
    const client = await hostAt(await bridgeTo(t, older));
    await client.ask('tools/call', { name: 'job' });
    const opened = older.sent.filter(({ message }) => message['method'] === 'initialize');
    for (const { message } of opened)
      assert.equal((paramsOf({ ...message })['capabilities'] as Json)['tasks'], undefined);
    const other = asking();
    const bridge = await bridgeTo(t, other.transport);
    const stateless = await taskClient(bridge, { revision: newest, capabilities });
    void stateless.ask('tools/call', { name: 'job' }).catch(() => undefined);
    await until(() => other.sent('tools/call').length > 0, 'the call');
    assert.equal(declared(other), undefined);
  });

  it('lets a handler ask for tasks of a client of ours, before one server and before several', async (t) => {
    const server = createServer({ name: 's', version: '1' }, { revisions: [core] });
    t.after(() => server.close());
    server.tool('ask', {}, async (_, ctx) => {
      const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
      return JSON.stringify(await ctx.elicit({ message: 'who?', schema }, { task: { ttlMs: 600_000 } }));
    });
    const several = await createBridge({
      upstreams: { one: { upstream: memoryTransport(server) }, two: { upstream: scripted(core) } },
      prefix: 'always',
      onWarning: () => undefined,
    });
    t.after(() => several.close());
    for (const [bridge, name] of [
      [await bridgeTo(t, memoryTransport(server)), 'ask'],
      [several, 'one__ask'],
    ] as const) {
      const methods: string[] = [];
      const client = await clientOf(t, bridge, core, {
        onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
        clientTasks: { elicitation: true },
      });
      client.use(async (passing, next) => {
        methods.push(passing.method);
        return await next();
      });
      const { content } = await client.callTool(name, {});
      assert.deepEqual(content, [{ type: 'text', text: JSON.stringify(ada) }]);
      assert.ok(methods.includes('tasks/result'), methods.join());
    }
  });
});
