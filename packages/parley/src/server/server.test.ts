import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dates, initializeParams, open, Raw, statelessDate, type Json } from '../../../../test/support/raw.ts';
import { metaKey } from '../protocol/meta.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import { connectInMemory } from '../testing.ts';
import type { ServerOptions } from './definition/options.ts';
import { createServer, type Server } from './server.ts';

const info = {
  name: 'tested',
  version: '1.0.0',
  title: 'Tested',
  description: 'A server.',
  websiteUrl: 'https://tested.example/',
  icons: [{ src: 'https://tested.example/i.png' }],
};

function create(options: ServerOptions = {}): Server {
  return createServer(info, { onError: () => undefined, ...options });
}

/** What a client is told first: the result of `initialize` or of `server/discover`. */
async function opening(server: Server, date: RevisionDate): Promise<Json> {
  if (date === statelessDate) return (await open(server, date)).result('server/discover');
  return new Raw(server, false).result('initialize', initializeParams(date));
}

async function capabilities(server: Server, date: RevisionDate): Promise<Json> {
  // Both results have an object there: the recorder checked it.
  return (await opening(server, date))['capabilities'] as Json;
}

for (const date of dates) {
  test(`capabilities follow from what is registered at ${date} [D08, D14, versioning-004, tools-001, resources-001, prompts-001, compl-001]`, async () => {
    const server = create({ logging: false });
    assert.deepEqual(await capabilities(server, date), {});
    server.tool('t', {}, () => 'x');
    assert.deepEqual(await capabilities(server, date), { tools: { listChanged: true } });
    server.resourceTemplate('user://{id}', { name: 'u' }, () => 'x');
    assert.deepEqual(await capabilities(server, date), {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    });
    server.prompt('p', { arguments: [{ name: 'a' }], complete: { a: () => [] } }, () => 'x');
    assert.deepEqual(await capabilities(server, date), {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      ...(date === '2024-11-05' ? {} : { completions: {} }),
    });
  });

  test(`what was offered once stays an empty list at ${date} [tools-002, resources-002, prompts-002]`, async () => {
    const server = create();
    const handles = [
      server.tool('t', {}, () => 'x'),
      server.resource('a://b', { name: 'b' }, () => 'x'),
      server.prompt('p', { arguments: [{ name: 'a' }], complete: { a: () => [] } }, () => 'x'),
    ];
    const raw = await open(server, date);
    await raw.result('tools/list');
    for (const handle of handles) handle.remove();
    assert.deepEqual((await raw.result('tools/list'))['tools'], []);
    assert.deepEqual((await raw.result('resources/list'))['resources'], []);
    assert.deepEqual((await raw.result('resources/templates/list'))['resourceTemplates'], []);
    assert.deepEqual((await raw.result('prompts/list'))['prompts'], []);
    assert.equal(
      (
        await raw.error('completion/complete', {
          ref: { type: 'ref/prompt', name: 'p' },
          argument: { name: 'a', value: '' },
        })
      ).code,
      -32602,
    );
  });

  test(`declared capabilities go beyond what is registered, in the words of ${date} [tasks-001, D13]`, async () => {
    const declared = {
      tools: {},
      resources: { subscribe: false },
      prompts: { listChanged: false },
      experimental: { 'com.example/x': { a: 1 }, bad: true },
      extensions: { 'com.example/ext': {} },
      tasks: { list: {}, requests: { tools: { call: {} } } },
    };
    const server = create({ capabilities: declared as unknown as NonNullable<ServerOptions['capabilities']> });
    assert.deepEqual(await capabilities(server, date), {
      logging: {},
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: false },
      prompts: { listChanged: false },
      experimental: { 'com.example/x': { a: 1 }, ...(date === statelessDate ? {} : declared.extensions) },
      extensions: declared.extensions,
      ...(date === '2025-11-25' ? { tasks: { list: {}, requests: { tools: { call: {} } } } } : {}),
    });
    const raw = await open(server, date);
    assert.deepEqual((await raw.result('tools/list'))['tools'], []);
  });

  test(`the server's identity is told in the words of ${date} [lifecycle-003, versioning-005, C24, C88]`, async () => {
    const result = await opening(create(), date);
    const { name, version, title, ...later } = info;
    const wanted = {
      name,
      version,
      ...(date >= '2025-06-18' ? { title } : {}),
      ...(date >= '2025-11-25' ? later : {}),
    };
    if (date !== statelessDate) assert.deepEqual(result['serverInfo'], wanted);
    else {
      assert.ok(!('serverInfo' in result));
      assert.deepEqual(result['_meta'], { [metaKey.serverInfo]: wanted });
    }
  });

  test(`instructions are told where there are any at ${date}`, async () => {
    assert.equal((await opening(create({ instructions: 'Be kind.' }), date))['instructions'], 'Be kind.');
    assert.ok(!('instructions' in (await opening(create(), date))));
  });
}

test('server/discover names every revision that is spoken, newest first [versioning-003, caching-001]', async () => {
  const all = await opening(create(), statelessDate);
  assert.deepEqual(all['supportedVersions'], dates.toReversed());
  const some = await opening(
    create({ revisions: [statelessDate, '2025-06-18'], cache: { ttlMs: 5000, cacheScope: 'public' } }),
    statelessDate,
  );
  assert.partialDeepStrictEqual(some, {
    supportedVersions: [statelessDate, '2025-06-18'],
    resultType: 'complete',
    ttlMs: 5000,
    cacheScope: 'public',
  });
});

test('lists carry the cache hint and reads one of their own, where the revision has hints [caching-001, caching-003, caching-004, basic-021]', async () => {
  for (const cache of [undefined, { ttlMs: 60_000, cacheScope: 'public' }] as const) {
    const server = create(cache === undefined ? {} : { cache });
    server.tool('t', {}, () => 'x');
    server.prompt('p', {}, () => 'x');
    server.resource('a://plain', { name: 'plain' }, () => 'x');
    server.resource('a://kept', { name: 'kept' }, (uri) => ({
      contents: [{ uri, text: 'x' }],
      ttlMs: 9,
      cacheScope: 'public',
    }));
    const hint = cache ?? { ttlMs: 0, cacheScope: 'private' };
    for (const date of dates) {
      const raw = await open(server, date);
      for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
        const { ttlMs, cacheScope, resultType } = await raw.result(method);
        assert.deepEqual(
          { ttlMs, cacheScope, resultType },
          date === statelessDate
            ? { ...hint, resultType: 'complete' }
            : { ttlMs: undefined, cacheScope: undefined, resultType: undefined },
        );
      }
      for (const [uri, own] of [
        ['a://plain', { ttlMs: 0, cacheScope: 'private' }],
        ['a://kept', { ttlMs: 9, cacheScope: 'public' }],
      ] as const) {
        const { ttlMs, cacheScope } = await raw.result('resources/read', { uri });
        assert.deepEqual(
          { ttlMs, cacheScope },
          date === statelessDate ? own : { ttlMs: undefined, cacheScope: undefined },
        );
      }
    }
  }
});

test('every page of a list has the same hint [caching-017]', async () => {
  const server = create({ pageSize: 1, cache: { ttlMs: 7, cacheScope: 'public' } });
  for (const name of ['a', 'b', 'c']) server.tool(name, {}, () => 'x');
  const raw = await open(server, statelessDate);
  let cursor: unknown;
  do {
    const page = await raw.result('tools/list', cursor === undefined ? {} : { cursor });
    assert.partialDeepStrictEqual(page, { ttlMs: 7, cacheScope: 'public' });
    cursor = page['nextCursor'];
  } while (cursor !== undefined);
});

test('every stateless result names its kind and its server, and keeps the _meta of its handler [basic-021, meta-016]', async () => {
  const server = create();
  server.tool('t', {}, () => ({ content: [], _meta: { 'com.example/x': 1 } }));
  server.resource('a://b', { name: 'b' }, () => 'x');
  server.prompt('p', { arguments: [{ name: 'a' }], complete: { a: () => [] } }, () => 'x');
  const raw = await open(server, statelessDate);
  for (const [method, params] of [
    ['server/discover', {}],
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    ['resources/read', { uri: 'a://b' }],
    ['prompts/get', { name: 'p' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }],
    ['tools/call', { name: 't' }],
  ] as const) {
    assert.partialDeepStrictEqual(
      await raw.result(method, params),
      { resultType: 'complete', _meta: { [metaKey.serverInfo]: { name: 'tested', version: '1.0.0' } } },
      method,
    );
  }
  assert.partialDeepStrictEqual(await raw.result('tools/call', { name: 't' }), { _meta: { 'com.example/x': 1 } });
});

for (const [what, options] of [
  ['an unknown revision', { revisions: ['2025-05-01'] }],
  ['a revision in place of its date', { revisions: [{ date: '2025-11-25' } as unknown as '2025-11-25'] }],
  ['no revision', { revisions: [] }],
  ['pages of nothing', { pageSize: 0 }],
  ['pages of a fraction', { pageSize: 1.5 }],
  ['pages of text', { pageSize: '10' as unknown as number }],
  ['a negative time to live', { cache: { ttlMs: -1, cacheScope: 'private' } }],
  ['a fractional time to live', { cache: { ttlMs: 0.5, cacheScope: 'private' } }],
  ['a cache scope that is none', { cache: { ttlMs: 0, cacheScope: 'everyone' } }],
] as const) {
  test(`options with ${what} make no server [caching-003, caching-004]`, () => {
    assert.throws(() => create(options as unknown as ServerOptions), TypeError);
  });
}

test('a definition serves any number of conversations, each of its own revision', async () => {
  const server = create();
  server.tool('t', {}, (_, ctx) => ctx.revision);
  const raws = await Promise.all([...dates, ...dates].map((date) => open(server, date)));
  const revisions = await Promise.all(
    raws.map(async (raw) => (await raw.result('tools/call', { name: 't' }))['content']),
  );
  assert.deepEqual(
    revisions,
    [...dates, ...dates].map((text) => [{ type: 'text', text }]),
  );
});

test('results but that of server/discover carry only name and version of a server [meta-016]', async () => {
  const icons = [{ src: `data:image/png;base64,${'A'.repeat(30_000)}` }];
  const server = createServer({ ...info, icons });
  server.tool('t', {}, () => 'x');
  const raw = await open(server, statelessDate);
  const named = { [metaKey.serverInfo]: { name: 'tested', version: '1.0.0' } };
  for (const method of ['tools/call', 'tools/list', 'tools/list']) {
    const result = await raw.result(method, { name: 't' });
    assert.deepEqual(result['_meta'], named);
    assert.ok(JSON.stringify(result).length < 400);
  }
  const discovered = await raw.result('server/discover');
  assert.deepEqual(discovered['_meta'], { [metaKey.serverInfo]: { ...info, icons } });
});

test('a client keeps the description of a server that later results shorten', async () => {
  const server = create();
  server.tool('t', {}, () => 'x');
  const client = await connectInMemory(server);
  await client.callTool('t');
  assert.deepEqual(client.server, info);
  await client.close();
});
