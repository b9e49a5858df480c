/** A server of the official SDK goes on with a call that was cancelled; nobody else may hear of it. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { root } from '../../scripts/conformance-plan.ts';
import type { Bridge } from '../../src/bridge.ts';
import { metaKey } from '../../src/protocol/meta.ts';
import { spawn } from '../../src/stdio.ts';
import { bridgeTo } from '../support/bridged.ts';
import { open, settle, statelessDate, type Json, type Raw } from '../support/raw.ts';

const main = join(root, 'test/bridge/servers/stateful.ts');
const capabilities = { elicitation: {} };

interface Setup {
  readonly bridge: Bridge;
  /** What the server says of its transfers. */
  readonly said: string[];
}

async function setup(t: TestContext): Promise<Setup> {
  const said: string[] = [];
  const upstream = spawn(process.execPath, [main], { onStderr: (text) => said.push(text) });
  return { bridge: await bridgeTo(t, upstream), said };
}

/** Begins a transfer, and cancels it once it has begun. */
async function cancelTransfer(raw: Raw, ms: number): Promise<void> {
  const params = { name: 'transfer', arguments: { ms }, _meta: { progressToken: 'mine' } };
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
    await cancelTransfer(ann, 100);
    const asked = await bob.result('tools/call', { name: 'greet', arguments: { ms: 400 } });
    assert.deepEqual(messagesOf(asked), ['Your name?']);
    const inputResponses = Object.fromEntries(
      Object.keys(Object(asked['inputRequests'])).map((key) => [key, { action: 'accept', content: { name: 'Bob' } }]),
    );
    const { requestState } = asked;
    const last = await bob.result('tools/call', {
      name: 'greet',
      arguments: { ms: 400 },
      requestState,
      inputResponses,
    });
    assert.deepEqual(last['content'], [{ type: 'text', text: 'Hello, Bob!' }]);
    assert.doesNotMatch(said.join(''), /Bob/);
  });
}

test("a cancelled call's logs reach no other client", async (t) => {
  const { bridge } = await setup(t);
  const [ann, bob] = [await open(bridge, statelessDate), await open(bridge, statelessDate)];
  await cancelTransfer(ann, 100);
  const logging = { [metaKey.logLevel]: 'debug' };
  await bob.result('tools/call', { name: 'count', arguments: { ms: 400 }, _meta: logging });
  assert.deepEqual(bob.methods, []);
});
