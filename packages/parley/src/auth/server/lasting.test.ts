/** What lasts longer than a request, and metadata beside the server's own. */
import type { Fetch } from '../../jsonrpc/fetch.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeyPair } from 'jose';
import { entries } from '../../../../../test/support/http-entries.ts';
import { createServer } from '../../server/server.ts';
import { testIssuer } from '../../testing/issuer.ts';
import { bearer, call, open, resource, said } from '../../../../../test/support/guarded-entrance.ts';
import { protect } from './protect.ts';

const entry = entries['createHttpHandler'] ?? assert.fail();

test('streams end half a minute after the token that opened them, and running calls do not', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() });
  let finish = (): void => undefined;
  const running = new Promise<void>((resolve) => (finish = resolve));
  const { send, stream, issuer } = await open(t, entry, {
    http: { ssePair: { sse: '/sse', messages: '/messages' }, keepAliveIntervalMs: 0 },
    define: (server) => {
      server.resource('note://a', { name: 'a' }, () => 'a');
      server.tool('slow', {}, async (_, ctx) => {
        ctx.progress(1);
        await running;
        return 'finished';
      });
    },
  });
  const headers = bearer(await issuer.issue({ expiresIn: 60 }));
  const opened = await send({
    headers,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    }),
  });
  const session = { ...headers, 'mcp-session-id': opened.headers['mcp-session-id'] };
  const slow = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'slow', _meta: { progressToken: 1 } } };
  const lasting = await Promise.all([
    stream({ method: 'GET', headers: session }),
    stream({ method: 'GET', path: '/sse', headers }),
    stream(call('subscriptions/listen', { notifications: { resourceSubscriptions: ['note://a'] } }, headers)),
  ]);
  const working = await stream({ headers: session, body: JSON.stringify(slow) });
  t.mock.timers.tick(89_000);
  const ended = Promise.all(lasting.map((events) => events.until(() => false)));
  t.mock.timers.tick(1001);
  const [, , listened = ''] = await ended;
  // A subscription ends with its answer.
  assert.match(listened, /"result"/);
  finish();
  assert.match(await working.until((text) => text.includes('finished')), /finished/);
});

test('the pair of HTTP+SSE brings the answers of what runs when its token ends, and nothing else', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() });
  let [finish, begin] = [(): void => undefined, (): void => undefined];
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const { send, stream, issuer, server } = await open(t, entry, {
    http: { ssePair: { sse: '/sse', messages: '/messages' }, keepAliveIntervalMs: 0 },
    define: (defined) => {
      defined.tool('slow', {}, async () => {
        await new Promise<void>((resolve) => {
          finish = resolve;
          begin();
        });
        return 'finished';
      });
    },
  });
  const events = await stream({ method: 'GET', path: '/sse', headers: bearer(await issuer.issue({ expiresIn: 60 })) });
  const [, path = ''] = /data: (\S+)/.exec(await events.until((text) => text.includes('sessionId='))) ?? [];
  const headers = bearer(await issuer.issue({ expiresIn: 600 }));
  const post = async (message: object): Promise<number> =>
    (await send({ path, headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })).status;
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  await post({ id: 1, method: 'initialize', params });
  await post({ method: 'notifications/initialized' });
  const slow = post({ id: 2, method: 'tools/call', params: { name: 'slow' } });
  await begun;
  t.mock.timers.tick(90_001);
  server.changed('tools');
  assert.equal(await post({ id: 3, method: 'tools/list' }), 404);
  assert.equal(await post({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }), 202);
  finish();
  const text = await events.until(() => false);
  assert.match(text, /finished/);
  assert.doesNotMatch(text, /list_changed/);
  assert.equal(await slow, 202);
  assert.equal(await post({ id: 4, method: 'tools/list' }), 404);
});

test('the metadata of the authorization server lies where clients of 2025-03-26 look for it [auth-008] [auth-010] [auth-014]', async (t) => {
  const { send, issuer } = await open(t, entry);
  const path = '/.well-known/oauth-authorization-server';
  const answer = await send({ method: 'GET', path });
  assert.equal(answer.status, 200);
  const document = JSON.parse(answer.text) as Record<string, unknown>;
  assert.equal(document['issuer'], issuer.issuer);
  assert.equal(document['token_endpoint'], 'https://issuer.test/token');
  assert.equal(answer.headers['access-control-allow-origin'], '*');
});

test('it is not mirrored where nobody looks for it, or where it is not wanted', async (t) => {
  const path = '/.well-known/oauth-authorization-server';
  const newer = createServer({ name: 's', version: '1' }, { revisions: ['2025-06-18', '2026-07-28'] });
  const issuer = testIssuer({ audience: resource });
  for (const guarded of [
    protect(newer, { resource, ...issuer.options }),
    protect(createServer({ name: 's', version: '1' }), { resource, ...issuer.options, mirrorMetadata: false }),
    protect(createServer({ name: 's', version: '1' }), {
      resource,
      issuers: ['https://a.example', 'https://b.example'],
    }),
    protect(createServer({ name: 's', version: '1' }), { resource, issuers: ['https://mcp.example.com'] }),
  ]) {
    const entrance = await entry(guarded);
    t.after(() => entrance.close());
    assert.equal((await entrance.send({ method: 'GET', path })).status, 404);
  }
});

test('metadata is had from a platform that speaks fetch', async () => {
  const issuer = testIssuer({ audience: resource });
  const guarded = protect(createServer({ name: 's', version: '1' }), {
    resource,
    ...issuer.options,
    metadata: { resource_name: 'Notes' },
  });
  const answer = await guarded.metadata(
    new Request('https://mcp.example.com/.well-known/oauth-protected-resource/mcp'),
  );
  assert.equal(answer?.headers.get('content-type'), 'application/json');
  assert.equal(((await answer.json()) as Record<string, unknown>)['resource_name'], 'Notes');
  assert.equal(guarded.metadata(new Request('https://mcp.example.com/mcp')), undefined);
});

test('a handler gets a token for another API, and never the one of its caller [auth-127]', async (t) => {
  const { send, issuer } = await open(t, entry, {
    protect: { exchange: { clientId: 'mcp', clientSecret: 'secret' } },
    define: (server) =>
      void server.tool('upstream', {}, async (_, { auth }) => {
        const first = await auth?.exchange?.({ audience: 'https://api.example', scopes: ['read'] });
        const second = await auth?.exchange?.({ audience: 'https://api.example', scopes: ['read'] });
        return JSON.stringify([first?.token, first?.token === second?.token, first?.scopes]);
      }),
  });
  const token = await issuer.issue({ subject: 'anna' });
  const [other, isKept, scopes] = JSON.parse(
    said(await send(call('tools/call', { name: 'upstream' }, bearer(token)))),
  ) as [string, boolean, string[]];
  assert.notEqual(other, token);
  const claims = JSON.parse(Buffer.from(other.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
  assert.deepEqual([claims['aud'], claims['sub'], isKept, scopes], ['https://api.example', 'anna', true, ['read']]);
  assert.equal(issuer.asked.get('/token'), 1);
});

test('a token for another API whose end is not said is exchanged once, until another one is asked for', async (t) => {
  const own = testIssuer({ audience: resource });
  let exchanged = 0;
  const fetch: Fetch = (url, request) =>
    url.endsWith('/token')
      ? Promise.resolve(Response.json({ access_token: `other-${++exchanged}`, token_type: 'Bearer' }))
      : own.fetch(url, request);
  const { send } = await open(t, entry, {
    protect: { fetch, exchange: { clientId: 'mcp', clientSecret: 'secret' } },
    define: (server) =>
      void server.tool('upstream', {}, async (_, { auth }) => {
        const got = async (fresh: boolean): Promise<unknown> =>
          (await auth?.exchange?.({ audience: 'https://api.example', fresh }))?.token;
        return JSON.stringify([await got(false), await got(false), await got(true)]);
      }),
  });
  const token = await own.issue({ subject: 'anna' });
  const answer = said(await send(call('tools/call', { name: 'upstream' }, bearer(token))));
  assert.deepEqual(JSON.parse(answer), ['other-1', 'other-1', 'other-2']);
});

test('a server says by a key who it is when it exchanges a token, and the key never leaves it [auth-127]', async (t) => {
  for (const [alg, key] of [
    ['ES256', (await generateKeyPair('ES256', { extractable: true })).privateKey],
    ['PS256', (await generateKeyPair('PS256', { extractable: true })).privateKey],
    ['Ed25519', (await generateKeyPair('Ed25519', { extractable: true })).privateKey],
  ] as const) {
    const own = testIssuer({ audience: resource });
    const sent: { readonly headers: Readonly<Record<string, string>>; readonly form: URLSearchParams }[] = [];
    const fetch: Fetch = (url, request) => {
      if (url.endsWith('/token')) sent.push({ headers: request.headers, form: new URLSearchParams(request.body) });
      return own.fetch(url, request);
    };
    const { send } = await open(t, entry, {
      protect: { fetch, exchange: { clientId: 'mcp', key: { key, kid: 'k1' } } },
      define: (server) =>
        void server.tool('upstream', {}, async (_, { auth }) => {
          const got = await auth?.exchange?.({ audience: 'https://api.example' });
          return got?.type;
        }),
    });
    const token = await own.issue({ subject: 'anna' });
    assert.equal(said(await send(call('tools/call', { name: 'upstream' }, bearer(token)))), 'Bearer');
    const [{ headers, form } = assert.fail()] = sent;
    assert.equal(headers['authorization'], undefined);
    assert.equal(form.get('client_assertion_type'), 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    const [header = {}, claims = {}] = (form.get('client_assertion') ?? '')
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>);
    assert.deepEqual([header['alg'], header['kid']], [alg, 'k1']);
    assert.deepEqual([claims['iss'], claims['sub'], claims['aud']], ['mcp', 'mcp', 'https://issuer.test']);
    assert.equal(Number(claims['exp']) - Number(claims['iat']), 60);
    assert.equal(form.has('client_secret'), false);
  }
  const server = createServer({ name: 's', version: '1' });
  for (const exchange of [{ clientId: 'mcp' }, { clientId: 'mcp', clientSecret: 's', key: 'k' }, { clientSecret: 's' }])
    assert.throws(
      () => protect(server, { resource, issuers: ['https://a.example'], exchange: exchange as never }),
      TypeError,
    );
});

test('an exchange that fails says why, and gives back nothing that it was given', async (t) => {
  const issuer = testIssuer({ audience: resource });
  const answers: (readonly [number, (token: string) => unknown])[] = [
    [400, () => ({ error: 'invalid_target', error_description: 'no such API' })],
    [200, () => ({ error: 'invalid_scope' })],
    [200, (token) => ({ access_token: token, token_type: 'Bearer' })],
    [200, () => ({ access_token: 'x' })],
    [503, () => 'busy'],
  ];
  const fetch: Fetch = async (url, request) => {
    if (!url.endsWith('/token')) return issuer.fetch(url, request);
    const [status, body] = answers.shift() ?? assert.fail();
    return new Response(JSON.stringify(body(new URLSearchParams(request.body).get('subject_token') ?? '')), { status });
  };
  const { send } = await open(t, entry, {
    protect: { fetch, exchange: { clientId: 'mcp', clientSecret: 'secret' } },
    define: (server) =>
      void server.tool('upstream', {}, async (_, { auth }) => {
        try {
          return (await auth?.exchange?.({ resource: 'https://api.example' }))?.token;
        } catch (error) {
          return `${(error as { reason: string }).reason}: ${(error as Error).message}`;
        }
      }),
  });
  const { issue } = issuer;
  const seen: string[] = [];
  const token = await issue();
  while (answers.length > 0) seen.push(said(await send(call('tools/call', { name: 'upstream' }, bearer(token)))));
  const reasons = seen.map((text) => text.split(':')[0]);
  assert.deepEqual(reasons, ['denied', 'insufficient-scope', 'invalid-response', 'invalid-response', 'server-error']);
  assert.doesNotMatch(seen.join(' '), new RegExp(token.slice(0, 20)));
});

const inner = [
  'http://issuer.test/jwks',
  'https://169.254.169.254/keys',
  'https://[::ffff:10.0.0.1]/keys',
  'https://2130706433/keys',
  'https://localhost/keys',
  'file:///etc/passwd',
];

for (const jwks of inner)
  test(`no key is fetched from ${jwks} because metadata says so`, async (t) => {
    const told: unknown[] = [];
    const asked: string[] = [];
    const issuer = testIssuer({ audience: resource });
    const fetch: Fetch = async (url, request) => {
      asked.push(url);
      return url.includes('/.well-known/')
        ? new Response(JSON.stringify({ issuer: issuer.issuer, jwks_uri: jwks }))
        : issuer.fetch(url, request);
    };
    const { send } = await open(t, entry, { protect: { fetch, onError: (error) => void told.push(error) } });
    assert.equal((await send(call('tools/list', {}, bearer(await issuer.issue())))).status, 503);
    assert.deepEqual(asked, ['https://issuer.test/.well-known/oauth-authorization-server']);
    assert.match(String((told[0] as { reason?: unknown }).reason), /insecure-url|address-refused/);
  });

test('metadata of another issuer, or without end, is not used', async (t) => {
  const issuer = testIssuer({ audience: resource });
  const bodies = [
    JSON.stringify({ issuer: 'https://evil.example', jwks_uri: 'https://evil.example/jwks' }),
    'x'.repeat(300_000),
    '<html>',
  ];
  for (const body of bodies) {
    const asked: string[] = [];
    const fetch: Fetch = async (url) => {
      asked.push(new URL(url).host);
      return new Response(body);
    };
    const { send } = await open(t, entry, { protect: { fetch } });
    assert.equal((await send(call('tools/list', {}, bearer(await issuer.issue())))).status, 503);
    assert.deepEqual([...new Set(asked)], ['issuer.test']);
  }
});

test('a server that cannot tell which scopes it knows says what is needed all the same', async (t) => {
  const told: unknown[] = [];
  const server = createServer({ name: 's', version: '1' });
  server.tool('write', { scopes: ['files:write'] }, () => 'written');
  const { endpoint } = server;
  const issuer = testIssuer({ audience: resource });
  const guard = (): Promise<never> => Promise.reject(new Error('lost'));
  const options = { resource, ...issuer.options, onError: (error: unknown): void => void told.push(error) };
  const guarded = protect({ endpoint: { ...endpoint, guard } }, options);
  const entrance = await entry(guarded);
  t.after(() => entrance.close());
  const answer = await entrance.send(call('tools/call', { name: 'write' }, bearer(await issuer.issue())));
  assert.equal(answer.status, 403);
  assert.match(answer.headers['www-authenticate'] ?? '', /scope="files:write"/);
  assert.equal(told.length, 1);
});

test('an outage is told once, and not by every request', async (t) => {
  const told: unknown[] = [];
  const { send, issuer } = await open(t, entry, { protect: { onError: (error) => void told.push(error) } });
  issuer.outage(true);
  for (let turn = 0; turn < 5; turn++)
    assert.equal((await send(call('tools/list', {}, bearer(await issuer.issue())))).status, 503);
  assert.equal(told.length, 1);
});
