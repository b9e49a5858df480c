import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dates, handshakeDates, open, settle, statelessDate, type Json } from '../../../../../test/support/raw.ts';
import type { ReadReturn } from '../definition/definition.ts';
import { createServer, type Server } from '../server.ts';
import { parseTemplate } from '../uri-template/uri-template.ts';
import { isUri } from '../uri-template/uri.ts';

function empty(options = {}): Server {
  return createServer({ name: 'tested', version: '1.0.0' }, { onError: () => undefined, ...options });
}

async function contents(server: Server, uri: string): Promise<readonly Json[]> {
  const raw = await open(server, '2025-11-25');
  const result = await raw.result('resources/read', { uri });
  assert.ok(Array.isArray(result['contents']));
  return result['contents'];
}

const uri = 'memo://one';

const forms: readonly (readonly [string, ReadReturn, readonly Json[]])[] = [
  ['text', 'first', [{ uri, mimeType: 'text/plain', text: 'first' }]],
  ['empty text', '', [{ uri, mimeType: 'text/plain', text: '' }]],
  ['bytes', new Uint8Array([0, 255, 254]), [{ uri, mimeType: 'text/plain', blob: 'AP/+' }]],
  [
    'a part of a buffer',
    new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4),
    [{ uri, mimeType: 'text/plain', blob: 'AQID' }],
  ],
  ['no bytes', new Uint8Array(), [{ uri, mimeType: 'text/plain', blob: '' }]],
  [
    'contents',
    { uri: 'memo://sub', text: 'x', mimeType: 'text/html' },
    [{ uri: 'memo://sub', mimeType: 'text/html', text: 'x' }],
  ],
  ['contents with base64', { uri, blob: 'AQID' }, [{ uri, mimeType: 'text/plain', blob: 'AQID' }]],
  [
    'several contents',
    [
      { uri, text: 'a' },
      { uri: 'memo://two', blob: 'AQID', mimeType: 'image/png' },
    ],
    [
      { uri, text: 'a' },
      { uri: 'memo://two', blob: 'AQID', mimeType: 'image/png' },
    ],
  ],
  ['a whole result', { contents: [{ uri, text: 'a' }] }, [{ uri, text: 'a' }]],
];

for (const [what, given, wanted] of forms) {
  test(`a reader may give ${what} [resources-008, resources-020]`, async () => {
    const server = empty();
    server.resource(uri, { name: 'one', mimeType: 'text/plain' }, () => given);
    assert.deepEqual(await contents(server, uri), wanted);
  });
}

test('many bytes are encoded whole [resources-020]', async () => {
  const bytes = Uint8Array.from({ length: 300_001 }, (_, at) => at % 251);
  const server = empty();
  server.resource(uri, { name: 'one' }, () => bytes);
  const [only] = await contents(server, uri);
  assert.deepEqual(
    Uint8Array.from(atob(String(only?.['blob'])), (char) => char.charCodeAt(0)),
    bytes,
  );
});

test('contents without a MIME type say none', async () => {
  const server = empty();
  server.resource(uri, { name: 'one' }, () => 'x');
  assert.deepEqual(await contents(server, uri), [{ uri, text: 'x' }]);
});

test('a reader that gives nothing is an internal error, not empty contents [resources-015, resources-017]', async () => {
  for (const given of [undefined, null, 7, { sum: 1 }]) {
    const server = empty();
    server.resource(uri, { name: 'one' }, () => given as unknown as string);
    for (const date of dates) {
      const raw = await open(server, date);
      assert.deepEqual(await raw.error('resources/read', { uri }), { code: -32603, message: 'internal error' });
    }
  }
});

for (const date of dates) {
  test(`what is not there has the code of ${date}, with its URI [resources-013, resources-014, resources-017]`, async () => {
    const server = empty();
    server.resource(uri, { name: 'one' }, () => 'x').disable();
    server.resourceTemplate('user://{id}', { name: 'user' }, () => undefined);
    const raw = await open(server, date);
    for (const asked of [uri, 'user://7', 'nothing://here', '', 'no uri', '__proto__', 'file:///etc/passwd']) {
      const { code, data } = await raw.error('resources/read', { uri: asked });
      assert.equal(code, date === statelessDate ? -32602 : -32002, asked);
      assert.deepEqual(data, { uri: asked });
    }
    for (const asked of [7, null, {}, undefined])
      assert.equal((await raw.error('resources/read', { uri: asked })).code, -32602);
  });
}

test('a template reads with its variables decoded [resources-009]', async () => {
  const server = empty();
  server.resourceTemplate('user://{id}/{+path}{?lang}', { name: 'user' }, (asked, variables) =>
    JSON.stringify([asked, variables]),
  );
  const asked = 'user://a%2Fb%20%C3%A4/deep/er?lang=de';
  const [only] = await contents(server, asked);
  assert.deepEqual(JSON.parse(String(only?.['text'])), [asked, { id: 'a/b ä', path: 'deep/er', lang: 'de' }]);
});

test('a registered resource goes before a template, and the first template before the next', async () => {
  const server = empty();
  server.resourceTemplate('user://{id}', { name: 'first' }, (_, { id }) => (id === 'late' ? undefined : 'first'));
  server.resourceTemplate('user://{name}', { name: 'second', mimeType: 'text/x-second' }, () => 'second');
  server.resource('user://root', { name: 'root' }, () => 'own');
  assert.partialDeepStrictEqual(await contents(server, 'user://root'), [{ text: 'own' }]);
  assert.partialDeepStrictEqual(await contents(server, 'user://7'), [{ text: 'first' }]);
  assert.partialDeepStrictEqual(await contents(server, 'user://late'), [{ text: 'second', mimeType: 'text/x-second' }]);
});

test('templates and resources are listed in the words of the revision', async () => {
  const server = empty();
  const icons = [{ src: 'https://a.example/i.png' }];
  const definition = {
    name: 'n',
    title: 'N',
    description: 'D',
    mimeType: 'text/plain',
    icons,
    meta: { 'com.example/x': 1 },
    annotations: { priority: 1, audience: ['user' as const], lastModified: '2025-01-12T15:00:58Z' },
  };
  server.resource(uri, { ...definition, size: 7 }, () => 'x');
  server.resourceTemplate('user://{id}', definition, () => 'x');
  for (const date of dates) {
    const raw = await open(server, date);
    const shared = {
      name: 'n',
      description: 'D',
      mimeType: 'text/plain',
      annotations: {
        priority: 1,
        audience: ['user'],
        ...(date >= '2025-06-18' ? { lastModified: '2025-01-12T15:00:58Z' } : {}),
      },
      _meta: { 'com.example/x': 1 },
      ...(date >= '2025-06-18' ? { title: 'N' } : {}),
      ...(date >= '2025-11-25' ? { icons } : {}),
    };
    assert.deepEqual((await raw.result('resources/list'))['resources'], [{ uri, size: 7, ...shared }]);
    assert.deepEqual((await raw.result('resources/templates/list'))['resourceTemplates'], [
      { uriTemplate: 'user://{id}', ...shared },
    ]);
  }
});

test('templates that name their resources have them listed after the registered ones', async () => {
  const server = empty();
  server.resourceTemplate(
    'user://{id}',
    { name: 'user', list: async (ctx) => [{ uri: `user://${ctx.requestId}`, name: 'requester' }] },
    () => 'x',
  );
  server.resource(uri, { name: 'one' }, () => 'x');
  for (const date of dates) {
    const raw = await open(server, date);
    const { resources } = await raw.result('resources/list', {}, 'me');
    assert.partialDeepStrictEqual(resources, [
      { uri, name: 'one' },
      { uri: 'user://me', name: 'requester' },
    ]);
  }
});

for (const value of [
  '..',
  'a/../../b',
  'a\\..\\b',
  '%2e%2e',
  '%252e%252e%252fx',
  '.%2e/x',
  '%2E%2E%5Cx',
  '..;',
  '..;/x',
  'a/..%3bp=1/x',
  '.. ',
  '/etc/passwd',
  '%2fetc',
  '%25252525252525252525252fetc',
  '%25%32%65%%32e',
  `%${'25'.repeat(9)}41`,
  '\\\\host\\share',
  'C:\\x',
  'c:/x',
  'a\0b',
  '%00',
]) {
  test(`a value that leads elsewhere reaches no reader unless allowTraversal says so: ${JSON.stringify(value)}`, async () => {
    for (const template of [
      'memo://{id}',
      'memo://{+id}',
      'memo://x{?id*}',
      'memo://x{/id*}',
      'memo://{id,other}',
    ] as const) {
      const uri = parseTemplate<string>(template).expand({ id: template.endsWith('*}') ? [value] : value, other: 'b' });
      for (const allowTraversal of [false, true]) {
        const server = empty();
        let given: unknown;
        server.resourceTemplate(template, { name: 'memo', allowTraversal }, (_, variables) => {
          given = (variables as Record<string, unknown>)['id'];
          return 'x';
        });
        const raw = await open(server, '2025-11-25');
        if (allowTraversal && isUri(uri)) {
          await raw.result('resources/read', { uri });
          assert.notEqual(given, undefined, uri);
        } else if (!allowTraversal) {
          assert.equal((await raw.error('resources/read', { uri })).code, -32002, uri);
          assert.equal(given, undefined, uri);
        }
      }
    }
  });
}

test('a value that stays below its folder reaches the reader', async () => {
  for (const value of ['a/b', 'a..b', '...', '.', 'a;b', '100%', '%25', '%zz', '..a', 'x:y', '']) {
    const server = empty();
    server.resourceTemplate('memo://x{?id}', { name: 'memo' }, (_, { id }) => id ?? 'none');
    const uri = parseTemplate('memo://x{?id}').expand({ id: value });
    assert.partialDeepStrictEqual(await contents(server, uri), [{ text: value }], value);
  }
});

test('a disabled resource is not usable, though a template matches its URI', async () => {
  const server = empty();
  const handle = server.resource('memo://one', { name: 'one' }, () => 'static');
  const list = (): readonly { uri: string; name: string }[] => [{ uri: 'memo://one', name: 'found' }];
  server.resourceTemplate('memo://{id}', { name: 'memo', list }, () => 'by template');
  handle.disable();
  for (const date of dates) {
    const raw = await open(server, date);
    const error = await raw.error('resources/read', { uri: 'memo://one' });
    assert.match(error.message, /no resource at/);
    assert.deepEqual((await raw.result('resources/list'))['resources'], []);
  }
  handle.enable();
  assert.partialDeepStrictEqual(await contents(server, 'memo://one'), [{ text: 'static' }]);
  handle.remove();
  assert.partialDeepStrictEqual(await contents(server, 'memo://one'), [{ text: 'by template' }]);
});

test('a disabled template neither reads nor lists', async () => {
  const server = empty();
  const handle = server.resourceTemplate(
    'user://{id}',
    { name: 'user', list: () => [{ uri: 'user://7', name: 'seven' }] },
    () => 'x',
  );
  handle.disable();
  const raw = await open(server, '2025-06-18');
  assert.deepEqual((await raw.result('resources/list'))['resources'], []);
  assert.deepEqual((await raw.result('resources/templates/list'))['resourceTemplates'], []);
  assert.equal((await raw.error('resources/read', { uri: 'user://7' })).code, -32002);
});

test('a resource needs an absolute URI, a template a good one, and both their own [resources-018]', () => {
  const server = empty();
  for (const bad of ['', 'one', '/etc/passwd', '../x', '//host/x'])
    assert.throws(() => server.resource(bad, { name: 'x' }, () => 'x'), TypeError, bad);
  for (const [bad, good] of [
    ['x://a b', 'x://a%20b'],
    ['x://ключ a', 'x://%D0%BA%D0%BB%D1%8E%D1%87%20a'],
  ] as const)
    assert.throws(
      () => server.resource(bad, { name: 'x' }, () => 'x'),
      new RegExp(`percent-encode what no URI may hold: "${good}"`),
    );
  assert.throws(() => server.resource('x://\ud800', { name: 'x' }, () => 'x'), /is not an absolute URI$/);
  assert.throws(() => server.resourceTemplate('user://{', { name: 'x' }, () => 'x'), TypeError);
  server.resource(uri, { name: 'x' }, () => 'x');
  server.resourceTemplate('user://{id}', { name: 'x' }, () => 'x');
  assert.throws(() => server.resource(uri, { name: 'x' }, () => 'x'), TypeError);
  assert.throws(() => server.resourceTemplate('user://{id}', { name: 'x' }, () => 'x'), TypeError);
});

test('a watcher hears of updates, once for each turn, until it unwatches [resources-005, resources-006, E09, E14]', async () => {
  for (const date of handshakeDates) {
    const server = empty();
    server.resource(uri, { name: 'one' }, () => 'x');
    const raw = await open(server, date);
    const other = await open(server, date);
    assert.deepEqual(await raw.result('resources/subscribe', { uri }), {});
    assert.deepEqual(await raw.result('resources/subscribe', { uri }), {});
    raw.take();
    server.resourceUpdated(uri);
    server.resourceUpdated(uri);
    server.resourceUpdated('memo://else');
    await raw.result('ping');
    assert.deepEqual(raw.take(), [{ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } }]);
    assert.deepEqual(await raw.result('resources/unsubscribe', { uri }), {});
    assert.deepEqual(await raw.result('resources/unsubscribe', { uri: 'memo://never' }), {});
    server.resourceUpdated(uri);
    await raw.result('ping');
    assert.deepEqual([raw.take(), other.take()], [[], []]);
  }
});

test('what a client watches is forgotten with its conversation', async () => {
  const server = empty();
  server.resource(uri, { name: 'one' }, () => 'x');
  const raw = await open(server, '2025-06-18');
  await raw.result('resources/subscribe', { uri });
  raw.conversation.close();
  server.resourceUpdated(uri);
  const again = await open(server, '2025-06-18');
  await again.result('ping');
  assert.deepEqual([raw.take(), again.take()], [[], []]);
});

test('a client watches only so many resources', async () => {
  const server = empty({ subscriptions: { resourcesPerClient: 2 } });
  server.resource(uri, { name: 'one' }, () => 'x');
  const raw = await open(server, '2025-06-18');
  await raw.result('resources/subscribe', { uri: 'memo://a' });
  await raw.result('resources/subscribe', { uri: 'memo://b' });
  await raw.error('resources/subscribe', { uri: 'memo://c' });
  await raw.result('resources/subscribe', { uri: 'memo://a' });
  await raw.result('resources/unsubscribe', { uri: 'memo://a' });
  await raw.result('resources/subscribe', { uri: 'memo://c' });
});

test('without the capability subscribe nobody can watch', async () => {
  const server = empty({ capabilities: { resources: { subscribe: false } } });
  server.resource(uri, { name: 'one' }, () => 'x');
  const raw = await open(server, '2025-06-18');
  assert.equal((await raw.error('resources/subscribe', { uri })).code, -32601);
  assert.equal((await raw.error('resources/unsubscribe', { uri })).code, -32601);
});

test('a resource with characters beyond ASCII is read, watched and guarded by both spellings', async () => {
  const [spelled, encoded] = ['file:///straße', 'file:///stra%C3%9Fe'];
  for (const date of handshakeDates) {
    const server = empty();
    server.resource(spelled, { name: 'street' }, (at) => at);
    server.resource('x://tür', { name: 'door', scopes: ['doors'] }, () => 'x');
    assert.throws(() => server.resource(encoded, { name: 'x' }, () => 'x'), /already registered/);
    const raw = await open(server, date, { auth: { principal: 'ann', scopes: [] } });
    const listed = (await raw.result('resources/list'))['resources'] as readonly { readonly uri: string }[];
    assert.deepEqual(listed[0]?.uri, encoded);
    for (const uri of [spelled, encoded]) {
      const [one] = (await raw.result('resources/read', { uri }))['contents'] as readonly Json[];
      assert.deepEqual([one?.['uri'], one?.['text']], [encoded, encoded]);
    }
    await raw.result('resources/subscribe', { uri: encoded });
    for (const method of ['resources/read', 'resources/subscribe'])
      for (const uri of ['x://tür', 'x://t%C3%BCr']) await assert.rejects(raw.result(method, { uri }), /doors|scope/);
    raw.take();
    server.resourceUpdated(spelled);
    await settle();
    assert.deepEqual(
      raw.take().map(({ params }) => (params as Json)['uri']),
      [encoded],
    );
  }
});

test('a template is matched by the spelling that is listed, and by the percent-encoded one', async () => {
  for (const date of dates) {
    const server = empty();
    server.resourceTemplate('file:///docs/café/{name}', { name: 'docs' }, (_, { name }) => `of ${name}`);
    server.resource('file:///na%C3%AFve', { name: 'fixed' }, () => 'fixed');
    const raw = await open(server, date);
    const [listed] = (await raw.result('resources/templates/list'))['resourceTemplates'] as readonly {
      readonly uriTemplate: string;
    }[];
    const said = async (asked: string): Promise<unknown> => {
      const { contents } = await raw.result('resources/read', { uri: asked });
      const [one] = contents as readonly { readonly uri: string; readonly text: string }[];
      return [one?.uri, one?.text];
    };
    const encoded = 'file:///docs/caf%C3%A9/a';
    assert.deepEqual(await said(listed?.uriTemplate.replace('{name}', 'a') ?? ''), [encoded, 'of a']);
    assert.deepEqual(await said(encoded), [encoded, 'of a']);
    assert.deepEqual(await said('file:///docs/caf%c3%a9/a'), ['file:///docs/caf%c3%a9/a', 'of a']);
    assert.deepEqual(await said('file:///docs/café/ü'), ['file:///docs/caf%C3%A9/%C3%BC', 'of ü']);
    assert.deepEqual(await said('file:///naïve'), ['file:///na%C3%AFve', 'fixed']);
    assert.match((await raw.error('resources/read', { uri: 'file:///docs/tea/a' })).message, /no resource at/);
  }
});
