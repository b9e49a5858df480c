/** Calls of stateless clients before a session-based server whose connections are processes. */

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { bridgeTo } from '../../../../test/support/bridged.ts';
import { open, settle, statelessDate, type Json, type Raw } from '../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import { until } from '../../../../test/support/turns.ts';
import type { Channel, Receiver } from '../jsonrpc/transport.ts';
import { metaKey } from '../protocol/meta.ts';
import type { ScriptedPeer, ScriptedTransport, SentMessage } from '../testing/scripted.ts';

const capabilities = { elicitation: {}, sampling: {}, roots: {} };
const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

const sampled = { messages: [], maxTokens: 1 };
const logged = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'said' } };

interface Setup {
  readonly raw: Raw;
  readonly transport: ScriptedTransport;
  /** The calls that run, by their tool, and how to answer them. */
  readonly calls: Map<unknown, { readonly sent: SentMessage; readonly peer: ScriptedPeer }>;
  /** Ends a call. */
  reply(tool: string): void;
  ask(tool: string, id: string): void;
  /** Sends a log message where a call runs. */
  log(tool: string): void;
  readonly warnings: readonly string[];
  /** What the server was answered. */
  answerTo(id: string): Json | undefined;
}

async function setup(t: TestContext, declared: Json = capabilities): Promise<Setup> {
  const calls: Setup['calls'] = new Map();
  const transport = scriptedUpstream({
    up: '2025-06-18',
    kind: 'stdio',
    answers: { 'tools/call': (sent, peer) => void calls.set(Object(sent.message['params'])['name'], { sent, peer }) },
  });
  const warnings: string[] = [];
  const bridge = await bridgeTo(t, transport, { warnings });
  const raw = await open(bridge, statelessDate, { capabilities: declared, meta: { [metaKey.logLevel]: 'debug' } });
  return {
    raw,
    transport,
    calls,
    warnings,
    reply: (tool) => {
      const call = calls.get(tool);
      call?.peer.reply(call.sent, { content: [{ type: 'text', text: tool }] });
    },
    ask: (tool, id) => calls.get(tool)?.peer.send({ jsonrpc: '2.0', id, method: 'elicitation/create', params }),
    log: (tool) => calls.get(tool)?.peer.send(logged),
    answerTo: (id) => transport.sent.findLast(({ message }) => message['id'] === id)?.message,
  };
}

/** The number of the process in which a call runs. */
function processOf({ calls }: Setup, tool: string): number | undefined {
  return calls.get(tool)?.sent.conversation;
}

/** Begins a call; gives its answer to come. */
async function begun(stage: Setup, tool: string): Promise<{ readonly answer: Promise<Json> }> {
  const answer = stage.raw.ask('tools/call', { name: tool }, tool);
  await until(() => stage.calls.has(tool));
  return { answer };
}

/** Runs a call that asks nothing. */
async function ran(stage: Setup, tool: string): Promise<number | undefined> {
  const { answer } = await begun(stage, tool);
  const process = processOf(stage, tool);
  stage.reply(tool);
  assert.equal(Object((await answer)['result'])['resultType'], 'complete');
  stage.calls.delete(tool);
  return process;
}

it('calls one after the other run in one process, and calls at once in several', async (t) => {
  const stage = await setup(t);
  const first = await ran(stage, 'first');
  assert.equal(await ran(stage, 'second'), first);
  const calls = [await begun(stage, 'third'), await begun(stage, 'fourth')];
  assert.equal(processOf(stage, 'third'), first);
  assert.notEqual(processOf(stage, 'fourth'), first);
  for (const tool of ['third', 'fourth']) stage.reply(tool);
  for (const { answer } of calls) await answer;
  // What the first calls left behind is still there.
  assert.equal(await ran(stage, 'fifth'), first);
});

it('a list is read beside a call that may be asked, in its process', async (t) => {
  const stage = await setup(t);
  const { answer } = await begun(stage, 'first');
  await stage.raw.result('tools/list');
  const listed = stage.transport.sent.findLast(({ message }) => message['method'] === 'tools/list');
  assert.equal(listed?.conversation, processOf(stage, 'first'));
  stage.reply('first');
  await answer;
});

it('a question outside of all calls is refused, and the next call has another process', async (t) => {
  const stage = await setup(t);
  const { answer } = await begun(stage, 'first');
  const before = processOf(stage, 'first');
  stage.reply('first');
  await answer;
  stage.ask('first', 'late');
  await until(() => stage.answerTo('late') !== undefined);
  assert.match(JSON.stringify(stage.answerTo('late')), /no client was asked .* no call runs that it may belong to/);
  assert.notEqual(await ran(stage, 'second'), before);
  assert.deepEqual(stage.raw.methods, []);
});

it('a question that is open when its call is answered is refused', async (t) => {
  const stage = await setup(t);
  const { answer } = await begun(stage, 'first');
  stage.reply('first');
  stage.ask('first', 'late');
  assert.equal(Object((await answer)['result'])['resultType'], 'complete');
  await until(() => stage.answerTo('late') !== undefined);
  assert.ok('error' in (stage.answerTo('late') ?? {}));
});

/** Begins a call and gives it up. */
async function givenUp({ raw, calls, transport }: Setup, tool: string): Promise<void> {
  const call = raw.send('tools/call', { name: tool }, tool);
  await until(() => calls.has(tool));
  await raw.notify('notifications/cancelled', { requestId: tool });
  await call;
  await until(() => transport.methods.includes('notifications/cancelled'));
  for (let turn = 0; turn < 20; turn++) await settle();
}

/** Runs a tool that asks. @returns The process in which it ran. */
async function askedOnce(stage: Setup, tool: string): Promise<number | undefined> {
  const first = stage.raw.ask('tools/call', { name: tool });
  await until(() => stage.calls.has(tool));
  stage.ask(tool, `of ${tool}`);
  assert.equal(Object((await first)['result'])['resultType'], 'input_required');
  const { inputRequests, requestState } = Object((await first)['result']);
  const [key = ''] = Object.keys(inputRequests);
  const inputResponses = { [key]: { action: 'decline' } };
  const last = stage.raw.ask('tools/call', { name: tool, requestState, inputResponses });
  await until(() => stage.answerTo(`of ${tool}`) !== undefined);
  stage.reply(tool);
  await last;
  const process = processOf(stage, tool);
  stage.calls.delete(tool);
  return process;
}

async function answerAfter(stage: Setup, tool: string, method: string): Promise<Json | undefined> {
  stage.calls.get(tool)?.peer.send({ jsonrpc: '2.0', id: method, method, params: { ...params, ...sampled } });
  await until(() => stage.answerTo(method) !== undefined);
  return stage.answerTo(method);
}

it('a question that may be of a cancelled call is refused, and the process goes on', async (t) => {
  const stage = await setup(t);
  await givenUp(stage, 'first');
  const { answer } = await begun(stage, 'second');
  assert.equal(processOf(stage, 'first'), processOf(stage, 'second'));
  for (const [method, code] of [
    ['elicitation/create', -32603],
    ['sampling/createMessage', -1],
    ['roots/list', -32603],
  ] as const) {
    const { error } = Object(await answerAfter(stage, 'first', method));
    assert.equal(error.code, code);
    assert.match(error.message, /no client was asked .*: it may belong to a call that was cancelled/);
  }
  stage.log('first');
  stage.log('first');
  stage.reply('second');
  assert.equal(Object((await answer)['result'])['resultType'], 'complete');
  assert.deepEqual(stage.raw.methods, []);
  const told = stage.warnings.filter((warning) => warning.includes('cancelled or has ended'));
  assert.deepEqual(
    told.map((warning) => warning.split(' while ')[0]),
    ['the server asked "elicitation/create"', 'the server sent log messages'],
  );
});

it('after a cancellation, a server that is known to ask gets the next call in another process', async (t) => {
  const stage = await setup(t);
  await askedOnce(stage, 'asks');
  await givenUp(stage, 'first');
  const [one, two] = [processOf(stage, 'first'), await askedOnce(stage, 'asks')];
  assert.notEqual(one, two);
  await until(() => stage.transport.closed.includes(Number(one)));
});

it('a question that was refused is asked when the call is made again', async (t) => {
  const stage = await setup(t);
  await givenUp(stage, 'first');
  const { answer } = await begun(stage, 'asks');
  const before = processOf(stage, 'asks');
  await answerAfter(stage, 'asks', 'elicitation/create');
  stage.reply('asks');
  assert.equal(Object((await answer)['result'])['resultType'], 'complete');
  stage.calls.delete('asks');
  assert.notEqual(await askedOnce(stage, 'asks'), before);
});

it('a process serves again when the cancelled call is answered after all', async (t) => {
  const stage = await setup(t);
  await askedOnce(stage, 'asks');
  await givenUp(stage, 'first');
  stage.reply('first');
  assert.equal(processOf(stage, 'first'), await askedOnce(stage, 'asks'));
});

it('log messages reach nobody while two calls run that may have caused them', async (t) => {
  const stage = await setup(t, {});
  const calls = [await begun(stage, 'first'), await begun(stage, 'second')];
  assert.equal(processOf(stage, 'first'), processOf(stage, 'second'));
  stage.log('second');
  stage.reply('first');
  await calls[0]?.answer;
  stage.log('second');
  stage.reply('second');
  await calls[1]?.answer;
  assert.deepEqual(
    stage.raw.heard.map(({ related }) => related),
    ['second'],
  );
});

it('all clients use one process where the configuration says so', async (t) => {
  let opened = 0;
  const transport = scriptedUpstream({ up: '2025-06-18', answers: { 'tools/call': { content: [] } } });
  const open1 = async (receiver: Receiver): Promise<Channel> => {
    opened++;
    return await transport.open(receiver);
  };
  const bridge = await bridgeTo(t, { ...transport, ownsProcess: true, open: open1 }, { sharing: 'shared' });
  for (const date of ['2025-06-18', statelessDate] as const)
    for (const principal of ['ann', 'bob'])
      await (await open(bridge, date, { capabilities, auth: { principal } })).result('tools/call', { name: 'any' });
  assert.equal(opened, 1);
});
