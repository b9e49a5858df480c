/** Tokens that are bound to a key, from the authorization server to the tool, between our client and our server. (RFC 9449.) */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { test, type TestContext } from 'node:test';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { connect, type Client } from '../../packages/parley/src/client.ts';
import { ssePairTransport } from '../../packages/parley/src/http.ts';
import { toNodeHandler } from '../../packages/parley/src/node.ts';
import { portOf } from '../support/http-entries.ts';
import { clientCredentials, oauth, type Authorization, type OAuthOptions } from '../../packages/parley/src/oauth.ts';
import { memoryReplay, protect, type DpopOptions, type ReplayStore } from '../../packages/parley/src/protect.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { authorizationServer, type AuthorizationServerOptions } from '../support/oidc-provider.ts';
import { visitPages } from '../support/visited-pages.ts';
import { until } from '../support/turns.ts';

const redirectUri = 'http://127.0.0.1:6276/callback';

/** One request that a client sent. */
interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly status: number;
}

interface Scene {
  readonly url: string;
  readonly issuer: string;
  readonly server: Server;
  readonly sent: Sent[];
  /** How much later than here it is at the server, in milliseconds. */
  ahead: number;
  /** What was asked at the token endpoint and answered with tokens, in order. */
  readonly grants: () => readonly string[];
  readonly fetch: typeof fetch;
  person(options?: Partial<OAuthOptions>): Authorization;
}

interface Wishes {
  readonly dpop?: DpopOptions;
  readonly as?: AuthorizationServerOptions;
  /** The nodes that requests go to in turn. */
  readonly nodes?: number;
}

/** An authorization server that binds tokens, a server that wants them, and what a client sends to both. */
async function open(t: TestContext, { dpop = {}, as: wishes = {}, nodes = 1 }: Wishes = {}): Promise<Scene> {
  const as = await authorizationServer(t, wishes);
  const http = createHttpServer();
  const resource = `http://127.0.0.1:${await portOf(http)}/mcp`;
  const server = createServer({ name: 's', version: '1' });
  server.tool('who', {}, (_, { auth }) => `${auth?.subject ?? auth?.clientId} ${auth?.scheme}`);
  server.tool('write', { scopes: ['write'] }, () => 'written');
  const sent: Sent[] = [];
  const scene: Scene = {
    url: resource,
    issuer: as.issuer,
    server,
    sent,
    ahead: 0,
    grants: () => as.tokenRequests.filter(({ error }) => error === undefined).map(({ grantType }) => grantType),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const response = await fetch(input, init);
      sent.push({ method: request.method, url: request.url, headers: request.headers, status: response.status });
      return response;
    },
    person: (options = {}) =>
      oauth({ redirect: ({ url }) => visitPages(url, { login: 'anna' }), redirectUri, dpop: 'auto', ...options }),
  };
  const handlers = Array.from({ length: nodes }, () =>
    toNodeHandler(
      protect(server, {
        resource,
        issuers: [as.issuer],
        scopes: ['read'],
        dpop: { required: true, ...dpop },
        now: () => Date.now() + scene.ahead,
      }),
      { path: '/mcp', ssePair: { sse: '/mcp/sse', messages: '/mcp/messages' } },
    ),
  );
  let turn = 0;
  http.on('request', (request, reply) => handlers[turn++ % nodes]?.(request, reply));
  t.after(async () => {
    const closed = once(http, 'close');
    await Promise.all(handlers.map((handler) => handler.close()));
    http.close();
    http.closeAllConnections();
    await closed;
  });
  return scene;
}

async function use(t: TestContext, scene: Scene, auth: Authorization, revision: string): Promise<Client> {
  const options = { auth, fetch: scene.fetch };
  const client =
    revision === '2024-11-05'
      ? await connect(ssePairTransport(new URL(`${scene.url}/sse`), options), { revisions: [revision] })
      : await connect(scene.url, { ...options, revisions: [revision] });
  t.after(() => client.close());
  return client;
}

async function said(client: Client, tool: string): Promise<string> {
  const [content] = (await client.callTool(tool)).content;
  return content?.type === 'text' ? content.text : '';
}

interface Proof {
  readonly jwk: JWK;
  readonly claims: Readonly<Record<string, unknown>>;
}

function proofOf({ headers }: Sent): Proof {
  const [header = {}, claims = {}] = (headers.get('dpop') ?? assert.fail('it has no proof'))
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>);
  // A proof shows its key.
  return { jwk: header['jwk'] as JWK, claims };
}

async function hashOf(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('base64url');
}

/** Every request with a token has a fresh proof of its own, and all of them are of one key. */
async function assertProven({ sent, url, issuer }: Scene): Promise<void> {
  const authorized = sent.filter((one) => one.url.startsWith(url) && one.headers.has('authorization'));
  const tokens = sent.filter((one) => one.url === `${issuer}/token`);
  assert.ok(authorized.length > 0 && tokens.length > 0);
  const proven = [...authorized, ...tokens];
  const ids = proven.map((one) => proofOf(one).claims['jti']);
  assert.equal(new Set(ids).size, ids.length, 'a proof was sent twice');
  const keys = await Promise.all(proven.map((one) => calculateJwkThumbprint(proofOf(one).jwk)));
  assert.equal(new Set(keys).size, 1);
  for (const one of proven) {
    const { claims } = proofOf(one);
    assert.deepEqual([claims['htm'], claims['htu']], [one.method, one.url.replace(/\?.*$/, '')]);
  }
  for (const one of authorized) {
    const [scheme, token = ''] = (one.headers.get('authorization') ?? '').split(' ');
    assert.equal(scheme, 'DPoP');
    assert.equal(proofOf(one).claims['ath'], await hashOf(token));
  }
}

const dates = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
const nonces = { dpop: { nonce: true }, as: { proofNonces: true } };

for (const revision of dates)
  for (const dpop of ['always', 'auto'] as const)
    for (const [how, wishes] of [
      ['without nonces', {}],
      ['with nonces of both servers [auth-142] [auth-143]', nonces],
    ] as const)
      test(`bound tokens pass over POST and streams, for a step-up and a renewal, at ${revision} under ${dpop}, ${how} [auth-140] [auth-141]`, async (t) => {
        let seconds = 100;
        const scene = await open(t, { ...wishes, as: { ...wishes.as, tokenSeconds: () => seconds } } as Wishes);
        const client = await use(t, scene, scene.person({ dpop }), revision);
        assert.equal(await said(client, 'who'), 'anna DPoP');
        const heard: string[] = [];
        const subscription = await client.subscribe({ tools: true }, ({ type }) => heard.push(type));
        scene.server.tool('later', {}, () => '');
        await until(() => heard.includes('list'), 'the list changed');
        await subscription.close();
        assert.equal(await said(client, 'write'), 'written');
        // The first tokens are over at the server, and the proofs of now are not.
        seconds = 10_000;
        scene.ahead = 200_000;
        assert.equal(await said(client, 'who'), 'anna DPoP');
        assert.deepEqual(scene.grants(), ['authorization_code', 'authorization_code', 'refresh_token']);
        await assertProven(scene);
        if (revision !== '2026-07-28')
          assert.ok(scene.sent.some((one) => one.method === 'GET' && one.headers.has('authorization')));
      });

for (const revision of ['2025-11-25', '2026-07-28'])
  test(`a nonce that ends is replaced by the next one without a refusal, and by one refusal after a pause, at ${revision} [auth-143]`, async (t) => {
    const scene = await open(t, { dpop: { nonce: true }, as: { tokenSeconds: 10_000 } });
    const client = await use(t, scene, scene.person(), revision);
    const refusals = (): number =>
      scene.sent.filter(({ status, headers }) => status === 401 && headers.has('authorization')).length;
    const before = refusals();
    for (let at = 0; at < 5; at++) {
      assert.equal(await said(client, 'who'), 'anna DPoP');
      scene.ahead += 35_000;
    }
    assert.equal(refusals(), before);
    scene.ahead += 61_000;
    assert.equal(await said(client, 'who'), 'anna DPoP');
    assert.equal(refusals(), before + 1);
    assert.deepEqual(scene.grants(), ['authorization_code']);
    await assertProven(scene);
  });

test('a proof that one node has seen passes at no other that shares its store', async (t) => {
  const seen = memoryReplay();
  const asked: string[] = [];
  const replay: ReplayStore = {
    add: (proof, expiresAt) => {
      asked.push(proof);
      return seen.add(proof, expiresAt);
    },
  };
  const nonceKey = new Uint8Array(32).fill(1);
  const scene = await open(t, { nodes: 2, dpop: { nonce: true, nonceKey, replay } });
  const client = await use(t, scene, scene.person(), '2026-07-28');
  for (let at = 0; at < 6; at++) assert.equal(await said(client, 'who'), 'anna DPoP');
  assert.equal(new Set(asked).size, asked.length);
  const last = scene.sent.at(-1) ?? assert.fail();
  for (let node = 0; node < 2; node++) {
    const again = await fetch(last.url, { method: 'POST', headers: last.headers, body: '{}' });
    assert.equal(again.status, 401);
    assert.match(again.headers.get('www-authenticate') ?? '', /error="invalid_dpop_proof"/);
  }
});

test('a machine has its tokens bound too, and asks for more by the same key', async (t) => {
  const machine = { redirect_uris: [], response_types: [], grant_types: ['client_credentials'] };
  const client_secret = 'of a machine';
  const scene = await open(t, {
    ...nonces,
    as: { proofNonces: true, clients: [{ ...machine, client_id: 'machine', client_secret }] },
  });
  const auth = clientCredentials({ id: 'machine', secret: client_secret, dpop: 'always' });
  const client = await use(t, scene, auth, '2025-11-25');
  assert.match(await said(client, 'who'), / DPoP$/);
  assert.equal(await said(client, 'write'), 'written');
  await assertProven(scene);
});
