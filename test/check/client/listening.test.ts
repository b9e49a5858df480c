/** Streams of changes at the door for clients: what is told on them, how they end, and what is held against who takes them up again. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { checkClient } from '../../../packages/cli/src/check/client/run/check-client.ts';
import type { CheckReport } from '../../../packages/cli/src/check/report.ts';
import { connect } from '../../../packages/parley/src/client.ts';

type Json = Readonly<Record<string, unknown>>;

const newest = '2026-07-28';
const info = { name: 'parley-check', version: '1.0.0' };

function at(t: TestContext, run: (url: string) => Promise<void>, only: readonly string[] = []): Promise<CheckReport> {
  const onOpen = (origin: string): Promise<void> => run(`${origin}/mcp`);
  return checkClient({ door: { port: 0 }, info, only, limitMs: 60_000, signal: t.signal, onOpen });
}

function request(id: number, method: string, params: Json = {}): Json {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': newest,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } };
}

const wished = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['check://notes'] };
const listens = (id: number): Json => request(id, 'subscriptions/listen', { notifications: wished });
const changes = (id: number): Json => request(id, 'tools/call', { name: 'change', arguments: {} });

async function post(url: string, message: Json): Promise<Response> {
  const { method, params } = message as { readonly method: string; readonly params: Json };
  return await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': newest,
      'mcp-method': method,
      ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
    },
    body: JSON.stringify(message),
  });
}

/** Messages of a stream, all of them. */
async function messagesOf(response: Response): Promise<readonly Json[]> {
  return [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, text = '']) => JSON.parse(text) as Json);
}

/** What is told on a stream until a change after which it ends. @returns Its messages, and how many changes that took. */
async function untilEnd(url: string, id: number, count: number): Promise<readonly Json[]> {
  const stream = await post(url, listens(id));
  for (let at = 1; at <= count; at++) await (await post(url, changes(id + at))).text();
  return await messagesOf(stream);
}

test('a stream is acknowledged, told of changes, broken off the second time, and ended the third', async (t) => {
  const { findings } = await at(t, async (url) => {
    const broken = await untilEnd(url, 1, 2);
    const meta = { 'io.modelcontextprotocol/subscriptionId': 1 };
    const granted = { toolsListChanged: true, resourceSubscriptions: ['check://notes'] };
    const told = [
      ['notifications/tools/list_changed', { _meta: meta }],
      ['notifications/resources/updated', { _meta: meta, uri: 'check://notes' }],
    ];
    assert.deepEqual(
      broken.map(({ method, params }) => [method, params]),
      [['notifications/subscriptions/acknowledged', { _meta: meta, notifications: granted }], ...told, ...told],
    );
    const ended = await untilEnd(url, 10, 1);
    const { id, result } = ended.at(-1) ?? {};
    const { resultType, _meta: own } = result as Json;
    assert.deepEqual(
      [ended.length, id, resultType, (own as Json)['io.modelcontextprotocol/subscriptionId']],
      [4, 10, 'complete', 10],
    );
  });
  assert.deepEqual(findings, []);
});

test('who takes a broken stream up by its old id breaks http-063, and by a new one does not', async (t) => {
  const found = async (next: number): Promise<readonly string[]> => {
    const { findings, rows } = await at(t, async (url) => {
      await (await post(url, request(1, 'tools/list'))).text();
      await untilEnd(url, 2, 2);
      await untilEnd(url, next, 1);
    });
    const row = rows.find(({ id }) => id === 'http-063');
    return [...findings.map(({ id }) => id), row?.verdict ?? 'none'];
  };
  assert.deepEqual(await found(5), ['holds']);
  // Ids that do not count up may be those of several clients: it counts down here, once it was found.
  assert.deepEqual(await found(2), ['http-063', 'breaks']);
});

test('what one client listens by is held against no other that counts its ids alike', async (t) => {
  const token = (message: Json): Json => {
    const { params } = message as { readonly params: Json };
    return { ...message, params: { ...params, _meta: { ...(params['_meta'] as Json), progressToken: 'p' } } };
  };
  const { findings } = await at(t, async (url) => {
    const stream = await post(url, token(listens(3)));
    for (const id of [3, 4]) await (await post(url, token(request(id, 'tools/list')))).text();
    await stream.body?.cancel();
  });
  assert.deepEqual(findings, []);
});

test('over lines, where there is one client, the id of an open stream is used for nothing else', async (t) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const report = checkClient({ door: { input, output }, info, signal: t.signal });
  for (const message of [listens(3), request(3, 'tools/list')]) input.write(`${JSON.stringify(message)}\n`);
  input.end();
  assert.deepEqual(
    (await report).findings.map(({ id }) => id),
    ['basic-008'],
  );
});

test('nothing is found in our client that listens, and it hears of changes on streams that end', async (t) => {
  const events: string[] = [];
  let done: ReadonlySet<string> = new Set();
  const { findings } = await checkClient({
    door: { port: 0 },
    info,
    signal: t.signal,
    onStep: (steps) => (done = steps),
    async onOpen(origin) {
      const client = await connect(`${origin}/mcp`, { revisions: [newest] });
      let hear = (): void => undefined;
      const watched = await client.subscribe({ tools: true, updates: ['check://notes'] }, ({ type }) => {
        events.push(type);
        if (type === 'reopened') hear();
      });
      assert.deepEqual(watched.honored, { tools: true, updates: ['check://notes'] });
      await client.callTool('change', {});
      for (let time = 0; time < 2; time++) {
        const reopened = new Promise<void>((resolve) => (hear = resolve));
        await client.callTool('change', {});
        await reopened;
      }
      assert.ok((await client.listTools()).some(({ name }) => name === 'new_3'));
      await client.callTool('new_3', {});
      await watched.close();
      await client.close();
    },
  });
  assert.deepEqual([findings, done.has('change')], [[], true]);
  for (const type of ['list', 'update', 'reopened']) assert.ok(events.includes(type), `${type}: ${events.join()}`);
});
