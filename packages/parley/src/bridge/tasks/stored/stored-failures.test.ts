/** Tasks that a bridge keeps, before servers that fail, and what is theirs alone. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bridgeTo } from '../../../../../../test/support/bridged.ts';
import {
  begun,
  clientAt,
  core,
  createdAs,
  newest,
  paramsOf,
  person,
  scripted,
  taskOf,
  type Json,
} from '../../../../../../test/support/bridged-tasks.ts';
import { hurried } from '../../../../../../test/support/hurried.ts';
import { paramsSent, type Scripted } from '../../../../../../test/support/scripted-upstream.ts';
import type { TaskClient } from '../../../../../../test/support/task-client.ts';
import { until } from '../../../../../../test/support/turns.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { memoryTasks } from '../../../storage/memory-tasks.ts';
import type { ScriptedPeer, SentMessage } from '../../../testing/scripted.ts';

const made: Json = { ...createdAs(newest, 'upstream-task-1'), pollIntervalMs: 5 };
const question = { method: 'elicitation/create', params: { mode: 'form', message: 'who?', requestedSchema: person } };
const ended: Json = quick('completed', { result: { content: [{ type: 'text', text: 'after all' }] } });

/** A task of a scripted server that is looked at soon. */
function quick(status: string, more: Json = {}): Json {
  return { ...taskOf('upstream-task-1', status), pollIntervalMs: 5, ...more };
}

async function before(t: TestContext, answers: Scripted['answers']) {
  const transport = scripted(newest, answers);
  const bridge = await bridgeTo(t, transport);
  return { transport, bridge, client: await clientAt(bridge, core) };
}

async function textOf(client: TaskClient, taskId: unknown): Promise<unknown> {
  const result = await client.ask('tasks/result', { taskId });
  return (result['content'] as readonly Json[] | undefined)?.[0]?.['text'] ?? result;
}

/** Lets the first requests fail, and answers the others. */
function failing(
  times: number,
  fail: (sent: SentMessage, peer: ScriptedPeer) => void,
  answer: (sent: SentMessage, peer: ScriptedPeer) => void,
) {
  let count = 0;
  return (sent: SentMessage, peer: ScriptedPeer): void => (count++ < times ? fail : answer)(sent, peer);
}

const refused = (sent: SentMessage, peer: ScriptedPeer): void =>
  peer.refuse(sent, { code: -32603, message: 'not now' });
const lost = (_: SentMessage, peer: ScriptedPeer): void => peer.fail(new ConnectionError('refused', 'nobody is there'));

describe('a task that a bridge keeps before a server that fails', () => {
  for (const [what, times, fail] of [
    ['is answered with an error that may pass', 2, refused],
    ['cannot be reached for a while', 6, lost],
  ] as const)
    it(`goes on where a look at it ${what}`, async (t) => {
      hurried(t);
      const { client, transport } = await before(t, {
        'tools/call': made,
        'tasks/get': failing(times, fail, (sent, peer) => peer.reply(sent, ended)),
        'tasks/cancel': {},
      });
      const { taskId } = await begun(client, core);
      assert.equal(await textOf(client, taskId), 'after all');
      assert.equal(transport.methods.includes('tasks/cancel'), false);
    });

  it('fails at once where a look at it is answered with what will not pass', async (t) => {
    const { client } = await before(t, {
      'tools/call': made,
      'tasks/get': (sent, peer) => peer.refuse(sent, { code: -32601, message: 'no such method' }),
    });
    const { taskId } = await begun(client, core);
    const error = await client.ask('tasks/result', { taskId });
    assert.equal(error['code'], -32603);
  });

  it('fails at once where it is told of in words that are none', async (t) => {
    const { client } = await before(t, { 'tools/call': made, 'tasks/get': { taskId: 7 } });
    const { taskId } = await begun(client, core);
    assert.match(String((await client.ask('tasks/result', { taskId }))['message']), /malformed/);
  });

  for (const [what, fail] of [
    ['is answered with an error that may pass', refused],
    ['cannot be sent', lost],
  ] as const)
    it(`sends an answer of its client again that ${what}`, async (t) => {
      hurried(t);
      const given: unknown[] = [];
      const { client } = await before(t, {
        'tools/call': made,
        'tasks/update': failing(2, fail, (sent, peer) => {
          given.push(paramsOf(sent.message)['inputResponses']);
          peer.reply(sent, {});
        }),
        'tasks/get': (sent, peer) =>
          peer.reply(sent, given.length > 0 ? ended : quick('input_required', { inputRequests: { who: question } })),
      });
      const { taskId } = await begun(client, core);
      assert.equal(await textOf(client, taskId), 'after all');
      assert.deepEqual(given, [{ who: { action: 'accept', content: { name: 'Ada' } } }]);
      assert.equal(client.heard.filter(({ method }) => method === 'elicitation/create').length, 1);
    });

  it('that ends while its client answers has the result of the server', async (t) => {
    let isOver = false;
    const { client } = await before(t, {
      'tools/call': made,
      'tasks/update': (sent, peer) => {
        isOver = true;
        peer.refuse(sent, { code: -32602, message: 'it has ended' });
      },
      'tasks/get': (sent, peer) =>
        peer.reply(sent, isOver ? ended : quick('input_required', { inputRequests: { who: question } })),
    });
    const { taskId } = await begun(client, core);
    assert.equal(await textOf(client, taskId), 'after all');
  });

  it('fails where the server does not take an answer that it still waits for', async (t) => {
    const { client, transport } = await before(t, {
      'tools/call': made,
      'tasks/cancel': {},
      'tasks/update': (sent, peer) => peer.refuse(sent, { code: -32602, message: 'not so' }),
      'tasks/get': quick('input_required', { inputRequests: { who: question } }),
    });
    const { taskId } = await begun(client, core);
    assert.equal((await client.ask('tasks/result', { taskId }))['code'], -32603);
    await until(() => transport.methods.includes('tasks/cancel'), 'the cancel');
  });
});

describe('a task that a bridge keeps', () => {
  it('goes up with the words of its client about the call, save those of one hop', async (t) => {
    const { client, transport } = await before(t, { 'tools/call': { content: [] } });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const _meta = { traceparent, 'example.org/own': 1, progressToken: 'token-of-the-client' };
    const { task } = await client.ask('tools/call', { name: 'job', task: {}, _meta });
    await client.ask('tasks/result', { taskId: (task as Json)['taskId'] });
    const meta = paramsSent(transport, 'tools/call')['_meta'] as Json;
    assert.deepEqual([meta['traceparent'], meta['example.org/own']], [traceparent, 1]);
    assert.notEqual(meta['progressToken'], 'token-of-the-client');
  });

  it('is cancelled at the server when its bridge is closed, where no other goes on with it', async (t) => {
    const { client, bridge, transport } = await before(t, {
      'tools/call': made,
      'tasks/get': quick('working'),
      'tasks/cancel': {},
    });
    await begun(client, core);
    await until(() => transport.methods.includes('tasks/get'), 'a look');
    await bridge.close();
    assert.equal(transport.methods.includes('tasks/cancel'), true);
  });

  it('is out of reach of another bridge that is made with the same options', async (t) => {
    const tasks = {};
    const answers = { 'tools/call': made, 'tasks/get': ended };
    const [one, other] = [
      await bridgeTo(t, scripted(newest, answers), { tasks }),
      await bridgeTo(t, scripted(newest, answers), { tasks }),
    ];
    const [client, stranger] = [await clientAt(one, core, 'ann'), await clientAt(other, core, 'ann')];
    const { taskId } = await begun(client, core);
    assert.equal(await textOf(client, taskId), 'after all');
    assert.equal((await stranger.ask('tasks/get', { taskId }))['code'], -32602);
  });

  it('is out of reach of a bridge of another queue that has the same store', async (t) => {
    const store = memoryTasks();
    const answers = { 'tools/call': made, 'tasks/get': ended };
    const [one, other] = [
      await bridgeTo(t, scripted(newest, answers), { tasks: { store } }),
      await bridgeTo(t, scripted(newest, answers), { tasks: { store, queue: 'other' } }),
    ];
    const [client, stranger] = [await clientAt(one, core), await clientAt(other, core)];
    const { taskId } = await begun(client, core);
    assert.equal(await textOf(client, taskId), 'after all');
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      assert.equal((await stranger.ask(method, { taskId }))['code'], -32602, method);
  });
});
