/** Tasks of a server of 2025-11-25, for clients of 2026-07-28. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bridgeBefore, bridgeTo, clientOf, type QuietOptions } from '../../../../../../test/support/bridged.ts';
import {
  begun,
  clientAt,
  core,
  createdAs,
  newest,
  paramsOf,
  person,
  scripted,
  serverWith,
  taskOf,
  type Json,
} from '../../../../../../test/support/bridged-tasks.ts';
import { paramsSent } from '../../../../../../test/support/scripted-upstream.ts';
import {
  extended,
  extension,
  taskClient,
  whenTask,
  type TaskClient,
} from '../../../../../../test/support/task-client.ts';
import { until } from '../../../../../../test/support/turns.ts';
import { metaKey } from '../../../protocol/meta.ts';
import type { Transport } from '../../../jsonrpc/transport.ts';
import { memoryTransport } from '../../../testing/memory-transport.ts';
import { McpError } from '../../../protocol/error.ts';
import type { ToolContext } from '../../../server/definition/tool-context.ts';
import { createBridge } from '../../../bridge.ts';

const always: QuietOptions = { tasks: 'always' };
const hasEnded = ({ status }: Json): boolean => status !== 'working' && status !== 'input_required';
const tools = { tools: [{ name: 'job', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }] };

/** A client before a bridge before a server whose tool does something. */
async function before(t: TestContext, run: (ctx: ToolContext) => unknown): Promise<TaskClient> {
  return await clientAt(await bridgeBefore(t, serverWith(t, core, run), always), newest);
}

/** The same before a scripted server. */
async function scriptedBefore(t: TestContext, answers: Parameters<typeof scripted>[1], principal?: string) {
  const transport = scripted(core, {
    'tools/list': tools,
    'tools/call': createdAs(core, 'upstream-task-1'),
    ...answers,
  });
  const bridge = await bridgeTo(t, transport, always);
  return { transport, bridge, client: await clientAt(bridge, newest, principal) };
}

const asks = async (ctx: ToolContext): Promise<string> => {
  const { action, content } = await ctx.elicit({ message: 'who?', schema: person });
  return `${action} ${String(content?.['name'])}`;
};

/** Answers all that a task asks as Ada. */
const answerAll = ({ inputRequests }: Json): Json =>
  Object.fromEntries(
    Object.keys(inputRequests as Json).map((key) => [key, { action: 'accept', content: { name: 'Ada' } }]),
  );

const isAsked = ({ inputRequests }: Json): boolean => inputRequests !== undefined;

describe('a task of 2025-11-25 for a client of 2026-07-28', () => {
  it('is flat, and has its result in it at the end', async (t) => {
    const client = await before(t, () => 'done');
    const discovered = await client.ask('server/discover');
    const { extensions, tasks } = discovered['capabilities'] as Json;
    assert.deepEqual([extensions, tasks], [{ [extension]: {} }, undefined]);
    const task = await begun(client, newest);
    assert.equal(task['resultType'], 'task');
    assert.equal(typeof task['ttlMs'], 'number');
    assert.deepEqual([task['ttl'], task['pollInterval'], task['task']], [undefined, undefined, undefined]);
    const ended = await whenTask(client, task['taskId'], hasEnded);
    const { status, result, resultType, taskId } = ended;
    assert.deepEqual([status, resultType, taskId], ['completed', 'complete', task['taskId']]);
    assert.deepEqual((result as Json)['content'], [{ type: 'text', text: 'done' }]);
    assert.equal(JSON.stringify(ended).includes('related-task'), false);
  });

  it('is completed where its tool answered with an error, and failed with an error of the protocol', async (t) => {
    const errs = await before(t, () => {
      throw new Error('no');
    });
    const failed = await whenTask(errs, (await begun(errs, newest))['taskId'], hasEnded);
    assert.deepEqual([failed['status'], (failed['result'] as Json)['isError']], ['completed', true]);
    const throws = await before(t, () => {
      throw new McpError('invalidParams', 'not like that', { data: { n: 1 } });
    });
    const thrown = await whenTask(throws, (await begun(throws, newest))['taskId'], hasEnded);
    assert.deepEqual([thrown['status'], thrown['result']], ['failed', undefined]);
    assert.deepEqual(thrown['error'], { code: -32602, message: 'not like that', data: { n: 1 } });
  });

  it('asks by keys that are answered one by one', async (t) => {
    const client = await before(t, async (ctx) => (await Promise.all([asks(ctx), asks(ctx)])).join(', '));
    const { taskId } = await begun(client, newest);
    const asking = await whenTask(
      client,
      taskId,
      (task) => Object.keys((task['inputRequests'] ?? {}) as Json).length === 2,
    );
    assert.equal(asking['status'], 'input_required');
    assert.equal(JSON.stringify(asking).includes('related-task'), false);
    const [one = '', other = ''] = Object.keys(asking['inputRequests'] as Json);
    const answer = (name: string): Json => ({ action: 'accept', content: { name } });
    const ack = await client.ask('tasks/update', {
      taskId,
      inputResponses: { [one]: answer('Ada'), never: answer('Eve') },
    });
    assert.deepEqual(ack['resultType'], 'complete');
    const left = await client.ask('tasks/get', { taskId });
    assert.deepEqual(Object.keys(left['inputRequests'] as Json), [other]);
    await client.ask('tasks/update', { taskId, inputResponses: { [one]: answer('Eve'), [other]: answer('Bob') } });
    const { result } = await whenTask(client, taskId, hasEnded);
    assert.deepEqual((result as Json)['content'], [{ type: 'text', text: 'accept Ada, accept Bob' }]);
  });

  it('says by its status message how far it got, where its server says so by progress', async (t) => {
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const client = await before(t, async (ctx) => {
      ctx.progress(1, 2, 'loaded');
      await gate;
      ctx.progress(2, 2);
      await asks(ctx);
      return 'done';
    });
    const { taskId } = await begun(client, newest);
    const { status } = await whenTask(client, taskId, ({ statusMessage }) => statusMessage === '1 of 2: loaded');
    assert.equal(status, 'working');
    goOn();
    const { statusMessage, inputRequests } = await whenTask(client, taskId, isAsked);
    assert.equal(statusMessage, '2 of 2');
    const [key = ''] = Object.keys(inputRequests as Json);
    await client.ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } });
    const ended = await whenTask(client, taskId, hasEnded);
    assert.deepEqual([ended['status'], ended['statusMessage']], ['completed', undefined]);
  });

  it('may ask what the request declared that made it, whatever those declare that look at it', async (t) => {
    const bridge = await bridgeBefore(t, serverWith(t, core, asks), always);
    const client = await clientAt(bridge, newest);
    const other = await taskClient(bridge, { revision: newest, capabilities: { extensions: { [extension]: {} } } });
    const { taskId } = await begun(client, newest);
    const asking = await whenTask(other, taskId, isAsked);
    const inputResponses = answerAll(asking);
    await other.ask('tasks/update', { taskId, inputResponses });
    const { result } = await whenTask(other, taskId, hasEnded);
    assert.deepEqual((result as Json)['content'], [{ type: 'text', text: 'accept Ada' }]);
  });

  it('of a process that each client has for itself is found by one that comes back under another name', async (t) => {
    // Each process keeps its tasks in its own memory.
    const upstream: Transport = {
      ...scripted(core),
      ownsProcess: true,
      open: (receiver) => memoryTransport(serverWith(t, core, asks)).open(receiver),
    };
    const bridge = await bridgeTo(t, upstream, always);
    const capabilities = { elicitation: {}, extensions: { [extension]: {} } };
    const as = async (name: string): Promise<TaskClient> =>
      await taskClient(bridge, { revision: newest, capabilities, info: { name, version: '1' } });
    const { taskId } = await begun(await as('one'), newest);
    const other = await as('two');
    const { inputRequests } = await whenTask(other, taskId, isAsked);
    await other.ask('tasks/update', { taskId, inputResponses: answerAll({ inputRequests }) });
    const listening = other.ask('subscriptions/listen', { notifications: { taskIds: [taskId] } });
    // It ends with its client.
    listening.catch(() => undefined);
    const told = (): Json[] => other.heard.filter(({ method }) => method === 'notifications/tasks');
    await until(() => told().some((message) => paramsOf(message)['status'] === 'completed'), 'the end');
    const { result } = await other.ask('tasks/get', { taskId });
    assert.deepEqual((result as Json)['content'], [{ type: 'text', text: 'accept Ada' }]);
    other.close();
  });

  it('of several at once each gets its own answers', async (t) => {
    const client = await before(t, asks);
    const ids = [(await begun(client, newest))['taskId'], (await begun(client, newest))['taskId']];
    for (const [at, taskId] of ids.entries()) {
      const { inputRequests } = await whenTask(client, taskId, isAsked);
      const [key = ''] = Object.keys(inputRequests as Json);
      const inputResponses = { [key]: { action: 'accept', content: { name: `n${at}` } } };
      await client.ask('tasks/update', { taskId, inputResponses });
    }
    for (const [at, taskId] of ids.entries()) {
      const { result } = await whenTask(client, taskId, hasEnded);
      assert.deepEqual((result as Json)['content'], [{ type: 'text', text: `accept n${at}` }]);
    }
  });

  it('is not begun for a client that did not declare the extension, nor where it is not asked for', async (t) => {
    const bridge = await bridgeBefore(t, serverWith(t, core), always);
    const mute = await taskClient(bridge, { revision: newest });
    assert.deepEqual((await mute.ask('tools/call', { name: 'job' }))['content'], [{ type: 'text', text: 'done' }]);
    assert.equal((await mute.ask('tasks/get', { taskId: 'x' }))['code'], -32021);
    const plain = await clientAt(await bridgeBefore(t, serverWith(t, core)), newest);
    assert.equal((await plain.ask('tools/call', { name: 'job', task: {} }))['resultType'], 'complete');
  });

  it('is begun for a tool that runs as a task alone, whatever the option says', async (t) => {
    const server = serverWith(t, core);
    server.tool('only', { task: 'required' }, () => 'alone');
    const client = await clientAt(await bridgeBefore(t, server, { taskOnly: 'refuse' }), newest);
    const { taskId, resultType } = await client.ask('tools/call', { name: 'only' });
    assert.equal(resultType, 'task');
    const { result } = await whenTask(client, taskId, hasEnded);
    assert.deepEqual((result as Json)['content'], [{ type: 'text', text: 'alone' }]);
  });

  it('is cancelled, and acknowledged again when it is over', async (t) => {
    let aborted = false;
    const client = await before(t, async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      aborted = true;
    });
    const { taskId } = await begun(client, newest);
    assert.deepEqual(await client.ask('tasks/cancel', { taskId }), await client.ask('tasks/cancel', { taskId }));
    await until(() => aborted, 'the end of the run');
    assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'cancelled');
  });

  it('is told of to who listens, with its result', async (t) => {
    const client = await before(t, () => 'done');
    const { taskId } = await begun(client, newest);
    const listening = client.ask('subscriptions/listen', { notifications: { taskIds: [taskId, 'unknown'] } });
    // It ends with its client.
    listening.catch(() => undefined);
    const told = (): Json[] => client.heard.filter(({ method }) => method === 'notifications/tasks');
    await until(() => told().some((message) => paramsOf(message)['status'] === 'completed'), 'the end');
    const [ack] = client.heard;
    assert.deepEqual((paramsOf(ack)['notifications'] as Json)['taskIds'], [taskId]);
    const last = paramsOf(told().at(-1));
    assert.equal(last['taskId'], taskId);
    assert.deepEqual((last['result'] as Json)['content'], [{ type: 'text', text: 'done' }]);
    client.close();
  });

  it('is out of reach under any id that was not given to its client', async (t) => {
    const {
      transport,
      bridge,
      client: ann,
    } = await scriptedBefore(t, { 'tasks/get': taskOf('upstream-task-1') }, 'ann');
    const eve = await clientAt(bridge, newest, 'eve');
    const { taskId } = await begun(ann, newest);
    assert.equal(String(taskId).includes('upstream'), false);
    const answers = new Set<string>();
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      for (const [client, id] of [
        [eve, taskId],
        [ann, 'upstream-task-1'],
        [ann, ''],
      ] as const)
        answers.add(JSON.stringify(await client.ask(method, { taskId: id, inputResponses: {} })));
    assert.deepEqual([...answers], [JSON.stringify({ code: -32602, message: 'the task does not exist' })]);
    assert.equal(
      transport.methods.some((method) => method.startsWith('tasks/')),
      false,
    );
  });

  it('belongs to its server among several', async (t) => {
    const bridge = await createBridge({
      tasks: 'always',
      upstreams: Object.fromEntries(
        ['one', 'two'].map((name) => [
          name,
          {
            upstream: scripted(core, {
              'tools/list': tools,
              'tools/call': createdAs(core, 'same'),
              'tasks/get': { ...taskOf('same'), statusMessage: name },
            }),
          },
        ]),
      ),
      onWarning: () => undefined,
    });
    t.after(() => bridge.close());
    const client = await clientAt(bridge, newest);
    for (const name of ['one', 'two']) {
      const { taskId } = await client.ask('tools/call', { name: `${name}__job` });
      assert.equal((await client.ask('tasks/get', { taskId }))['statusMessage'], name);
    }
  });

  it('is waited for by a client of ours as any other', async (t) => {
    const bridge = await bridgeBefore(t, serverWith(t, core, asks), always);
    const client = await clientOf(t, bridge, newest, {
      onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    } as never);
    const { content } = await client.callTool('job');
    assert.deepEqual(content, [{ type: 'text', text: 'accept Ada' }]);
  });
});

describe('a hostile server of 2025-11-25 with tasks', () => {
  const refusals: readonly (readonly [string, Parameters<typeof scripted>[1], RegExp])[] = [
    ['a status that is none', { 'tasks/get': { taskId: 'x', status: 7 } }, /malformed/],
    [
      'a result that is none',
      { 'tasks/get': taskOf('x', 'completed'), 'tasks/result': { content: 'none' } },
      /malformed/,
    ],
    [
      'a lost result',
      {
        'tasks/get': taskOf('x', 'completed'),
        'tasks/result': (sent, peer) => peer.refuse(sent, { code: -32602, message: 'gone' }),
      },
      /did not return its result: gone/,
    ],
  ];
  for (const [what, answers, words] of refusals)
    it(`that tells of ${what} fails the request, clearly`, async (t) => {
      const { client } = await scriptedBefore(t, answers);
      const { taskId } = await begun(client, newest);
      const { code, message } = await client.ask('tasks/get', { taskId });
      assert.equal(code, -32603);
      assert.match(String(message), words);
    });

  it('whose task failed with a result that is none tells why it failed', async (t) => {
    const failed = { ...taskOf('upstream-task-1', 'failed'), statusMessage: 'no such leaf' };
    const { client } = await scriptedBefore(t, { 'tasks/get': failed, 'tasks/result': {} });
    const { taskId } = await begun(client, newest);
    const { status, error } = await client.ask('tasks/get', { taskId });
    assert.deepEqual([status, error], ['failed', { code: -32603, message: 'no such leaf' }]);
  });

  it('whose task is gone tells of one that nobody has', async (t) => {
    const { client } = await scriptedBefore(t, {
      'tasks/get': (sent, peer) => peer.refuse(sent, { code: -32602, message: 'no' }),
    });
    const { taskId } = await begun(client, newest);
    assert.deepEqual(await client.ask('tasks/get', { taskId }), { code: -32602, message: 'the task does not exist' });
  });

  it('asks a client that declared no context for a completion without context', async (t) => {
    const question = {
      jsonrpc: '2.0',
      id: 'q',
      method: 'sampling/createMessage',
      params: {
        messages: [],
        maxTokens: 1,
        includeContext: 'thisServer',
        _meta: { [metaKey.relatedTask]: { taskId: 'upstream-task-1' } },
      },
    } as never;
    const transport = scripted(core, {
      'tools/list': tools,
      'tools/call': createdAs(core, 'upstream-task-1'),
      'tasks/get': taskOf('upstream-task-1', 'input_required'),
      'tasks/result': (_, peer) => peer.send(question),
    });
    const capabilities = { ...extended, sampling: {} };
    const client = await taskClient(await bridgeTo(t, transport, always), { revision: newest, capabilities });
    const { taskId } = await begun(client, newest);
    const { inputRequests } = await whenTask(client, taskId, isAsked);
    const [asked] = Object.values(inputRequests as Json) as readonly Json[];
    assert.deepEqual(asked?.['params'], { messages: [], maxTokens: 1, includeContext: 'none' });
  });

  it('asks no more than there is room for, nothing undeclared, and nothing after the bridge is closed', async (t) => {
    const question = (id: string, method: string): never =>
      ({
        jsonrpc: '2.0',
        id,
        method,
        params: {
          message: 'who?',
          requestedSchema: person,
          _meta: { [metaKey.relatedTask]: { taskId: 'upstream-task-1' } },
        },
      }) as never;
    const { transport, bridge, client } = await scriptedBefore(t, {
      'tasks/get': taskOf('upstream-task-1', 'input_required'),
      'tasks/result': (_, peer) => {
        peer.send(question('undeclared', 'sampling/createMessage'));
        for (let at = 0; at < 40; at++) peer.send(question(`q${at}`, 'elicitation/create'));
      },
    });
    const { taskId } = await begun(client, newest);
    const { inputRequests } = await whenTask(client, taskId, isAsked);
    assert.equal(Object.keys(inputRequests as Json).length, 32);
    assert.deepEqual(paramsSent(transport, 'tasks/result'), { taskId: 'upstream-task-1' });
    await bridge.close();
  });
});
