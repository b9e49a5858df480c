/** A client that can be asked anything, before a server of the official SDK that keeps its state in its process. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { root } from '../../scripts/conformance-plan.ts';
import { spawnNode } from '../support/programs.ts';
import { bridgeTo } from '../support/bridged.ts';
import { open, statelessDate, type Json, type Raw, type RawOptions } from '../support/raw.ts';
import { until } from '../support/turns.ts';

const main = join(root, 'test/bridge/servers/stateful.ts');
const capabilities = { elicitation: {}, sampling: {}, roots: {} };
const eight = Array.from({ length: 8 }, (_, at) => at);

interface Setup {
  client(options?: RawOptions): Promise<Raw>;
}

async function setup(t: TestContext): Promise<Setup> {
  const bridge = await bridgeTo(t, spawnNode([main], { stderr: 'ignore' }));
  return { client: (options) => open(bridge, statelessDate, { capabilities, ...options }) };
}

function textOf({ content }: Json): string {
  return String(Object((content as readonly Json[] | undefined)?.[0])['text']);
}

/** Calls a tool, and answers whatever is asked with a name. */
async function called(raw: Raw, params: Json, name: string): Promise<string> {
  let asked = await raw.result('tools/call', params);
  while (asked['resultType'] === 'input_required') {
    const keys = Object.keys(Object(asked['inputRequests']));
    const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: 'accept', content: { name } }]));
    const { requestState } = asked;
    asked = await raw.result('tools/call', { ...params, requestState, inputResponses });
  }
  return textOf(asked);
}

for (const [who, options, processes] of [
  ['a client that cannot be asked', { capabilities: {} }, 1],
  ['a client that can be asked', {}, 8],
] as const)
  test(`8 calls at once of ${who} run in ${processes} processes`, { timeout: 60_000 }, async (t) => {
    const { client } = await setup(t);
    const raw = await client(options);
    const params = { name: 'count', arguments: { ms: 50 } };
    const texts = await Promise.all(eight.map(() => raw.result('tools/call', params)));
    const counted = texts.map((result) => JSON.parse(textOf(result)) as { pid: number; count: number });
    assert.equal(new Set(counted.map(({ pid }) => pid)).size, processes);
  });

test('a login outlives any number of calls, with questions or without', { timeout: 60_000 }, async (t) => {
  const { client } = await setup(t);
  const raw = await client();
  assert.equal(await called(raw, { name: 'login' }, 'Ann'), 'logged in as Ann');
  await Promise.all(eight.map(() => raw.result('tools/call', { name: 'count', arguments: { ms: 20 } })));
  assert.equal(textOf(await raw.result('tools/call', { name: 'whoami' })), 'Ann');
});

test('calls that ask at once are each answered with what was asked for them', { timeout: 60_000 }, async (t) => {
  const { client } = await setup(t);
  const raw = await client();
  const params = { name: 'greet', arguments: { ms: 20 } };
  const greetings = await Promise.all(eight.map((at) => called(raw, params, `n${at}`)));
  assert.deepEqual(
    greetings,
    eight.map((at) => `Hello, n${at}!`),
  );
});

test('principals share no process; what a client calls itself makes no other one', { timeout: 60_000 }, async (t) => {
  const { client } = await setup(t);
  const pids: unknown[] = [];
  for (const options of [
    { auth: { principal: 'ann' } },
    { auth: { principal: 'bob' } },
    {},
    { meta: { 'io.modelcontextprotocol/clientInfo': { name: 'another', version: '1' } }, address: '192.0.2.2' },
  ]) {
    const result = await (await client(options)).result('tools/call', { name: 'count' });
    pids.push(Object(JSON.parse(textOf(result)))['pid']);
  }
  assert.equal(new Set(pids).size, 3);
  assert.equal(pids[2], pids[3]);
});

for (const principal of [undefined, 'ann']) {
  const who = principal === undefined ? 'an anonymous client' : 'a principal';
  test(`what changes in the process of ${who} reaches its listen streams`, { timeout: 60_000 }, async (t) => {
    const { client } = await setup(t);
    const auth = principal === undefined ? {} : { auth: { principal } };
    const [raw, other] = [await client(auth), await client({ auth: { principal: 'eve' } })];
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['memo://note'] };
    for (const each of [raw, other]) {
      void each.send('subscriptions/listen', { notifications }, 'mine');
      await until(() => each.take().length > 0);
    }
    await raw.result('tools/call', { name: 'grow' });
    await until(() => raw.methods.includes('notifications/tools/list_changed'));
    await raw.result('tools/call', { name: 'write', arguments: { note: 'new' } });
    await until(() => raw.methods.includes('notifications/resources/updated'));
    const { tools } = await raw.result('tools/list');
    assert.match(JSON.stringify(tools), /"grown"/);
    assert.deepEqual(other.methods, []);
  });
}
