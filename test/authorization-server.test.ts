/** A person signs in at a certified authorization server, and uses a server that is protected by its tokens; all of it on loopback. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { connect, type Client } from '../packages/parley/src/client.ts';
import { listen } from '../packages/parley/src/node.ts';
import { oauth, type OAuth, type OAuthEvent, type OAuthOptions } from '../packages/parley/src/oauth.ts';
import { protect, type ProtectOptions } from '../packages/parley/src/protect.ts';
import { createServer } from '../packages/parley/src/server.ts';
import { memoryCredentialStore } from '../packages/parley/src/storage/memory-credentials.ts';
import { authorizationServer, type AuthorizationServer } from './support/oidc-provider.ts';
import { visitPages } from './support/visited-pages.ts';

const redirectUri = 'http://127.0.0.1:6275/callback';

interface Place {
  readonly as: AuthorizationServer;
  readonly url: string;
}

/** An authorization server, and a server that is protected by its tokens. */
async function open(
  t: TestContext,
  methods: readonly string[] = ['none'],
  protection: Partial<ProtectOptions> = {},
): Promise<Place> {
  const as = await authorizationServer(t, {
    scopes: ['mcp:basic', 'mcp:write'],
    tokenSeconds: 3600,
    configuration: { clientAuthMethods: methods },
  });
  const server = createServer({ name: 's', version: '1' });
  server.tool('who', {}, (_, { auth }) => `${auth?.subject} ${auth?.scopes?.join(' ')}`);
  server.tool('write', { scopes: ['mcp:write'] }, () => 'written');
  // The port is part of the resource, and known once it is taken.
  const probe = await listen(server, { port: 0 });
  const { port } = new URL(probe.url);
  await probe.close();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const guarded = protect(server, { resource, issuers: [as.issuer], scopes: ['mcp:basic'], ...protection });
  const listening = await listen(guarded, { port: Number(port), drainTimeoutMs: 0 });
  t.after(() => listening.close());
  return { as, url: resource };
}

function person(options: Partial<OAuthOptions> = {}): { readonly auth: OAuth; readonly events: OAuthEvent[] } {
  const events: OAuthEvent[] = [];
  const auth = oauth({
    redirect: ({ url }) => visitPages(url, { login: 'anna' }),
    redirectUri,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { auth, events };
}

async function use(t: TestContext, url: string, auth: OAuth, revision?: string): Promise<Client> {
  const client = await connect(url, { auth, ...(revision === undefined ? {} : { revisions: [revision] }) });
  t.after(() => client.close());
  return client;
}

async function said(client: Client, tool: string): Promise<string> {
  const [content] = (await client.callTool(tool)).content;
  return content?.type === 'text' ? content.text : '';
}

for (const revision of ['2025-11-25', '2026-07-28'])
  test(`a person signs in, agrees to more when a tool wants it, and is known to the tool, at ${revision}`, async (t) => {
    const { as, url } = await open(t);
    const { auth, events } = person();
    const client = await use(t, url, auth, revision);
    assert.equal(await said(client, 'who'), 'anna mcp:basic');
    assert.equal(await said(client, 'write'), 'written');
    assert.match(await said(client, 'who'), /^anna mcp:basic mcp:write$/);
    assert.deepEqual(
      as.tokenRequests.map(({ grantType }) => grantType),
      ['authorization_code', 'authorization_code'],
    );
    assert.deepEqual(
      events.filter(({ kind }) => kind === 'asked').map((event) => 'reason' in event && event.reason),
      ['login', 'step-up'],
    );
  });

test('a grant is renewed with a new refresh token each time, by whoever shares the store', async (t) => {
  const { as, url } = await open(t);
  const store = memoryCredentialStore();
  let now = Date.now();
  const [one, other] = [person({ store, now: () => now }), person({ store, now: () => now })];
  const first = await use(t, url, one.auth);
  const second = await use(t, url, other.auth);
  for (let round = 0; round < 3; round++) {
    now += 4_000_000;
    const answers = await Promise.all([said(first, 'who'), said(second, 'who'), said(second, 'who')]);
    assert.deepEqual(new Set(answers), new Set(['anna mcp:basic']));
  }
  assert.deepEqual(
    as.tokenRequests.map(({ grantType }) => grantType),
    ['authorization_code', 'refresh_token', 'refresh_token', 'refresh_token'],
  );
});

test('signing out revokes the grant at the authorization server', async (t) => {
  const { url } = await open(t);
  const store = memoryCredentialStore();
  const { auth } = person({ store });
  await use(t, url, auth);
  const [key] = await store.keys('grant');
  assert.ok(key);
  const kept = await store.read(key);
  assert.deepEqual(await auth.logout(), { revoked: true });
  await store.write(key, kept?.text);
  await store.write(
    { kind: 'server', issuer: url },
    JSON.stringify({ issuer: key.issuer, resource: key.resource, client: key.client }),
  );
  const later = person({
    store,
    now: () => Date.now() + 4_000_000,
    redirect: async () => `${redirectUri}?error=access_denied`,
  });
  await assert.rejects(connect(url, { auth: later.auth }));
  assert.ok(later.events.some((event) => event.kind === 'lost'));
});

for (const method of ['none', 'client_secret_basic', 'client_secret_post'] as const)
  test(`a client that is registered for ${method} signs in by it [auth-004] [auth-117]`, async (t) => {
    const { url } = await open(t, [method]);
    assert.equal(await said(await use(t, url, person().auth), 'who'), 'anna mcp:basic');
  });

test('tokens are bound to a key where the server wants it, and proofs are made for each request', async (t) => {
  const { url } = await open(t, ['none'], { dpop: { required: true } });
  const client = await use(t, url, person({ dpop: 'auto' }).auth);
  assert.equal(await said(client, 'who'), 'anna mcp:basic');
  assert.equal(await said(client, 'who'), 'anna mcp:basic');
});
