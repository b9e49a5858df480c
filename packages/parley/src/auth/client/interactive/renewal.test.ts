import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorld, mcp, refuse, type World } from '../../../../../../test/support/authorization-world.ts';
import type { Client } from '../../../client.ts';
import { AuthorizationError, type OAuthOptions } from '../../../oauth.ts';
import type { CredentialStore } from '../../../storage/credentials.ts';
import { memoryCredentialStore } from '../../../storage/memory-credentials.ts';
import { renewNow } from './oauth.ts';

/** A client that signed in. */
async function signedIn(
  world: World,
  t: { after(run: () => Promise<void>): void },
  options: Partial<OAuthOptions> = {},
): Promise<Client> {
  const client = await world.connect(world.oauth(options));
  t.after(() => client.close());
  return client;
}

function refreshes(world: World): number {
  return world.asked.filter(({ body }) => body['grant_type'] === 'refresh_token').length;
}

test('a token that is about to end is renewed beside the request, and one that ended before it', async (t) => {
  const world = createWorld();
  const client = await signedIn(world, t);
  await client.callTool('read');
  assert.equal(refreshes(world), 0);
  world.time += 3600_000 - 30_000;
  await client.callTool('read');
  assert.equal(refreshes(world), 1);
  world.time += 4000_000;
  const [before] = [...world.tokens.keys()].slice(-1);
  world.tokens.clear();
  await client.callTool('read');
  assert.equal(refreshes(world), 2);
  assert.equal(world.tokens.has(before ?? ''), false);
  assert.equal(world.pages.length, 1);
  assert.ok(world.asked.every(({ body }) => body['grant_type'] !== 'refresh_token' || body['resource'] === mcp));
});

test('a renewal goes to the token endpoint that a declined step-up found', async (t) => {
  const declined = (url: URL): URL => (
    url.searchParams.delete('code'),
    url.searchParams.set('error', 'access_denied'),
    url
  );
  const world = createWorld({ needs: { write: ['write'] } });
  const client = await signedIn(world, t);
  const moved: string[] = [];
  Object.assign(world.laws, {
    callback: declined,
    server: { ...Object(world.laws.server), token_endpoint: 'https://as.example/moved' },
    answers: {
      '/moved': ({ body }: { readonly body: Record<string, unknown> }) => {
        moved.push(String(body['grant_type']));
        return new Response('', { status: 503 });
      },
    },
  });
  await assert.rejects(client.callTool('write'));
  world.tokens.clear();
  await assert.rejects(client.callTool('read'));
  assert.deepEqual([moved, refreshes(world)], [['refresh_token'], 1]);
});

test('requests that are refused at once have one renewal between them', async (t) => {
  const world = createWorld();
  const client = await signedIn(world, t);
  world.tokens.clear();
  await Promise.all(Array.from({ length: 8 }, () => client.callTool('read')));
  assert.equal(refreshes(world), 1);
  assert.equal(world.pages.length, 1);
});

test('of two that share a store one renews, and the other uses what it got', async (t) => {
  const world = createWorld();
  const store = memoryCredentialStore();
  const one = await signedIn(world, t, { store });
  const other = await signedIn(world, t, { store });
  world.tokens.clear();
  await Promise.all([one.callTool('read'), other.callTool('read')]);
  assert.equal(refreshes(world), 1);
  world.tokens.clear();
  await one.callTool('read');
  await other.callTool('read');
  assert.equal(refreshes(world), 2);
  assert.equal(world.pages.length, 1);
});

test('a grant that the authorization server calls invalid is deleted, and a person signs in', async (t) => {
  const world = createWorld();
  const client = await signedIn(world, t);
  world.tokens.clear();
  let lost = 0;
  Object.assign(world.laws, {
    answers: {
      '/token': ({ body }: { readonly body: Record<string, unknown> }) =>
        body['grant_type'] === 'refresh_token' && ++lost > 0 ? refuse('invalid_grant') : undefined,
    },
  });
  await client.callTool('read');
  assert.equal(lost, 1);
  assert.equal(world.pages.length, 2);
  const [end] = world.events.flatMap((event) => (event.kind === 'lost' ? [event.message] : []));
  assert.match(end ?? '', /refused .* with invalid_grant/);
});

for (const [what, answer] of [
  ['fails', () => new Response('', { status: 503 })],
  ['is overrun', () => new Response('', { status: 429 })],
  [
    'is not reached',
    () => {
      throw new TypeError('fetch failed');
    },
  ],
  ['answers with a page', () => new Response('<html>')],
] as const)
  test(`while the authorization server ${what} nothing is lost, and the token that still works is used`, async (t) => {
    const world = createWorld();
    // Attempts are spaced by the clock that never jumps.
    t.mock.method(performance, 'now', () => world.time);
    const store = memoryCredentialStore();
    const client = await signedIn(world, t, { store });
    world.laws.answers = { '/token': answer };
    world.time += 3600_000 - 30_000;
    await client.callTool('read');
    world.tokens.clear();
    await assert.rejects(client.callTool('read'), (error) => error instanceof AuthorizationError);
    assert.equal((await store.keys('grant')).length, 1);
    assert.equal(world.pages.length, 1);
    world.laws.answers = {};
    world.time += 120_000;
    await client.callTool('read');
    assert.equal(world.pages.length, 1);
  });

test('an authorization server that fails is not asked with every request', async (t) => {
  const world = createWorld();
  const client = await signedIn(world, t);
  world.laws.answers = { '/token': () => new Response('', { status: 503 }) };
  world.time += 3600_000 - 30_000;
  for (let at = 0; at < 10; at++) await client.callTool('read');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(refreshes(world), 1);
});

test('an answer without a refresh token and without scopes leaves both as they were', async (t) => {
  const world = createWorld({
    resource: { resource: mcp, authorization_servers: ['https://as.example'], scopes_supported: ['a', 'b'] },
  });
  const store = memoryCredentialStore();
  const auth = world.oauth({ store });
  const client = await world.connect(auth);
  t.after(() => client.close());
  const before = await auth.identity();
  world.laws.answers = {
    '/token': () => {
      world.tokens.set('plain', ['a', 'b']);
      return Response.json({
        access_token: 'plain',
        token_type: 'bearer',
        scope: null,
        expires_in: '60',
        refresh_token: null,
      });
    },
  };
  world.tokens.clear();
  await client.callTool('read');
  const after = await auth.identity();
  assert.deepEqual(after?.scopes, ['a', 'b']);
  assert.equal(after?.renewable, true);
  assert.equal(after?.expiresAt, world.time + 60_000);
  assert.equal(before?.scopes.length, 2);
});

test('the context of the cache changes with the grant and never by its renewal', async (t) => {
  const world = createWorld();
  const auth = world.oauth();
  const nobody = auth.context();
  const client = await world.connect(auth);
  t.after(() => client.close());
  const first = auth.context();
  world.tokens.clear();
  await client.callTool('read');
  assert.equal(auth.context(), first);
  await auth.login();
  assert.notEqual(auth.context(), first);
  assert.notEqual(first, nobody);
});

test('a new process uses what an earlier one was granted, without a refusal', async (t) => {
  const world = createWorld();
  const store = memoryCredentialStore();
  await (await world.connect(world.oauth({ store }))).close();
  const from = world.asked.length;
  await signedIn(world, t, { store });
  assert.ok(
    world.asked.slice(from).every(({ url, headers }) => url.pathname === '/mcp' && headers.has('authorization')),
  );
});

test('who is signed out has no grant, and its tokens are revoked', async (t) => {
  const world = createWorld();
  const store = memoryCredentialStore();
  const auth = world.oauth({ store });
  const client = await world.connect(auth);
  t.after(() => client.close());
  assert.deepEqual(await auth.logout({ forgetClient: true }), { revoked: true });
  assert.equal(world.count('POST /revoke'), 2);
  assert.equal(await auth.identity(), undefined);
  assert.deepEqual([await store.keys('grant'), await store.keys('client'), await store.keys('server')], [[], [], []]);
  await client.callTool('read');
  assert.equal(world.pages.length, 2);
});

test('a registration is forgotten though nobody is signed in any more', async (t) => {
  const world = createWorld();
  const store = memoryCredentialStore();
  const server = 'https://mcp.example/mcp';
  const client = await world.connect(world.oauth({ store }));
  t.after(() => client.close());
  await world.oauth({ store, fetch: world.fetch }).logout({ server });
  assert.notEqual((await store.keys('client')).length, 0);
  assert.deepEqual(await world.oauth({ store, fetch: world.fetch }).logout({ server, forgetClient: true }), {
    revoked: false,
  });
  assert.deepEqual(await store.keys('client'), []);
});

test('a revocation that fails is told, and the grant is deleted all the same', async (t) => {
  const world = createWorld();
  const auth = world.oauth();
  const client = await world.connect(auth);
  t.after(() => client.close());
  world.laws.answers = { '/revoke': () => new Response('', { status: 500 }) };
  assert.deepEqual(await auth.logout(), { revoked: false });
  assert.equal(await auth.identity(), undefined);
});

test('what a store holds that is no grant counts as none', async (t) => {
  const world = createWorld();
  const inner = memoryCredentialStore();
  for (const text of ['', 'null', '[]', '{"id":1}', '{"issuer":"x","resource":"y","client":"z"}']) {
    const store: CredentialStore = {
      ...inner,
      read: async (key) =>
        key.kind === 'server' || key.kind === 'grant' ? { text, generation: '1' } : await inner.read(key),
    };
    await assert.rejects(
      world.connect(
        world.oauth({ store, redirect: async () => await Promise.reject(new AuthorizationError('denied', 'no')) }),
      ),
      (error) => error instanceof AuthorizationError && error.reason === 'denied',
    );
  }
  t.diagnostic('each asked a person');
});

test('when the server moves to another authorization server, nothing of the first is shown to the second [auth-039] [auth-040] [auth-080] [auth-081] [auth-125]', async (t) => {
  const world = createWorld();
  const client = await signedIn(world, t);
  const [first] = world.asked.filter(({ url }) => url.pathname === '/token').map(({ body }) => body['client_id']);
  world.tokens.clear();
  const other = 'https://other.example';
  Object.assign(world.laws, {
    resource: { resource: mcp, authorization_servers: [other] },
    answers: {
      '/.well-known/oauth-authorization-server': ({ url }: { readonly url: URL }) =>
        url.origin === other
          ? Response.json({
              issuer: other,
              authorization_endpoint: `${other}/authorize`,
              token_endpoint: `${other}/token2`,
              registration_endpoint: `${other}/register2`,
              code_challenge_methods_supported: ['S256'],
              token_endpoint_auth_methods_supported: ['none'],
            })
          : undefined,
      '/register2': () => Response.json({ client_id: 'second' }, { status: 201 }),
      '/token2': () => {
        world.tokens.set('of-the-second', []);
        return Response.json({ access_token: 'of-the-second', token_type: 'Bearer' });
      },
    },
    callback: (callback: URL) => {
      callback.searchParams.delete('iss');
      return callback;
    },
  });
  const from = world.asked.length;
  await client.callTool('read');
  const shown = JSON.stringify(
    world.asked
      .slice(from)
      .filter(({ url }) => url.origin === other)
      .map(({ url, body, headers }) => [url.href, body, [...headers]]),
  );
  assert.ok(!shown.includes(String(first)));
  for (const secret of world.secrets.filter((one) => !one.startsWith('code'))) assert.ok(!shown.includes(secret));
  assert.equal(new URL(world.pages.at(-1)?.url ?? '').searchParams.get('client_id'), 'second');
});

test('who wants to sign in anew is asked, also while the grant is renewed', async (t) => {
  const world = createWorld();
  const auth = world.oauth();
  const client = await world.connect(auth);
  t.after(() => client.close());
  world.time += 3600_000 - 30_000;
  await Promise.all([auth.login(), client.callTool('read')]);
  // One renewal was under way, and one shows that the new grant outlived the one before.
  assert.equal(refreshes(world), 2);
  assert.equal(world.pages.length, 2);
});

for (const code of ['bad_refresh_token', 'unauthorized_client', 'unsupported_grant_type', 'invalid_request'])
  test(`where an authorization server renews nothing, and says so by ${code}, a person signs in`, async (t) => {
    const world = createWorld();
    const client = await signedIn(world, t);
    world.laws.answers = {
      '/token': ({ body }) => (body['grant_type'] === 'refresh_token' ? refuse(code) : undefined),
    };
    for (const pages of [2, 3]) {
      world.tokens.clear();
      await client.callTool('read');
      assert.equal(world.pages.length, pages);
    }
  });

for (const code of ['temporarily_unavailable', 'server_error', 'invalid_dpop_proof'])
  test(`nobody is asked to sign in since an authorization server cannot renew now, by ${code}`, async (t) => {
    const world = createWorld();
    const client = await signedIn(world, t);
    world.laws.answers = { '/token': () => refuse(code) };
    world.tokens.clear();
    await assert.rejects(client.callTool('read'), (error) => (error as AuthorizationError).reason === 'server-error');
    assert.equal(world.pages.length, 1);
  });

test('another authorization server is not asked for the scopes of the one before', async (t) => {
  const resource = { resource: mcp, scopes_supported: ['old'], authorization_servers: ['https://as.example'] };
  const world = createWorld({ resource });
  const client = await signedIn(world, t);
  const other = 'https://as.example/other';
  world.laws.resource = { ...resource, scopes_supported: ['new'], authorization_servers: [other] };
  const metadata = {
    ...(world.laws.server as object),
    issuer: other,
    authorization_response_iss_parameter_supported: false,
  };
  world.laws.answers = { '/.well-known/oauth-authorization-server/other': () => Response.json(metadata) };
  world.laws.callback = (callback) => (callback.searchParams.delete('iss'), callback);
  world.tokens.clear();
  await client.callTool('read');
  assert.deepEqual(
    world.pages.map(({ scopes }) => scopes),
    [['old'], ['new']],
  );
});

test('who signs out while the grant is renewed has what came of that revoked', async (t) => {
  const world = createWorld();
  const auth = world.oauth();
  const client = await world.connect(auth);
  t.after(() => client.close());
  world.time += 3600_000 - 30_000;
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let go = (): void => {};
  const held = new Promise<undefined>((resolve) => (go = () => resolve(undefined)));
  world.laws.answers = {
    // Only a promise is awaited, which the types of an answer do not say of nothing.
    '/token': () => (arrive(), held as unknown as undefined),
  };
  await client.callTool('read');
  await arrived;
  const leaving = auth.logout();
  await new Promise((resolve) => setImmediate(resolve));
  go();
  assert.deepEqual(await leaving, { revoked: true });
  assert.deepEqual(
    world.asked.filter(({ url }) => url.pathname === '/revoke').map(({ body }) => body['token']),
    world.secrets.slice(-2).toReversed(),
  );
  assert.equal(await auth.identity(), undefined);
});

test('what another library grants is not renewed on demand', async () => {
  assert.equal(
    await renewNow({ bind: () => assert.fail('it is not asked') } as never, new URL('https://mcp.example/mcp')),
    false,
  );
});
