/** Changes that a server tells of, whatever it declared. */

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createBridge } from '../bridge.ts';
import { bridgeTo } from '../../../../test/support/bridged.ts';
import { open, settle, type Json, type Raw } from '../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import { passing, until } from '../../../../test/support/turns.ts';
import { metaKey } from '../protocol/meta.ts';
import type { ScriptedPeer, ScriptedTransport, SentMessage } from '../testing/scripted.ts';

function paramsOf(message: Json | undefined): Json {
  // What a server of ours sends was checked against its schema.
  return message?.['params'] as Json;
}

// "a bridge passes no list changes of servers that send them without declaring": "passed on"
it('changes that a server did not declare reach every client', async (t) => {
  const upstream = scriptedUpstream({ up: '2025-06-18', capabilities: { tools: {} } });
  const bridge = await bridgeTo(t, upstream);
  const [session, stateless] = [await open(bridge, '2025-06-18'), await open(bridge, '2026-07-28')];
  void stateless.send(
    'subscriptions/listen',
    { notifications: { toolsListChanged: true, promptsListChanged: true } },
    1,
  );
  await until(() => stateless.heard.length > 0);
  assert.deepEqual(paramsOf(stateless.take()[0])['notifications'], { toolsListChanged: true });
  await session.result('tools/list');
  for (const peer of upstream.peers) peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  await until(() => session.heard.length > 0 && stateless.heard.length > 0);
  assert.deepEqual(
    [session.methods, stateless.methods],
    [['notifications/tools/list_changed'], ['notifications/tools/list_changed']],
  );
});

const tool = { name: 'hello', inputSchema: { type: 'object' } };
const text = { content: [{ type: 'text', text: 'hi' }] };
const offered: Readonly<Record<string, Json>> = {
  'tools/list': { tools: [tool] },
  'tools/call': text,
  'resources/list': { resources: [{ uri: 'memo:a', name: 'a' }] },
  'resources/read': { contents: [{ uri: 'memo:a', text: 'A' }] },
  'prompts/list': { prompts: [{ name: 'p' }] },
  'prompts/get': { messages: [] },
  'completion/complete': { completion: { values: ['x'] } },
};
const paramsOfAll: Readonly<Record<string, Json>> = {
  'tools/call': { name: 'hello', arguments: {} },
  'resources/read': { uri: 'memo:a' },
  'prompts/get': { name: 'p' },
  'completion/complete': { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } },
};

for (const up of ['2025-06-18', '2026-07-28'] as const)
  for (const down of ['2025-06-18', '2026-07-28'] as const) {
    it(`a client at ${down} uses what a server at ${up} did not declare`, async (t) => {
      const warnings: string[] = [];
      const upstream = scriptedUpstream({ up, capabilities: {}, answers: offered });
      const raw = await open(await bridgeTo(t, upstream, { warnings }), down);
      for (const method of [...Object.keys(offered), 'tools/list']) {
        const result = await raw.result(method, paramsOfAll[method] ?? {});
        for (const [key, value] of Object.entries(offered[method] ?? {})) assert.deepEqual(result[key], value, method);
      }
      const said = (feature: string): number =>
        warnings.filter((one) => one.includes(`did not declare the capability ${feature};`)).length;
      assert.deepEqual(['tools', 'resources', 'prompts', 'completions'].map(said), [1, 1, 1, 1], warnings.join('\n'));
      assert.equal((await raw.error('logging/setLevel', { level: 'info' })).code, -32601);
    });
  }

it('a method of a feature that a server neither declares nor has is not found', async (t) => {
  const warnings: string[] = [];
  const upstream = scriptedUpstream({ up: '2025-06-18', capabilities: {}, answers: {} });
  const raw = await open(await bridgeTo(t, upstream, { warnings }), '2025-06-18');
  assert.equal((await raw.error('prompts/list')).code, -32601);
  assert.deepEqual(warnings, []);
});

it('several servers are listed with what one of them did not declare', async (t) => {
  const warnings: string[] = [];
  const other = { name: 'other', inputSchema: { type: 'object' } };
  const named = (name: string): Json => ({ content: [{ type: 'text', text: name }] });
  const upstreams = {
    declares: scriptedUpstream({
      up: '2025-06-18',
      capabilities: { tools: {} },
      answers: { 'tools/list': { tools: [other] }, 'tools/call': named('other') },
    }),
    silent: scriptedUpstream({ up: '2026-07-28', capabilities: {}, answers: offered }),
    lacks: scriptedUpstream({
      up: '2025-06-18',
      capabilities: {},
      answers: { 'tools/list': (sent, peer) => peer.refuse(sent, { code: -32601, message: 'unknown method' }) },
    }),
  };
  const bridge = await createBridge({
    upstreams: Object.fromEntries(Object.entries(upstreams).map(([name, upstream]) => [name, { upstream }])),
    onWarning: (message) => void warnings.push(message),
  });
  t.after(() => bridge.close());
  const raw = await open(bridge, '2026-07-28');
  const names = async (): Promise<unknown> => (await raw.result('tools/list'))['tools'];
  assert.deepEqual(
    [await names(), await names()].map((tools) => (tools as readonly Json[]).map(({ name }) => name)),
    [
      ['other', 'hello'],
      ['other', 'hello'],
    ],
  );
  assert.deepEqual((await raw.result('tools/call', { name: 'hello' }))['content'], text.content);
  assert.deepEqual((await raw.result('tools/call', { name: 'other' }))['content'], named('other')['content']);
  assert.deepEqual((await raw.result('resources/read', { uri: 'memo:a' }))['contents'], [{ uri: 'memo:a', text: 'A' }]);
  assert.equal(warnings.filter((one) => one.startsWith('silent: ') && one.includes('capability tools;')).length, 1);
  assert.equal(warnings.filter((one) => !one.startsWith('silent: ')).length, 0, warnings.join('\n'));
  // A server that does not know the method is asked once.
  assert.equal(upstreams.lacks.methods.filter((method) => method === 'tools/list').length, 1);
});

/** A bridge before servers by name. */
async function before(t: TestContext, upstreams: Readonly<Record<string, ScriptedTransport>>): Promise<Raw> {
  const bridge = await createBridge({
    upstreams: Object.fromEntries(Object.entries(upstreams).map(([name, upstream]) => [name, { upstream }])),
    onWarning: () => undefined,
  });
  t.after(() => bridge.close());
  return await open(bridge, '2025-06-18');
}

it('an undeclared list that was refused once, or was empty, is asked for again', async (t) => {
  const answers = [
    (sent: SentMessage, peer: ScriptedPeer) => peer.refuse(sent, { code: -32603, message: 'starting; try again' }),
    (sent: SentMessage, peer: ScriptedPeer) => peer.reply(sent, { tools: [] }),
    (sent: SentMessage, peer: ScriptedPeer) => peer.reply(sent, { tools: [tool] }),
  ];
  const starting = scriptedUpstream({
    up: '2025-06-18',
    capabilities: {},
    answers: { 'tools/list': (sent: SentMessage, peer: ScriptedPeer) => answers.shift()?.(sent, peer) },
  });
  const raw = await before(t, {
    starting,
    other: scriptedUpstream({ up: '2025-06-18', capabilities: {}, answers: {} }),
  });
  const counts: number[] = [];
  for (let round = 0; round < 3; round++)
    counts.push(((await raw.result('tools/list'))['tools'] as readonly Json[]).length);
  assert.deepEqual(counts, [0, 0, 1]);
});

it('an undeclared list that is answered late is listed once its answer came', async (t) => {
  const held: (() => void)[] = [];
  const slow = scriptedUpstream({
    up: '2025-06-18',
    capabilities: {},
    answers: {
      'tools/list': (sent: SentMessage, peer: ScriptedPeer) => {
        const reply = (): void => peer.reply(sent, { tools: [tool] });
        if (held.length === 0) held.push(reply);
        else reply();
      },
    },
  });
  const raw = await before(t, { slow, other: scriptedUpstream({ up: '2025-06-18', capabilities: {}, answers: {} }) });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const listed = async (): Promise<number> => {
    let tools: unknown;
    void raw.result('tools/list').then((result) => (tools = result['tools']));
    await passing(
      () => tools !== undefined,
      () => t.mock.timers.tick(100),
    );
    return (tools as readonly Json[]).length;
  };
  assert.deepEqual([await listed(), await listed()], [0, 0]);
  assert.equal(slow.methods.filter((method) => method === 'tools/list').length, 1);
  held[0]?.();
  for (let turns = 0; turns < 5; turns++) await settle();
  assert.equal(await listed(), 1);
  // What closes has clocks of its own.
  t.mock.timers.reset();
});

it('a resource that no server knows is not asked for at a server that declares other features alone', async (t) => {
  const refuses = (sent: SentMessage, peer: ScriptedPeer): void => peer.refuse(sent, { code: -32002, message: 'none' });
  const docs = scriptedUpstream({
    up: '2025-06-18',
    capabilities: { resources: {} },
    answers: { 'resources/list': { resources: [] }, 'resources/read': refuses },
  });
  const strict = scriptedUpstream({
    up: '2025-06-18',
    capabilities: { prompts: {} },
    answers: { 'resources/read': (_: SentMessage, peer: ScriptedPeer) => peer.end() },
  });
  const raw = await before(t, { docs, strict });
  assert.equal((await raw.error('resources/read', { uri: 'memo:typo' })).code, -32002);
  assert.equal(strict.methods.includes('resources/read'), false);
});

// "`subscribe` says `honored` where nothing can come": "told"
for (const [name, answers] of [
  ['has no listen streams', {}],
  [
    'agrees to nothing',
    {
      'subscriptions/listen': (sent: SentMessage, peer: ScriptedPeer): void => {
        const params = { notifications: {}, _meta: { [metaKey.subscriptionId]: sent.message['id'] } };
        peer.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params });
      },
    },
  ],
] as const) {
  it(`a client is not promised the changes of a stateless server that ${name}`, async (t) => {
    const upstream = scriptedUpstream({ up: '2026-07-28', capabilities: { tools: { listChanged: true } }, answers });
    const raw = await open(await bridgeTo(t, upstream), '2026-07-28');
    await until(() => upstream.methods.includes('subscriptions/listen'));
    for (let turns = 0; turns < 10; turns++) await settle();
    void raw.send('subscriptions/listen', { notifications: { toolsListChanged: true } }, 1);
    await until(() => raw.heard.length > 0);
    assert.deepEqual(paramsOf(raw.take()[0])['notifications'], {});
  });
}
