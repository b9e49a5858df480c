/** What the specification asks of tools, resources, prompts and completions, where no one module shows it alone. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { createServer, type Server, type ServerOptions } from '../../packages/parley/src/server.ts';
import { dates, open, statelessDate, type Json } from '../support/raw.ts';

function create(options: ServerOptions = {}): Server {
  return createServer({ name: 'tested', version: '1.0.0' }, { onError: () => undefined, ...options });
}

test('resources and prompts are the same for every connection [resources-003, prompts-003]', async () => {
  const server = create();
  server.resource('a://b', { name: 'b' }, () => 'x');
  server.resourceTemplate('a://{id}', { name: 'id', list: () => [{ uri: 'a://1', name: 'one' }] }, () => 'x');
  server.prompt('p', {}, () => 'x');
  const lists: unknown[] = [];
  for (const capabilities of [{}, { sampling: {}, elicitation: {}, roots: {} }]) {
    const raw = await open(server, statelessDate, { capabilities });
    lists.push([
      await raw.result('resources/list'),
      await raw.result('resources/templates/list'),
      await raw.result('prompts/list'),
    ]);
  }
  assert.deepEqual(lists[0], lists[1]);
});

const upwards = [
  'files:///../secret',
  'files:///a/../../secret',
  'files:///%2e%2e/secret',
  'files:///..%2Fsecret',
  'files:///..%5Csecret',
  'files:///a%5C..%5C..%5Csecret',
  'files:///a%00b',
];

test('a reader of files sees no path that leads out of its folder [resources-022]', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a..b.txt'), 'fine');
  const read: string[] = [];
  const server = create();
  server.resourceTemplate('files:///{+path}', { name: 'file' }, (_, { path }) => {
    read.push(path);
    return readFileSync(join(folder, path), 'utf8');
  });
  for (const date of dates) {
    const raw = await open(server, date);
    for (const uri of upwards)
      assert.equal((await raw.error('resources/read', { uri })).code, date === statelessDate ? -32602 : -32002, uri);
    assert.partialDeepStrictEqual(await raw.result('resources/read', { uri: 'files:///a..b.txt' }), {
      contents: [{ text: 'fine' }],
    });
  }
  assert.deepEqual(
    read,
    dates.map(() => 'a..b.txt'),
  );
});

test('every kind of variable is looked through for such paths [resources-022]', async () => {
  const server = create();
  const read = (): string => 'x';
  server.resourceTemplate('one://{id}', { name: 'one' }, read);
  server.resourceTemplate('many://x{/parts*}', { name: 'many' }, read);
  server.resourceTemplate('query://x{?path}', { name: 'query' }, read);
  const raw = await open(server, '2025-06-18');
  for (const uri of ['one://..', 'one://..%2Fb', 'many://x/a/../b', 'query://x?path=..%2Fb', 'query://x?path=a%2F..']) {
    assert.equal((await raw.error('resources/read', { uri })).code, -32002, uri);
  }
  for (const uri of ['one://...', 'one://a..', 'many://x/a/b', 'query://x?path=a%2Fb'])
    await raw.result('resources/read', { uri });
});

test('a template whose variables are no paths may take them as they are', async () => {
  const server = create();
  server.resourceTemplate('search://{query}', { name: 'search', allowTraversal: true }, (_, { query }) => query);
  const raw = await open(server, '2025-06-18');
  assert.partialDeepStrictEqual(await raw.result('resources/read', { uri: 'search://..%2F..' }), {
    contents: [{ text: '../..' }],
  });
});

test('a read has the hint of its definition, unless its result has its own [caching-001, caching-003]', async () => {
  const server = create();
  const cache = { ttlMs: 5000, cacheScope: 'public' } as const;
  server.resource('a://plain', { name: 'plain' }, () => 'x');
  server.resource('a://kept', { name: 'kept', cache }, () => 'x');
  server.resource('a://own', { name: 'own', cache }, (uri) => ({
    contents: [{ uri, text: 'x' }],
    ttlMs: 1,
    cacheScope: 'private',
  }));
  server.resourceTemplate('t://{id}', { name: 't', cache }, () => 'x');
  const hints = async (uri: string): Promise<unknown> => {
    const { ttlMs, cacheScope } = await (await open(server, statelessDate)).result('resources/read', { uri });
    return { ttlMs, cacheScope };
  };
  assert.deepEqual(await hints('a://plain'), { ttlMs: 0, cacheScope: 'private' });
  assert.deepEqual(await hints('a://kept'), cache);
  assert.deepEqual(await hints('t://1'), cache);
  assert.deepEqual(await hints('a://own'), { ttlMs: 1, cacheScope: 'private' });
  assert.deepEqual(
    Object.keys(await (await open(server, '2025-11-25')).result('resources/read', { uri: 'a://kept' })),
    ['contents'],
  );
});

test('tools are called as often as their owner allows, and again after a while [tools-037]', async () => {
  let time = 0;
  let runs = 0;
  const server = create({ rateLimits: { tools: { perSecond: 2, burst: 3 }, now: () => time } });
  server.tool('t', {}, () => String(++runs));
  for (const date of dates) {
    time += 60_000;
    runs = 0;
    const raw = await open(server, date);
    const failed = async (): Promise<unknown> => (await raw.result('tools/call', { name: 't' }))['isError'] ?? false;
    assert.deepEqual([await failed(), await failed(), await failed(), await failed()], [false, false, false, true]);
    assert.equal(runs, 3);
    time += 499;
    assert.equal(await failed(), true);
    time += 1;
    assert.deepEqual([await failed(), await failed()], [false, true]);
  }
});

test('each principal and each address has its own rate, whatever session it opens [tools-037]', async () => {
  const server = create({ rateLimits: { tools: { perSecond: 1 }, now: () => 0 } });
  server.tool('t', {}, () => 'x');
  const failed = async (auth: string | undefined, date: '2025-11-25' | '2026-07-28'): Promise<unknown> => {
    const raw = await open(server, date, auth === undefined ? {} : { auth: { principal: auth } });
    return (await raw.result('tools/call', { name: 't' }))['isError'] ?? false;
  };
  assert.deepEqual([await failed('ann', '2025-11-25'), await failed('ann', '2026-07-28')], [false, true]);
  assert.equal(await failed('bob', '2026-07-28'), false);
  assert.deepEqual([await failed(undefined, '2025-11-25'), await failed(undefined, '2025-11-25')], [false, true]);
  assert.equal(await failed(undefined, '2026-07-28'), true);
});

test('a rate that lets nothing pass makes no server', () => {
  for (const limit of [{ perSecond: 0 }, { perSecond: -1 }, { perSecond: Number.NaN }, { perSecond: 1, burst: 0 }]) {
    assert.throws(() => create({ rateLimits: { tools: limit } }), TypeError);
  }
});

test('completions come as often as their owner allows, for sound requests alone [compl-006]', async () => {
  let time = 0;
  const seen: unknown[] = [];
  const server = create({ rateLimits: { completions: { perSecond: 1, burst: 2 }, now: () => time } });
  server.prompt('p', { arguments: [{ name: 'a' }], complete: { a: (value) => [String(seen.push(value))] } }, () => 'x');
  const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'v' } };
  for (const date of dates) {
    time += 60_000;
    seen.length = 0;
    const raw = await open(server, date);
    for (const argument of [{ name: 'a', value: 7 }, { name: 'a' }, 'a']) {
      assert.equal((await raw.error('completion/complete', { ...params, argument })).code, -32602);
    }
    await raw.result('completion/complete', params);
    await raw.result('completion/complete', params);
    assert.equal((await raw.error('completion/complete', params)).code, -32603);
    assert.deepEqual(seen, ['v', 'v']);
  }
});

test('no schema ever makes the server fetch anything [schema-008]', async (t) => {
  const fetched: unknown[] = [];
  t.mock.method(globalThis, 'fetch', (url: unknown) => {
    fetched.push(url);
    return Promise.reject(new Error('no network'));
  });
  const $ref = 'https://schemas.example/a.json';
  for (const input of [
    { type: 'object', properties: { a: { $ref } } },
    { type: 'object', allOf: [{ $ref }] },
  ]) {
    const server = create();
    try {
      server.tool('t', { input }, () => 'x');
    } catch (error) {
      assert.ok(error instanceof TypeError);
      continue;
    }
    const raw = await open(server, '2025-11-25');
    await raw.ask('tools/list');
    await raw.ask('tools/call', { name: 't', arguments: { a: 1 } });
  }
  assert.deepEqual(fetched, []);
});

test('a handle to state is long, never the same, and no good after its time [security-021]', async () => {
  let time = 0;
  const schema = { type: 'object', properties: { n: { type: 'number' } } } as const;
  const server = create({ rounds: { now: () => time, ttlMs: 1000, maxStateLength: 0 } });
  server.tool('t', {}, async (_, ctx) => (await ctx.elicit({ message: 'm', schema })).action);
  const raw = await open(server, statelessDate, { capabilities: { elicitation: {} } });
  const handles = new Set<string>();
  const answered: Json[] = [];
  for (let at = 0; at < 50; at++) {
    const { inputRequests, requestState } = await raw.result('tools/call', { name: 't' });
    assert.ok(String(requestState).length >= 22, 'at least 128 bits');
    handles.add(String(requestState));
    assert.ok(isObject(inputRequests));
    const [key = ''] = Object.keys(inputRequests);
    answered.push({ name: 't', requestState, inputResponses: { [key]: { action: 'decline' } } });
  }
  assert.equal(handles.size, 50);
  const [first = {}, second = {}] = answered;
  time = 1000;
  assert.equal((await raw.result('tools/call', first))['resultType'], 'complete');
  time = 1001;
  assert.equal((await raw.error('tools/call', second)).code, -32602);
});
