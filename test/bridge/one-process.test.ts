/** A client that can be asked anything, before a server of the official SDK that keeps its state in its process. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { root } from '../../scripts/conformance-plan.ts';
import { spawnNode } from '../support/programs.ts';
import { bridgeTo, lineOver, type Line } from '../support/bridged.ts';
import { open, statelessDate, type Json, type Raw, type RawOptions } from '../support/raw.ts';
import { until } from '../support/turns.ts';

const main = join(root, 'test/bridge/servers/stateful.ts');
const capabilities = { elicitation: {}, sampling: {}, roots: {} };
const eight = Array.from({ length: 8 }, (_, at) => at);

interface Setup {
  readonly line: Line;
  client(options?: RawOptions): Promise<Raw>;
}

async function setup(t: TestContext): Promise<Setup> {
  const line = lineOver(spawnNode([main], { stderr: 'ignore' }));
  const bridge = await bridgeTo(t, line.transport);
  return { line, client: (options) => open(bridge, statelessDate, { capabilities, ...options }) };
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

test('8 calls at once run in one process', { timeout: 60_000 }, async (t) => {
  const { line, client } = await setup(t);
  const raw = await client();
  const before = line.opened;
  const params = { name: 'count', arguments: { ms: 50 } };
  const texts = await Promise.all(eight.map(() => raw.result('tools/call', params)));
  const counted = texts.map((result) => JSON.parse(textOf(result)) as { pid: number; count: number });
  assert.equal(new Set(counted.map(({ pid }) => pid)).size, 1);
  assert.deepEqual(new Set(counted.map(({ count }) => count)), new Set(eight.map((at) => at + 1)));
  assert.equal(line.opened - before, 1);
});

test('a login outlives any number of calls, with questions or without', { timeout: 60_000 }, async (t) => {
  const { client } = await setup(t);
  const raw = await client();
  assert.equal(await called(raw, { name: 'login' }, 'Ann'), 'logged in as Ann');
  await Promise.all(eight.map(() => raw.result('tools/call', { name: 'count', arguments: { ms: 20 } })));
  assert.equal(textOf(await raw.result('tools/call', { name: 'whoami' })), 'Ann');
});

test('a question that arrives while several calls wait is parked with any of them', { timeout: 60_000 }, async (t) => {
  const { line, client } = await setup(t);
  const raw = await client();
  const before = line.opened;
  const params = { name: 'greet', arguments: { ms: 20 } };
  const greetings = await Promise.all(eight.map((at) => called(raw, params, `n${at}`)));
  // Whichever call a question waited with, each was answered by the client.
  for (const greeting of greetings) assert.match(greeting, /^Hello, n[0-7]!$/);
  assert.equal(line.opened - before, 1);
});

test('a question that waits with another call of its client is answered there', { timeout: 60_000 }, async (t) => {
  const { client } = await setup(t);
  const raw = await client();
  // The first to begin is given the question.
  const count = called(raw, { name: 'count', arguments: { ms: 300 } }, 'Bob');
  const greeting = called(raw, { name: 'greet', arguments: { ms: 100 } }, 'Ann');
  assert.equal(await greeting, 'Hello, Bob!');
  assert.match(await count, /"count":1/);
});

test('principals, and anonymous clients of other names, share no process', { timeout: 60_000 }, async (t) => {
  const { client } = await setup(t);
  const raws = [
    await client({ auth: { principal: 'ann' } }),
    await client({ auth: { principal: 'bob' } }),
    await client(),
    await client({ meta: { 'io.modelcontextprotocol/clientInfo': { name: 'another', version: '1' } } }),
  ];
  const texts = await Promise.all(raws.map((raw) => raw.result('tools/call', { name: 'count' })));
  assert.equal(new Set(texts.map((result) => Object(JSON.parse(textOf(result)))['pid'])).size, 4);
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
