/** What a server of rounds has a client carry, at bridges that know their clients. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { bridgeBefore, bridgeTo, serverAt, type QuietOptions } from '../../../../test/support/bridged.ts';
import { open, statelessDate, type Json, type Raw } from '../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import { createBridge, type Bridge } from '../bridge.ts';
import type { Servable } from '../server/runtime/request-handler.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import type { Server } from '../server.ts';
import { tampered } from '../../../../test/support/tampered.ts';

const capabilities = { elicitation: {} };
const keys = [new Uint8Array(32).fill(7)];
const rounds = { keys };
const form = { message: 'Which?', schema: { type: 'object', properties: { name: { type: 'string' } } } } as const;

function asking(): Server {
  const server = serverAt(statelessDate, { rounds: { keys: [new Uint8Array(32).fill(1)] } });
  for (const name of ['ask', 'other'])
    server.tool(name, { description: 'Asks.' }, async (_, ctx) => {
      const answer = await ctx.elicit(form);
      return answer.action === 'accept' ? `${name} ${answer.content['name']}` : answer.action;
    });
  return server;
}

/** A client of one principal, or of nobody. */
const clientAt = async (bridge: Servable, principal?: string): Promise<Raw> =>
  await open(bridge, statelessDate, {
    capabilities,
    ...(principal === undefined ? {} : { auth: { principal } }),
  });

function retry(asked: Json, name = 'ask'): Json {
  assert.equal(asked['resultType'], 'input_required');
  const [key = ''] = Object.keys(Object(asked['inputRequests']));
  const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } };
  return { name, requestState: asked['requestState'], inputResponses };
}

const textOf = ({ content }: Json): unknown => (content as readonly Json[])[0]?.['text'];

async function refused(raw: Raw, params: Json): Promise<void> {
  const { code, message } = await raw.error('tools/call', params);
  assert.equal(code, -32602);
  assert.match(message, /not valid for this request.* begin again without it only if the call may run twice/);
}

test('state that a principal was given is nobody else’s, and for no other request', async (t) => {
  const bridge = await bridgeBefore(t, asking(), { rounds });
  const [ann, bob, anyone] = [await clientAt(bridge, 'ann'), await clientAt(bridge, 'bob'), await clientAt(bridge)];
  const asked = await ann.result('tools/call', { name: 'ask' });
  const again = retry(asked);
  const state = String(again['requestState']);
  await refused(bob, again);
  await refused(ann, { ...again, name: 'other' });
  await refused(ann, { ...again, arguments: { a: 1 } });
  for (const wrong of ['', 'made up', `${state}A`, tampered(state), 'x'.repeat(2_000_000)])
    await refused(ann, { ...again, requestState: wrong });
  // Nobody is known there, so that the server itself says what it thinks of it.
  assert.equal((await anyone.error('tools/call', again)).code, -32602);
  assert.equal(textOf(await ann.result('tools/call', again)), 'ask Ada');
});

test('state goes on at another process with the same keys, and not at one with others', async (t) => {
  const server = asking();
  const at = async (options: QuietOptions): Promise<Raw> =>
    await clientAt(await bridgeBefore(t, server, options), 'ann');
  const [here, there, strange] = [await at({ rounds }), await at({ rounds }), await at({})];
  const again = retry(await here.result('tools/call', { name: 'ask' }));
  await refused(strange, again);
  assert.equal(textOf(await there.result('tools/call', again)), 'ask Ada');
});

test('state of one of several servers is none for another', async (t) => {
  const upstreams = { one: memoryTransport(asking()), two: memoryTransport(asking()) };
  const bridge = await createBridge({
    upstreams: { one: { upstream: upstreams.one }, two: { upstream: upstreams.two } },
    rounds,
    onWarning: () => undefined,
  });
  t.after(() => bridge.close());
  const ann = await clientAt(bridge, 'ann');
  const { tools } = await ann.result('tools/list');
  const [first = '', second = ''] = (tools as readonly Json[])
    .map(({ name }) => String(name))
    .filter((name) => name.endsWith('ask'));
  const again = retry(await ann.result('tools/call', { name: first }), first);
  await refused(ann, { ...again, name: second });
  assert.equal(textOf(await ann.result('tools/call', again)), 'ask Ada');
});

/** A server whose state is what a test wants, and what came back of it. */
async function carrying(t: TestContext, requestState: string): Promise<{ bridge: Bridge; came: unknown[] }> {
  const came: unknown[] = [];
  const upstream = scriptedUpstream({
    up: statelessDate,
    answers: {
      'tools/call': (sent, peer) => {
        const { inputResponses, requestState: back } = sent.message['params'] as Json;
        if (inputResponses !== undefined) came.push(back);
        const question = {
          method: 'elicitation/create',
          params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
        };
        peer.reply(
          sent,
          inputResponses === undefined
            ? { resultType: 'input_required', inputRequests: { one: question }, requestState }
            : { resultType: 'complete', content: [] },
        );
      },
    },
  });
  return { bridge: await bridgeTo(t, upstream, { rounds }), came };
}

test('the server has its state back as it was, whatever is in it, and from who is not known as it went', async (t) => {
  for (const state of [
    '',
    'kept as it is ü',
    'ü'.repeat(262_144),
    '\ufeffabc',
    'a\ud800b',
    '\ud800\u0001'.repeat(131_072),
  ]) {
    const { bridge, came } = await carrying(t, state);
    const ann = await clientAt(bridge, 'ann');
    const asked = await ann.result('tools/call', { name: 'any' });
    assert.match(String(asked['requestState']), /^[\w-]+$/);
    assert.ok(!String(asked['requestState']).includes(state) || state === '');
    await ann.result('tools/call', retry(asked, 'any'));
    assert.deepEqual(came, [state]);
  }
  const { bridge, came } = await carrying(t, 'as it is');
  const anyone = await clientAt(bridge);
  const asked = await anyone.result('tools/call', { name: 'any' });
  assert.equal(asked['requestState'], 'as it is');
  await anyone.result('tools/call', retry(asked, 'any'));
  assert.deepEqual(came, ['as it is']);
});

test('state that is longer than what is carried is an error that says so', async (t) => {
  const { bridge } = await carrying(t, 'x'.repeat(262_145));
  const { code, message } = await (await clientAt(bridge, 'ann')).error('tools/call', { name: 'any' });
  assert.equal(code, -32603);
  assert.match(message, /requestState has 262145 characters, and 262144 are carried/);
});
