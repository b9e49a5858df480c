/** A server of the official SDK goes on with a call that was cancelled; nobody else may hear of it. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { root } from '../../scripts/conformance-plan.ts';
import type { Bridge } from '../../packages/parley/src/bridge.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { spawnNode } from '../support/programs.ts';
import { bridgeTo } from '../support/bridged.ts';
import { open, settle, statelessDate, type Json, type Raw } from '../support/raw.ts';
import { casts, twoPeople } from '../support/two-people.ts';

const main = join(root, 'test/bridge/servers/stateful.ts');
const capabilities = { elicitation: {} };

interface Setup {
  readonly bridge: Bridge;
  /** What the server says of its transfers. */
  readonly said: string[];
  readonly warnings: string[];
}

async function setup(t: TestContext): Promise<Setup> {
  const said: string[] = [];
  const upstream = spawnNode([main], { onStderr: (text) => said.push(text) });
  const warnings: string[] = [];
  return { bridge: await bridgeTo(t, upstream, { warnings }), said, warnings };
}

/** Begins a transfer, and cancels it once it has begun; it goes on when the next call has. */
async function cancelTransfer(raw: Raw, given: Json = { wait: true }): Promise<void> {
  const params = { name: 'transfer', arguments: given, _meta: { progressToken: 'mine' } };
  const call = raw.send('tools/call', params, 'transfer');
  while (raw.methods.length === 0) await settle();
  await raw.notify('notifications/cancelled', { requestId: 'transfer' });
  assert.equal(await call, undefined);
  // The bridge has given it up upstream too.
  for (let turn = 0; turn < 20; turn++) await settle();
}

function messagesOf(result: Json): unknown[] {
  return Object.values(Object(result['inputRequests'])).map((request) => Object(Object(request).params).message);
}

/** Answers what a call asks, and gives its result. */
async function answered(raw: Raw, params: Json, asked: Json): Promise<Json> {
  const inputResponses = Object.fromEntries(
    Object.keys(Object(asked['inputRequests'])).map((key) => [key, { action: 'accept', content: { name: 'Bob' } }]),
  );
  return await raw.result('tools/call', { ...params, requestState: asked['requestState'], inputResponses });
}

const wants: readonly (readonly [string, object])[] = [
  ['anonymous clients', {}],
  ['clients of one principal', { auth: { principal: 'ann' } }],
];
for (const [who, options] of wants) {
  test(`a cancelled call's question reaches no other client: ${who}`, async (t) => {
    const { bridge, said } = await setup(t);
    const [ann, bob] = [
      await open(bridge, statelessDate, { capabilities, ...options }),
      await open(bridge, statelessDate, { capabilities, ...options }),
    ];
    await cancelTransfer(ann);
    const greet = { name: 'greet', arguments: { wait: true } };
    // Nobody can say whose its question is, and the server was not known to ask.
    const unasked = await bob.result('tools/call', greet);
    assert.match(JSON.stringify(unasked['content']), /no client was asked .* may belong to a call that was cancelled/);
    assert.equal(unasked['isError'], true);
    const asked = await bob.result('tools/call', greet);
    assert.deepEqual(messagesOf(asked), ['Your name?']);
    const last = await answered(bob, greet, asked);
    assert.deepEqual(last['content'], [{ type: 'text', text: 'Hello, Bob!' }]);
    assert.match(said.join(''), /^transfer refused: .*no client was asked/);
  });
}

test('before a server that asks nothing, a process outlives a cancellation with its state', async (t) => {
  const { bridge } = await setup(t);
  const raw = await open(bridge, statelessDate, { capabilities: { elicitation: {}, sampling: {}, roots: {} } });
  const counts: unknown[] = [];
  const count = async (): Promise<void> => {
    const { content } = await raw.result('tools/call', { name: 'count' });
    counts.push(JSON.parse(Object((content as readonly Json[])[0])['text']));
  };
  await count();
  const call = raw.send('tools/call', { name: 'count', arguments: { ms: 60_000 } }, 'long');
  for (let turn = 0; turn < 20; turn++) await settle();
  await raw.notify('notifications/cancelled', { requestId: 'long' });
  await call;
  await count();
  const [before, after] = counts.map((one) => Object(one));
  assert.equal(after.pid, before.pid);
});

test('a tool that is known to ask is asked properly after a cancellation of another call', async (t) => {
  const { bridge, said } = await setup(t);
  const raw = await open(bridge, statelessDate, { capabilities });
  const greet = { name: 'greet', arguments: { ms: 200 } };
  await answered(raw, greet, await raw.result('tools/call', greet));
  await cancelTransfer(raw, { ms: 400 });
  const asked = await raw.result('tools/call', greet);
  assert.deepEqual(messagesOf(asked), ['Your name?']);
  const last = await answered(raw, greet, asked);
  assert.deepEqual(last['content'], [{ type: 'text', text: 'Hello, Bob!' }]);
  assert.doesNotMatch(said.join(''), /Bob/);
});

for (const cast of casts)
  test(`a cancelled call's logs reach no other client, of ${cast.title}`, async (t) => {
    const { bridge } = await setup(t);
    const [ann, bob] = await twoPeople(bridge, cast);
    await cancelTransfer(ann);
    const logging = { [metaKey.logLevel]: 'debug' };
    await bob.result('tools/call', { name: 'count', arguments: { wait: true }, _meta: logging });
    assert.deepEqual(bob.methods, []);
  });
