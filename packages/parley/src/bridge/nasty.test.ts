/** Servers that flood, hang, lie or vanish harm themselves, and neither the bridge nor the servers beside them. */

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { bridgeBefore, bridgeTo, lineOver, serverAt, type Pair } from '../../../../test/support/bridged.ts';
import { frontOf, namedServer } from '../../../../test/support/fronted.ts';
import { initializeParams, open, settle, type Json } from '../../../../test/support/raw.ts';
import { paramsSent, scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import { textClient, textServer } from '../../../../test/support/text-peers.ts';
import { until } from '../../../../test/support/turns.ts';
import { createBridge } from '../bridge.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import type { ScriptedPeer, SentMessage } from '../testing/scripted.ts';
import { exposedNames } from './merged/names.ts';

const eras: readonly Pair[] = [
  { down: '2025-11-25', up: '2025-11-25' },
  { down: '2025-11-25', up: '2026-07-28' },
  { down: '2026-07-28', up: '2025-11-25' },
  { down: '2026-07-28', up: '2026-07-28' },
];

type Listening = Parameters<EventTarget['addEventListener']>;

describe('a server', () => {
  it('that says over and over that its tools changed is asked for them once at a time', async (t) => {
    const waiting: SentMessage[] = [];
    let from: ScriptedPeer | undefined;
    const upstream = scriptedUpstream({
      up: '2025-11-25',
      capabilities: { tools: { listChanged: true } },
      answers: {
        'tools/list': (sent, peer) => {
          if (from === undefined) peer.reply(sent, { tools: [] });
          else waiting.push(sent);
          from = peer;
        },
      },
    });
    await bridgeTo(t, upstream);
    for (let time = 0; time < 100; time++) from?.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await until(() => waiting.length > 0);
    await settle();
    assert.equal(waiting.length, 1);
    const [first] = waiting.splice(0);
    assert.ok(first !== undefined);
    from?.reply(first, { tools: [] });
    await until(() => waiting.length > 0);
    await settle();
    // What changed while the list was on its way is not known: it is asked for once more.
    assert.equal(waiting.length, 1);
  });

  it('that does not let a session in does not keep the bridge from closing', async () => {
    let asked = 0;
    const upstream = scriptedUpstream({
      up: '2025-11-25',
      answers: {
        initialize: (sent, peer) => {
          const serverInfo = { name: 'hanging', version: '1' };
          if (asked++ === 0)
            peer.reply(sent, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
        },
      },
    });
    const bridge = await createBridge({ upstream, onWarning: () => undefined });
    const raw = await open(bridge, '2025-06-18');
    void raw.send('tools/list');
    await until(() => asked === 2);
    await bridge.close();
  });

  it('that asks in the middle of calls leaves nothing behind of what was answered', async (t) => {
    const { mock } = t.mock.method(AbortSignal, 'any');
    const capabilities = { elicitation: { form: {} } };
    const server = serverAt('2025-11-25');
    server.tool('ask', {}, async (_, ctx) => {
      const schema = { type: 'object', properties: {} } as const;
      return (await ctx.elicit({ message: 'Well?', schema })).action;
    });
    const raw = await open(await bridgeBefore(t, server), '2026-07-28', { capabilities });
    const { inputRequests, requestState } = await raw.result('tools/call', { name: 'ask' });
    const inputResponses = Object.fromEntries(
      Object.keys(Object(inputRequests)).map((key) => [key, { action: 'decline' }]),
    );
    await raw.result('tools/call', { name: 'ask', requestState, inputResponses });
    const signals = mock.calls.flatMap(({ result }) => (result === undefined ? [] : [result]));
    assert.ok(signals.length > 0);
    for (const signal of signals) assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });

  it('that asks for a great many things at once asks nobody of a session', async (t) => {
    const question = { method: 'roots/list' };
    const inputRequests = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`q${at}`, question]));
    const upstream = scriptedUpstream({
      up: '2026-07-28',
      answers: { 'tools/call': { resultType: 'input_required', inputRequests, requestState: 's' } },
    });
    const raw = await open(await bridgeTo(t, upstream), '2025-11-25', { capabilities: { roots: {} } });
    const error = await raw.error('tools/call', { name: 'any' });
    assert.match(error.message, /asks 101 questions at once/);
    assert.deepEqual(raw.heard, []);
  });
});

for (const { down, up } of eras) {
  it(`a task of a method that the protocol does not know passes between ${down} and ${up}`, async (t) => {
    const upstream = scriptedUpstream({ up, answers: { 'x.example/run': { done: true } } });
    const raw = await open(await bridgeTo(t, upstream), down);
    await raw.result('x.example/run', { task: { name: 'mine' }, other: 2 });
    const { task, other } = paramsSent(upstream, 'x.example/run');
    assert.deepEqual({ task, other }, { task: { name: 'mine' }, other: 2 });
  });
}

describe('one of several servers', () => {
  it('that is lost does not hide what the others know beside the protocol', async (t) => {
    const line = lineOver(scriptedUpstream({ up: '2025-11-25' }));
    const second = scriptedUpstream({ up: '2025-11-25', answers: { 'x.example/run': { done: true } } });
    const raw = await open(await frontOf(t, { first: line.transport, second }), '2025-11-25');
    line.down = true;
    line.cut();
    assert.deepEqual(await raw.result('x.example/run'), { done: true });
    // It might have known what nobody else does.
    assert.equal((await raw.error('x.example/other')).code, -32603);
  });

  it('whose names have halves of characters does not keep the lists from the clients', async (t) => {
    const inputSchema = { type: 'object' };
    const tools = Array.from({ length: 1500 }, (_, at) => ({ name: at === 999 ? '\ud800' : `t${at}`, inputSchema }));
    const odd = scriptedUpstream({ up: '2025-11-25', answers: { 'tools/list': { tools } } });
    const good = namedServer('good', '2025-11-25');
    good.tool('fine', {}, () => 'fine');
    const raw = await open(await frontOf(t, { odd, good }), '2025-11-25');
    const { nextCursor, tools: first } = await raw.result('tools/list');
    const { tools: rest } = await raw.result('tools/list', { cursor: nextCursor });
    assert.deepEqual([(first as readonly Json[]).length, (rest as readonly Json[]).length], [1000, 501]);
  });

  it('that comes and goes leaves nothing behind on the streams that listen', async (t) => {
    const listeners = new Map<unknown, Set<unknown>>();
    const { addEventListener, removeEventListener } = EventTarget.prototype;
    t.mock.method(EventTarget.prototype, 'addEventListener', function (this: EventTarget, ...given: Listening) {
      listeners.set(this, (listeners.get(this) ?? new Set()).add(given[1]));
      addEventListener.apply(this, given);
    });
    t.mock.method(EventTarget.prototype, 'removeEventListener', function (this: EventTarget, ...given: Listening) {
      listeners.get(this)?.delete(given[1]);
      removeEventListener.apply(this, given);
    });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const line = lineOver(scriptedUpstream({ up: '2025-11-25', capabilities: { resources: { subscribe: true } } }));
    const warnings: string[] = [];
    const raw = await open(await frontOf(t, { only: line.transport }, { warnings }), '2026-07-28');
    line.down = true;
    line.cut();
    void raw.send('subscriptions/listen', { notifications: { resourceSubscriptions: ['a:1'] } });
    const failures = (): number => warnings.filter((words) => words.includes('changes cannot be followed')).length;
    while (failures() < 20) {
      t.mock.timers.tick(60_000);
      await settle();
    }
    t.mock.timers.reset();
    const most = Math.max(...[...listeners.values()].map(({ size }) => size));
    assert.ok(most < 10, `${most} listeners wait on one signal`);
  });

  it('that does not say what its tools are does not keep the bridge from closing', async () => {
    let asked = 0;
    const hanging = scriptedUpstream({ up: '2025-11-25', answers: { 'tools/list': () => void asked++ } });
    const upstreams = {
      hanging: { upstream: hanging },
      good: { upstream: memoryTransport(namedServer('good', '2025-11-25')) },
    };
    const bridge = await createBridge({ upstreams, serverTimeoutMs: 1, onWarning: () => undefined });
    await until(() => asked > 0);
    await bridge.close();
  });

  it('whose templates take long to follow is not asked first what they are for', async (t) => {
    const costly = Array.from({ length: 60 }, (_, at) => `x://${'{a}{b}{c}{d}'.repeat(10)}/${at}`);
    const greedy = `x://{+${'any'.repeat(50)}}`;
    const resourceTemplates = [...costly, greedy].map((uriTemplate) => ({ name: 'any', uriTemplate }));
    const [uri, short] = ['a'.repeat(6_000), 'a'].map((path) => `x://${path}`);
    const server = (name: string, templates: readonly Json[]) =>
      scriptedUpstream({
        up: '2025-11-25',
        answers: {
          'resources/list': { resources: [] },
          'resources/templates/list': { resourceTemplates: templates },
          'resources/read': { contents: [{ uri: 'x://any', text: name }] },
        },
      });
    const servers = { first: server('first', []), second: server('second', resourceTemplates) };
    const raw = await open(await frontOf(t, servers), '2025-11-25');
    const readBy = async (asked: unknown) => JSON.stringify(await raw.result('resources/read', { uri: asked }));
    assert.match(await readBy(short), /second/);
    assert.match(await readBy(uri), /first/);
  });

  it('passes numbers in the spelling in which they came', async (t) => {
    const odd = '{"a":1.0,"b":1e2,"d":12345678901234567890}';
    const got: string[] = [];
    const respond = (id: unknown, result: string): readonly string[] => [
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`,
    ];
    const answers: Readonly<Record<string, string>> = {
      initialize:
        '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"text","version":"1"}}',
      'tools/list': `{"tools":[{"name":"any","inputSchema":{"type":"object","default":${odd}}}]}`,
      'tools/call': `{"content":[],"structuredContent":${odd}}`,
    };
    const upstream = await textServer(t, 'stdio', (text) => {
      got.push(text);
      const { id, method } = JSON.parse(text) as Json;
      if (id === undefined) return [];
      const answer = answers[String(method)];
      return answer === undefined
        ? [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"no"}}`]
        : respond(id, answer);
    });
    const client = await textClient(
      t,
      'stdio',
      await frontOf(t, { upstream, other: namedServer('other', '2025-11-25') }),
    );
    const params = JSON.stringify(initializeParams('2025-11-25'));
    await client.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":${params}}`);
    await client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    assert.ok((await client.send('{"jsonrpc":"2.0","id":2,"method":"tools/list"}')).includes(odd));
    const call = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"any","arguments":${odd}}}`;
    assert.ok((await client.send(call)).includes(`"structuredContent":${odd}`));
    assert.ok(got.some((text) => text.includes(`"arguments":${odd}`)));
  });
});

it('names made to look alike once they are cut cost no more than others', (t) => {
  const names = namesOfOneDigest('label', 60);
  const { mock } = t.mock.method(Map.prototype, 'has');
  const exposed = exposedNames([{ owner: 1, label: 'label', names }], 'always');
  const looks = mock.callCount();
  mock.restore();
  assert.equal(exposed.size, names.length);
  assert.ok(looks < 5 * names.length, `${looks} looks for ${names.length} names`);
});

/** Names that differ behind the place where they are cut, and whose digests (FNV-1a of label and name) are equal. */
function namesOfOneDigest(label: string, count: number): readonly string[] {
  const prime = 0x01000193;
  const mixed = (hash: number, code: number): number => Math.imul(hash ^ code, prime) >>> 0;
  const long = 'x'.repeat(140);
  const start = new TextEncoder().encode(`${label} ${long}`).reduce(mixed, 0x811c9dc5);
  const names: string[] = [];
  for (let at = 0; names.length < count; at++) {
    const codes = [at & 63, (at >> 6) & 63, (at >> 12) & 63, at >> 18].map((code) => code + 48);
    // The last step is the same for all: whoever wants it to begin at one value chooses the last character for that.
    const last = (codes.reduce(mixed, start) ^ 0x12345678) >>> 0;
    if (last > 32 && last < 0xd800) names.push(long + String.fromCharCode(...codes, last));
  }
  return names;
}
