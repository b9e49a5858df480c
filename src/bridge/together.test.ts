/** Calls of one client that run side by side in one process of a handshake server. */

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { bridgeTo } from '../../test/support/bridged.ts';
import { open, settle, statelessDate, type Json, type Raw } from '../../test/support/raw.ts';
import { scriptedUpstream } from '../../test/support/scripted-upstream.ts';
import { until } from '../../test/support/turns.ts';
import type { Channel, Receiver, Transport } from '../jsonrpc/transport.ts';
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

async function setup(t: TestContext): Promise<Setup> {
  const calls: Setup['calls'] = new Map();
  const transport = scriptedUpstream({
    up: '2025-06-18',
    answers: { 'tools/call': (sent, peer) => void calls.set(Object(sent.message['params'])['name'], { sent, peer }) },
  });
  const warnings: string[] = [];
  const upstream: Transport = { ...transport, ownsProcess: true, open: (receiver) => transport.open(receiver) };
  const bridge = await bridgeTo(t, upstream, { warnings });
  const raw = await open(bridge, statelessDate, { capabilities, meta: { [metaKey.logLevel]: 'debug' } });
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

/** Begins a call and gives it up. */
async function givenUp({ raw, calls, transport }: Setup, tool: string): Promise<void> {
  const call = raw.send('tools/call', { name: tool }, tool);
  await until(() => calls.has(tool));
  await raw.notify('notifications/cancelled', { requestId: tool });
  await call;
  await until(() => transport.methods.includes('notifications/cancelled'));
  for (let turn = 0; turn < 20; turn++) await settle();
}

/** Runs a tool that asks, as its first call does where nothing was given up. */
async function askedOnce(stage: Setup, tool: string): Promise<void> {
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
  stage.calls.delete(tool);
}

async function answerAfter(stage: Setup, tool: string, method: string): Promise<Json | undefined> {
  stage.calls.get(tool)?.peer.send({ jsonrpc: '2.0', id: method, method, params: { ...params, ...sampled } });
  await until(() => stage.answerTo(method) !== undefined);
  return stage.answerTo(method);
}

it('a question in doubt is refused and nobody hears it, and the process goes on', async (t) => {
  const stage = await setup(t);
  await givenUp(stage, 'first');
  const second = stage.raw.ask('tools/call', { name: 'second' });
  await until(() => stage.calls.has('second'));
  const [one, two] = ['first', 'second'].map((tool) => stage.calls.get(tool)?.sent.conversation);
  assert.equal(one, two);
  const elicitation = await answerAfter(stage, 'first', 'elicitation/create');
  assert.deepEqual(elicitation?.['result'], { action: 'cancel' });
  assert.equal(Object((await answerAfter(stage, 'first', 'sampling/createMessage'))?.['error'])['code'], -1);
  assert.equal(Object((await answerAfter(stage, 'first', 'roots/list'))?.['error'])['code'], -32603);
  stage.log('first');
  stage.log('first');
  stage.reply('second');
  assert.equal(Object((await second)['result'])['resultType'], 'complete');
  assert.deepEqual(stage.raw.methods, []);
  const told = stage.warnings.filter((warning) => warning.includes('given up'));
  assert.deepEqual(
    told.map((warning) => warning.split(' while ')[0]),
    ['the server asked "elicitation/create"', 'the server sent log messages'],
  );
});

it('a tool that is known to ask is asked elsewhere while another call is in doubt', async (t) => {
  const stage = await setup(t);
  await askedOnce(stage, 'asks');
  await givenUp(stage, 'first');
  const asking = askedOnce(stage, 'asks');
  await until(() => stage.calls.has('asks'));
  const [one, two] = ['first', 'asks'].map((tool) => stage.calls.get(tool)?.sent.conversation);
  assert.notEqual(one, two);
  await until(() => stage.transport.closed.includes(Number(one)));
  await asking;
});

it('what runs while a question comes in doubt is asked properly the next time', async (t) => {
  const stage = await setup(t);
  await givenUp(stage, 'first');
  const asks = stage.raw.ask('tools/call', { name: 'asks' });
  await until(() => stage.calls.has('asks'));
  const { conversation } = stage.calls.get('asks')?.sent ?? {};
  await answerAfter(stage, 'asks', 'elicitation/create');
  stage.reply('asks');
  assert.equal(Object((await asks)['result'])['resultType'], 'complete');
  stage.calls.delete('asks');
  const asking = askedOnce(stage, 'asks');
  await until(() => stage.calls.has('asks'));
  assert.notEqual(stage.calls.get('asks')?.sent.conversation, conversation);
  await asking;
});

it('doubt ends when the call that was given up is answered after all', async (t) => {
  const stage = await setup(t);
  await askedOnce(stage, 'asks');
  await givenUp(stage, 'first');
  stage.reply('first');
  const asking = askedOnce(stage, 'asks');
  await until(() => stage.calls.has('asks'));
  const [one, two] = ['first', 'asks'].map((tool) => stage.calls.get(tool)?.sent.conversation);
  assert.equal(one, two);
  await asking;
});

it('a call that runs on while another is given up ends in its process', async (t) => {
  const stage = await setup(t);
  await askedOnce(stage, 'asks');
  const second = stage.raw.ask('tools/call', { name: 'second' }, 'second');
  await until(() => stage.calls.has('second'));
  await givenUp(stage, 'first');
  const asking = askedOnce(stage, 'asks');
  await until(() => stage.calls.has('asks'));
  const [two, asks] = ['second', 'asks'].map((tool) => stage.calls.get(tool)?.sent.conversation);
  assert.notEqual(two, asks);
  stage.reply('second');
  assert.equal(Object(Object((await second)['result'])['content'][0])['text'], 'second');
  await until(() => stage.transport.closed.includes(Number(two)));
  await asking;
});

it('log messages reach one of the calls that want them', async (t) => {
  const stage = await setup(t);
  const calls = await begun(stage);
  stage.log('second');
  stage.reply('first');
  stage.reply('second');
  await Promise.all(calls);
  assert.deepEqual(stage.raw.methods, ['notifications/message']);
});

/** The parameters of a request that brings the same answer to everything that a response asks. */
function retry(response: Json, tool: string): Json {
  const { resultType, inputRequests, requestState } = Object(response['result']);
  assert.equal(resultType, 'input_required');
  const answers = Object.keys(inputRequests).map((key) => [key, { action: 'decline' }]);
  return { name: tool, requestState, inputResponses: Object.fromEntries(answers) };
}

/** Runs something while no time passes but what it lets pass. */
async function withClock(t: TestContext, run: (tick: (ms: number) => void) => Promise<void>): Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let over = false;
  const running = run((ms) => t.mock.timers.tick(ms)).finally(() => (over = true));
  try {
    // What is due at once is no matter of time.
    await Promise.all([running, until(() => (t.mock.timers.tick(0), over))]);
  } finally {
    t.mock.timers.reset();
  }
}

it('a question goes with a call that is waited for, not with one whose client is away', async (t) => {
  const stage = await setup(t);
  const [first, second] = await begun(stage);
  stage.ask('first', 'of first');
  await first;
  stage.ask('second', 'of second');
  const again = stage.raw.ask('tools/call', retry(await second, 'second'));
  await until(() => stage.answerTo('of second') !== undefined);
  stage.ask('second', 'one more');
  const last = stage.raw.ask('tools/call', retry(await again, 'second'));
  await until(() => stage.answerTo('one more') !== undefined);
  stage.reply('second');
  assert.equal(Object((await last)['result'])['resultType'], 'complete');
});

it('a question goes with a call that is known to ask, where others are waited for as well', async (t) => {
  const stage = await setup(t);
  await askedOnce(stage, 'second');
  const [first, second] = await begun(stage);
  stage.ask('second', 'q');
  const last = stage.raw.ask('tools/call', retry(await second, 'second'));
  await until(() => stage.answerTo('q') !== undefined);
  stage.reply('first');
  stage.reply('second');
  assert.equal(Object((await first)['result'])['resultType'], 'complete');
  await last;
});

for (const ended of [false, true])
  it(`a question is asked again with another call when its client stays away${ended ? ' and its call is over' : ''}`, async (t) => {
    const stage = await setup(t);
    const [first, second] = await begun(stage);
    await withClock(t, async (tick) => {
      stage.ask('second', 'q');
      const forgotten = retry(await first, 'first');
      if (ended) stage.reply('first');
      tick(30_000);
      const last = stage.raw.ask('tools/call', retry(await second, 'second'));
      await until(() => stage.answerTo('q') !== undefined);
      assert.deepEqual(stage.answerTo('q')?.['result'], { action: 'decline' });
      stage.reply('second');
      assert.equal(Object((await last)['result'])['resultType'], 'complete');
      // Whoever comes back after all goes on.
      const late = stage.raw.ask('tools/call', forgotten);
      if (!ended) stage.reply('first');
      assert.equal(Object((await late)['result'])['resultType'], 'complete');
    });
  });

it('a question is asked once as long as the call that has it is known to ask, and the other is not', async (t) => {
  const stage = await setup(t);
  await askedOnce(stage, 'second');
  const [first, second] = await begun(stage);
  await withClock(t, async (tick) => {
    stage.ask('second', 'q');
    const asked = await second;
    tick(30_000);
    for (let turn = 0; turn < 20; turn++) await settle();
    const last = stage.raw.ask('tools/call', retry(asked, 'second'));
    await until(() => stage.answerTo('q') !== undefined);
    stage.reply('second');
    stage.reply('first');
    assert.equal(Object((await first)['result'])['resultType'], 'complete');
    await last;
  });
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
