/** Calls of one client that run side by side in one process of a handshake server. */

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { bridgeTo } from '../../test/support/bridged.ts';
import { open, settle, statelessDate, type Json, type Raw } from '../../test/support/raw.ts';
import { scriptedUpstream } from '../../test/support/scripted-upstream.ts';
import type { Channel, Receiver } from '../jsonrpc/transport.ts';
import { metaKey } from '../protocol/meta.ts';
import type { ScriptedPeer, ScriptedTransport, SentMessage } from '../testing/scripted.ts';

const capabilities = { elicitation: {} };
const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

interface Setup {
  readonly raw: Raw;
  readonly transport: ScriptedTransport;
  /** The calls that run, by their tool, and how to answer them. */
  readonly calls: Map<unknown, { readonly sent: SentMessage; readonly peer: ScriptedPeer }>;
  /** Ends a call. */
  reply(tool: string): void;
  ask(tool: string, id: string): void;
  /** What the server was answered. */
  answerTo(id: string): Json | undefined;
}

async function setup(t: TestContext): Promise<Setup> {
  const calls: Setup['calls'] = new Map();
  const transport = scriptedUpstream({
    up: '2025-06-18',
    answers: { 'tools/call': (sent, peer) => void calls.set(Object(sent.message['params'])['name'], { sent, peer }) },
  });
  const bridge = await bridgeTo(t, { ...transport, kind: 'stdio', open: (receiver) => transport.open(receiver) });
  const raw = await open(bridge, statelessDate, { capabilities, meta: { [metaKey.logLevel]: 'debug' } });
  return {
    raw,
    transport,
    calls,
    reply: (tool) => {
      const call = calls.get(tool);
      call?.peer.reply(call.sent, { content: [{ type: 'text', text: tool }] });
    },
    ask: (tool, id) => calls.get(tool)?.peer.send({ jsonrpc: '2.0', id, method: 'elicitation/create', params }),
    answerTo: (id) => transport.sent.findLast(({ message }) => message['id'] === id)?.message,
  };
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await settle();
}

/** Begins two calls, one after the other. */
async function begun({ raw, calls }: Setup): Promise<readonly [Promise<Json>, Promise<Json>]> {
  const first = raw.ask('tools/call', { name: 'first' }, 'first');
  await until(() => calls.size === 1);
  const second = raw.ask('tools/call', { name: 'second' }, 'second');
  await until(() => calls.size === 2);
  return [first, second];
}

it('a question goes on with another call when that which it waited with is over', async (t) => {
  const stage = await setup(t);
  const [first, second] = await begun(stage);
  stage.ask('second', 'q');
  stage.reply('first');
  assert.equal(Object((await first)['result'])['resultType'], 'complete');
  const { inputRequests, requestState } = Object((await second)['result']);
  const [key = ''] = Object.keys(inputRequests);
  const inputResponses = { [key]: { action: 'decline' } };
  const last = stage.raw.ask('tools/call', { name: 'second', requestState, inputResponses });
  await until(() => stage.answerTo('q') !== undefined);
  assert.deepEqual(stage.answerTo('q')?.['result'], { action: 'decline' });
  stage.reply('second');
  await last;
});

it('a question finds nobody once one of several calls was cancelled, and the next call has another process', async (t) => {
  const stage = await setup(t);
  const first = stage.raw.send('tools/call', { name: 'first' }, 'first');
  await until(() => stage.calls.size === 1);
  const second = stage.raw.ask('tools/call', { name: 'second' }, 'second');
  await until(() => stage.calls.size === 2);
  await stage.raw.notify('notifications/cancelled', { requestId: 'first' });
  await first;
  await until(() => stage.transport.methods.includes('notifications/cancelled'));
  for (let turn = 0; turn < 20; turn++) await settle();
  stage.ask('first', 'q');
  await until(() => stage.answerTo('q') !== undefined);
  assert.equal(Object(stage.answerTo('q')?.['error'])['code'], -32601);
  const third = stage.raw.ask('tools/call', { name: 'third' });
  await until(() => stage.calls.size === 3);
  const [two, three] = ['second', 'third'].map((tool) => stage.calls.get(tool)?.sent.conversation);
  assert.notEqual(two, three);
  // What still runs in the old process ends there, and the process with it.
  stage.reply('second');
  assert.equal(Object(Object((await second)['result'])['content'][0])['text'], 'second');
  await until(() => stage.transport.closed.includes(Number(two)));
  stage.reply('third');
  await third;
});

it('log messages reach one of the calls that want them', async (t) => {
  const stage = await setup(t);
  const calls = await begun(stage);
  const message = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'said' } };
  stage.calls.get('second')?.peer.send(message);
  stage.reply('first');
  stage.reply('second');
  await Promise.all(calls);
  assert.deepEqual(stage.raw.methods, ['notifications/message']);
});

it('all clients use one process where the configuration says so', async (t) => {
  let opened = 0;
  const transport = scriptedUpstream({ up: '2025-06-18', answers: { 'tools/call': { content: [] } } });
  const open1 = async (receiver: Receiver): Promise<Channel> => {
    opened++;
    return await transport.open(receiver);
  };
  const bridge = await bridgeTo(t, { ...transport, kind: 'stdio', open: open1 }, { sharing: 'shared' });
  for (const date of ['2025-06-18', statelessDate] as const)
    for (const principal of ['ann', 'bob'])
      await (await open(bridge, date, { capabilities, auth: { principal } })).result('tools/call', { name: 'any' });
  assert.equal(opened, 1);
});
