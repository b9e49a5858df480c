/** Tasks that a bridge keeps: clients of 2025-11-25 drive them, before servers of 2026-07-28 that drive theirs. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createBridge } from '../../../bridge.ts';
import { bridgeBefore, bridgeTo, serverAt } from '../../../../../../test/support/bridged.ts';
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
import { hurried } from '../../../../../../test/support/hurried.ts';
import { paramsSent } from '../../../../../../test/support/scripted-upstream.ts';
import { taskClient, whenTask, type TaskClient } from '../../../../../../test/support/task-client.ts';
import { until } from '../../../../../../test/support/turns.ts';
import { ExactNumber, jsonText } from '../../../json/exact-number.ts';
import { metaKey } from '../../../protocol/meta.ts';
import { memoryTasks } from '../../../storage/memory-tasks.ts';
import { memoryTransport } from '../../../testing/memory-transport.ts';

/** What the client hears when the task does not exist. */
const unknown = { code: -32602, message: 'the task does not exist' };

async function textOf(client: TaskClient, taskId: unknown): Promise<unknown> {
  const result = await client.ask('tasks/result', { taskId });
  return (result['content'] as readonly Json[] | undefined)?.[0]?.['text'] ?? result;
}

/** A client of tasks before a scripted server of the extension. */
async function before(t: TestContext, answers: Parameters<typeof scripted>[1]) {
  const transport = scripted(newest, answers);
  const warnings: string[] = [];
  const bridge = await bridgeTo(t, transport, { warnings });
  return { transport, bridge, warnings, client: await clientAt(bridge, core) };
}

/** A task of a scripted server that is looked at soon. */
function quick(status: string, more: Json = {}): Json {
  return { ...taskOf('upstream-task-1', status), pollIntervalMs: 5, ...more };
}

const made: Json = { ...createdAs(newest, 'upstream-task-1'), pollIntervalMs: 5 };

const question = { method: 'elicitation/create', params: { mode: 'form', message: 'who?', requestedSchema: person } };

describe('a task of 2025-11-25 before a server of 2026-07-28', () => {
  it('is begun, followed to its end and told whole', async (t) => {
    hurried(t);
    const client = await clientAt(await bridgeBefore(t, serverWith(t, newest)), core);
    const task = await begun(client, core);
    assert.deepEqual([task['status'], task['ttl']], ['working', 60_000]);
    const ended = await whenTask(client, task['taskId'], ({ status }) => status !== 'working');
    assert.equal(ended['status'], 'completed');
    const result = await client.ask('tasks/result', { taskId: task['taskId'] });
    assert.deepEqual(result['content'], [{ type: 'text', text: 'done' }]);
    assert.deepEqual((result['_meta'] as Json)[metaKey.relatedTask], { taskId: task['taskId'] });
  });

  it('is one of a tool that is listed as optional, and the extension is declared for it alone', async (t) => {
    hurried(t);
    const { client, transport } = await before(t, {
      'tools/list': { tools: [{ name: 'job', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [] },
    });
    const { tools } = await client.ask('tools/list');
    assert.deepEqual((tools as readonly Json[])[0]?.['execution'], { taskSupport: 'optional' });
    const declared = (): unknown => {
      const meta = paramsSent(transport, 'tools/call')['_meta'] as Json;
      return (meta[metaKey.clientCapabilities] as Json)['extensions'];
    };
    await client.ask('tools/call', { name: 'job' });
    assert.equal(declared(), undefined);
  });

  it('goes up with the extension declared, and without the wish', async (t) => {
    const { client, transport } = await before(t, { 'tools/call': { content: [] } });
    const { taskId } = await begun(client, core);
    await client.ask('tasks/result', { taskId });
    const { task, _meta: meta } = paramsSent(transport, 'tools/call');
    assert.equal(task, undefined);
    const { extensions } = (meta as Json)[metaKey.clientCapabilities] as { extensions: Json };
    assert.deepEqual(extensions, { 'io.modelcontextprotocol/tasks': {} });
  });

  it('is kept where the server answers plainly, and told at once where it takes its time', async (t) => {
    let answer: (() => void) | undefined;
    const { client } = await before(t, {
      'tools/call': (sent, peer) =>
        void (answer = () => peer.reply(sent, { content: [{ type: 'text', text: 'plain' }] })),
    });
    const { taskId } = await begun(client, core);
    assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'working');
    const waiting = textOf(client, taskId);
    await until(() => answer !== undefined, 'the call upstream');
    answer?.();
    assert.equal(await waiting, 'plain');
  });

  it('whose result says isError has failed, and its result is kept', async (t) => {
    const said = { isError: true, content: [{ type: 'text', text: 'no' }] };
    const { client } = await before(t, {
      'tools/call': made,
      'tasks/get': quick('completed', { result: said }),
    });
    const { taskId } = await begun(client, core);
    assert.equal(await textOf(client, taskId), 'no');
    assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'failed');
  });

  it('has the numbers of its result in the spelling of the server', async (t) => {
    const structuredContent = { one: new ExactNumber('1.0'), large: new ExactNumber('12345678901234567890') };
    const bridge = await bridgeTo(t, scripted(newest, { 'tools/call': { content: [], structuredContent } }));
    const client = await clientAt(bridge, core);
    const { taskId } = await begun(client, core);
    const result = await client.ask('tasks/result', { taskId });
    assert.equal(jsonText(result['structuredContent']), '{"one":1.0,"large":12345678901234567890}');
  });

  it('that failed gives the error of the call', async (t) => {
    const error = { code: -32050, message: 'broken', data: { why: 1 } };
    const { client } = await before(t, { 'tools/call': made, 'tasks/get': quick('failed', { error }) });
    const { taskId } = await begun(client, core);
    assert.deepEqual(await client.ask('tasks/result', { taskId }), error);
  });

  it('asks its client on the stream of what waits for its result, and answers once', async (t) => {
    const updates: Json[] = [];
    let looks = 0;
    const { client } = await before(t, {
      'tools/call': made,
      'tasks/update': (sent, peer) => {
        updates.push(paramsOf(sent.message as Json));
        peer.reply(sent, {});
      },
      'tasks/get': (sent, peer) => {
        // It is slow to see what it was answered.
        if (updates.length > 0) looks++;
        const result = { content: [{ type: 'text', text: 'hello' }] };
        peer.reply(
          sent,
          looks > 2 ? quick('completed', { result }) : quick('input_required', { inputRequests: { who: question } }),
        );
      },
    });
    const { taskId } = await begun(client, core);
    assert.equal(await textOf(client, taskId), 'hello');
    const asked = client.heard.filter(({ method }) => method === 'elicitation/create');
    assert.equal(asked.length, 1);
    assert.deepEqual((paramsOf(asked[0])['_meta'] as Json)[metaKey.relatedTask], { taskId });
    assert.deepEqual(
      updates.map(({ taskId: id, inputResponses }) => [id, inputResponses]),
      [['upstream-task-1', { who: { action: 'accept', content: { name: 'Ada' } } }]],
    );
  });

  it('asks what a server of ours asks, before it is a task and after', async (t) => {
    hurried(t);
    const server = serverAt(newest);
    t.after(() => server.close());
    server.tool('job', { task: { support: 'optional', after: 'background' } }, async (_, ctx) => {
      const first = await ctx.elicit({ message: 'who?', schema: person });
      await ctx.background();
      const second = await ctx.elicit({ message: 'who else?', schema: person });
      return `${String(first.content?.['name'])} and ${String(second.content?.['name'])}`;
    });
    const client = await clientAt(await bridgeBefore(t, server), core);
    const { taskId } = await begun(client, core);
    assert.equal(await textOf(client, taskId), 'Ada and Ada');
  });

  it('that asks what its client did not declare fails, and is cancelled', async (t) => {
    const { client, transport } = await before(t, {
      'tools/call': made,
      'tasks/get': quick('input_required', { inputRequests: { where: { method: 'roots/list' } } }),
      'tasks/cancel': {},
    });
    const { taskId } = await begun(client, core);
    const error = await client.ask('tasks/result', { taskId });
    assert.equal(error['code'], -32603);
    await until(() => transport.methods.includes('tasks/cancel'), 'the cancel');
  });

  it('is cancelled at once and stays so, whatever the server says', async (t) => {
    const { client, transport } = await before(t, {
      'tools/call': made,
      'tasks/get': quick('working'),
      'tasks/cancel': {},
    });
    const { taskId } = await begun(client, core);
    await until(() => transport.methods.includes('tasks/get'), 'a look');
    const answer = await client.ask('tasks/cancel', { taskId });
    assert.deepEqual([answer['status'], answer['taskId']], ['cancelled', taskId]);
    await until(() => transport.methods.includes('tasks/cancel'), 'the cancel');
    assert.equal(paramsSent(transport, 'tasks/cancel')['taskId'], 'upstream-task-1');
    assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'cancelled');
    assert.equal((await client.ask('tasks/cancel', { taskId }))['code'], -32602);
  });

  it('that is cancelled before the server answers is given up there', async (t) => {
    let [runs, aborted] = [false, false];
    const server = serverAt(newest);
    t.after(() => server.close());
    server.tool('job', {}, async (_, { signal }) => {
      runs = true;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      aborted = true;
      return 'late';
    });
    // It has a task of another tool, so that it declares the extension.
    server.tool('other', { task: 'optional' }, () => 'done');
    const client = await clientAt(await bridgeBefore(t, server), core);
    const { taskId } = await begun(client, core);
    await until(() => runs, 'the run');
    await client.ask('tasks/cancel', { taskId });
    await until(() => aborted, 'the end of the run');
  });

  it('that is cancelled before the server answers is cancelled there too, where it becomes a task', async (t) => {
    let answer: (() => void) | undefined;
    const { client, transport } = await before(t, {
      'tools/call': (sent, peer) => void (answer = () => peer.reply(sent, made)),
      'tasks/cancel': {},
    });
    const { taskId } = await begun(client, core);
    await until(() => answer !== undefined, 'the call upstream');
    assert.equal((await client.ask('tasks/cancel', { taskId }))['status'], 'cancelled');
    answer?.();
    await until(() => transport.methods.includes('tasks/cancel'), 'the cancel');
    assert.equal(paramsSent(transport, 'tasks/cancel')['taskId'], 'upstream-task-1');
  });

  it('is told of by notices, with what the server says of it', async (t) => {
    let isOver = false;
    const { client } = await before(t, {
      'tools/call': made,
      'tasks/get': (sent, peer) =>
        peer.reply(
          sent,
          isOver ? quick('completed', { result: { content: [] } }) : quick('working', { statusMessage: 'half' }),
        ),
    });
    const { taskId } = await begun(client, core);
    const told = (): readonly Json[] =>
      client.heard.filter(({ method }) => method === 'notifications/tasks/status').map((one) => paramsOf(one));
    await until(() => told().some(({ statusMessage }) => statusMessage === 'half'), 'what it says');
    isOver = true;
    await until(() => told().some(({ status }) => status === 'completed'), 'its end');
    assert.ok(told().every(({ taskId: id }) => id === taskId));
  });

  it('is out of reach for others, who learn nothing', async (t) => {
    hurried(t);
    const bridge = await bridgeBefore(t, serverWith(t, newest));
    const [ann, eve] = [await clientAt(bridge, core, 'ann'), await clientAt(bridge, core, 'eve')];
    const { taskId } = await begun(ann, core);
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      assert.deepEqual(await eve.ask(method, { taskId }), unknown);
      assert.deepEqual(await eve.ask(method, { taskId: 'never' }), unknown);
    }
    assert.equal(await textOf(ann, taskId), 'done');
  });

  it('that the server does not have any more fails', async (t) => {
    const { client } = await before(t, {
      'tools/call': made,
      'tasks/get': (sent, peer) => peer.refuse(sent, { code: -32602, message: 'upstream-task-1 expired' }),
    });
    const { taskId } = await begun(client, core);
    const error = await client.ask('tasks/result', { taskId });
    assert.equal(error['code'], -32603);
    assert.equal(JSON.stringify(error).includes('upstream-task-1'), false);
  });

  for (const [what, nonsense] of Object.entries({
    'a task that is none': { resultType: 'task', taskId: 7 },
    'a result that is none': { content: 'x' },
    'questions that are none': { resultType: 'input_required', inputRequests: { a: 1 } },
  }))
    it(`of a server that answers with ${what} fails alone`, async (t) => {
      const { client } = await before(t, { 'tools/call': nonsense, 'tasks/get': quick('working') });
      const { taskId } = await begun(client, core);
      assert.equal((await client.ask('tasks/result', { taskId }))['code'], -32603);
    });

  it('of a server that asks without end fails', async (t) => {
    hurried(t);
    let count = 0;
    const { client, transport } = await before(t, {
      'tools/call': made,
      'tasks/update': {},
      'tasks/cancel': {},
      'tasks/get': (sent, peer) => {
        const all = Array.from({ length: 300 }, () => [`q${count++}`, question]);
        peer.reply(sent, quick('input_required', { inputRequests: Object.fromEntries(all) }));
      },
    });
    const { taskId } = await begun(client, core);
    assert.equal((await client.ask('tasks/result', { taskId }))['code'], -32603);
    await until(() => transport.methods.includes('tasks/cancel'), 'the cancel');
  });

  it('goes on after a restart of the bridge, with a store that lasts', async (t) => {
    hurried(t);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let runs = 0;
    const server = serverWith(t, newest, async () => {
      runs++;
      await released;
      return 'after all';
    });
    const store = memoryTasks();
    const first = await createBridge({ upstream: memoryTransport(server), tasks: { store } });
    const one = await clientAt(first, core, 'ann');
    const { taskId } = await begun(one, core);
    while ((await store.get(String(taskId)))?.text.includes('"begun"') !== true) await new Promise(setImmediate);
    await first.close();
    const client = await clientAt(await bridgeBefore(t, server, { tasks: { store } }), core, 'ann');
    assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'working');
    const { tasks } = await client.ask('tasks/list');
    assert.deepEqual(await client.ask('tasks/list', { cursor: '' }), await client.ask('tasks/list'));
    assert.deepEqual(
      (tasks as readonly Json[]).map((task) => task['taskId']),
      [taskId],
    );
    release();
    assert.equal(await textOf(client, taskId), 'after all');
    assert.equal(runs, 1);
  });

  it('is kept for each of several servers', async (t) => {
    hurried(t);
    const upstreams = Object.fromEntries(
      ['one', 'two'].map((name) => {
        const server = serverAt(newest);
        t.after(() => server.close());
        server.tool(`job-${name}`, { task: { support: 'optional', after: 0 } }, () => `done by ${name}`);
        return [name, { upstream: memoryTransport(server) }];
      }),
    );
    const bridge = await createBridge({ upstreams });
    t.after(() => bridge.close());
    const client = await clientAt(bridge, core, 'ann');
    const eve = await clientAt(bridge, core, 'eve');
    for (const name of ['one', 'two']) {
      const { task } = await client.ask('tools/call', { name: `job-${name}`, task: {} });
      const { taskId } = task as Json;
      assert.equal(await textOf(client, taskId), `done by ${name}`);
      assert.deepEqual(await eve.ask('tasks/get', { taskId }), unknown);
    }
    assert.equal((await client.ask('tasks/list'))['code'], -32601);
  });

  it('is declared as one that can be cancelled, and not listed without a store', async (t) => {
    const bridge = await bridgeBefore(t, serverWith(t, newest));
    const client = await taskClient(bridge, { revision: core, capabilities: {}, principal: 'ann' });
    assert.equal((await client.ask('tasks/list'))['code'], -32601);
  });
});
