/** What the specification asks of a client that is authorized: where it looks, what it sends, and what it holds on to. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Client } from '../../packages/parley/src/client.ts';
import { enterpriseManaged, type OAuthOptions } from '../../packages/parley/src/oauth.ts';
import { memoryCredentialStore } from '../../packages/parley/src/storage/memory-credentials.ts';
import { createWorld, issuer, mcp, type Asked, type Laws, type World } from '../support/authorization-world.ts';

const metadata = createWorld().laws.server as Readonly<Record<string, unknown>>;

async function signedIn(
  t: TestContext,
  world: World,
  options: Partial<OAuthOptions> = {},
  revision = '2026-07-28',
): Promise<Client> {
  const client = await world.connect(world.oauth(options), { revisions: [revision] });
  t.after(() => client.close());
  return client;
}

/** What was asked beside the conversation, as `GET https://host/path`. */
function lookedFor({ asked }: World): readonly string[] {
  return asked
    .filter(({ url }) => url.pathname !== '/mcp')
    .map(({ method, url }) => `${method} ${url.origin}${url.pathname}`);
}

/** A server of 2025-03-26, which is its own authorization server; its metadata are those that are given, if any. */
function ownAuthorization(ownMetadata: object | undefined): World {
  const world: World = createWorld({
    challenge: 'Bearer',
    resource: undefined,
    callback: (callback) => {
      callback.searchParams.delete('iss');
      return callback;
    },
    answers: {
      '/.well-known/oauth-authorization-server': () =>
        ownMetadata === undefined ? new Response('', { status: 404 }) : Response.json(ownMetadata),
      '/register': ({ body }) => Response.json({ ...body, client_id: 'c' }, { status: 201 }),
      '/token': () => {
        world.tokens.set('given', []);
        return Response.json({ access_token: 'given', token_type: 'Bearer' });
      },
    },
  });
  return world;
}

const origin = new URL(mcp).origin;

test('a client of 2025-03-26 reads metadata at the root of the server, and says its revision there [auth-009, auth-013, auth-015]', async (t) => {
  const world = ownAuthorization({
    ...metadata,
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    authorization_response_iss_parameter_supported: undefined,
  });
  await signedIn(t, world, {}, '2025-03-26');
  const looked = world.asked.filter(({ url }) => url.href === `${origin}/.well-known/oauth-authorization-server`);
  assert.deepEqual(
    looked.map(({ headers }) => headers.get('mcp-protocol-version')),
    ['2025-03-26'],
  );
  assert.deepEqual(lookedFor(world).slice(-2), [`POST ${origin}/register`, `POST ${origin}/token`]);
});

test('without metadata it uses the endpoints of fixed names, but only after it looked for metadata, and with PKCE [auth-011, auth-012, auth-013, auth-017]', async (t) => {
  const world = ownAuthorization(undefined);
  await signedIn(t, world, {}, '2025-03-26');
  assert.deepEqual(lookedFor(world), [
    `GET ${origin}/.well-known/oauth-protected-resource/mcp`,
    `GET ${origin}/.well-known/oauth-protected-resource`,
    `GET ${origin}/.well-known/oauth-authorization-server`,
    `POST ${origin}/register`,
    `POST ${origin}/token`,
  ]);
  const page = new URL(world.pages[0]?.url ?? '');
  assert.equal(page.origin + page.pathname, `${origin}/authorize`);
  assert.equal(page.searchParams.get('code_challenge_method'), 'S256');
  const token = world.asked.find(({ url }) => url.pathname === '/token');
  assert.match(String(token?.body['code_verifier']), /^[\w-]{43}$/);
});

for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28'] as const)
  test(`the resource metadata that the challenge names lead to the authorization server, at ${revision} [auth-025, auth-029, auth-032]`, async (t) => {
    const named = `${origin}/elsewhere/metadata`;
    const world = createWorld({
      challenge: `Bearer resource_metadata="${named}"`,
      // Who looked at the well-known place would be led astray.
      resource: { resource: mcp, authorization_servers: ['https://astray.example'] },
      answers: {
        '/elsewhere/metadata': () => Response.json({ resource: mcp, authorization_servers: [issuer] }),
      },
    });
    await signedIn(t, world, {}, revision);
    assert.deepEqual(lookedFor(world).slice(0, 2), [
      `GET ${named}`,
      `GET ${issuer}/.well-known/oauth-authorization-server`,
    ]);
  });

test('metadata of OpenID Connect are as good as those of OAuth, which are looked for first [auth-034]', async (t) => {
  const world = createWorld({
    answers: { '/.well-known/oauth-authorization-server': () => new Response('', { status: 404 }) },
  });
  await signedIn(t, world);
  assert.deepEqual(lookedFor(world).slice(1, 3), [
    `GET ${issuer}/.well-known/oauth-authorization-server`,
    `GET ${issuer}/.well-known/openid-configuration`,
  ]);
});

test('scopes of a challenge are asked for as they are, whatever the resource says that it knows [auth-043]', async (t) => {
  for (const [challenged, known] of [
    ['a b', ['c']],
    ['a', ['a', 'b', 'c']],
    ['a b c', ['a']],
  ] as const) {
    const world = createWorld({
      challenge: `Bearer scope="${challenged}", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
      resource: { resource: mcp, authorization_servers: [issuer], scopes_supported: known },
    });
    await signedIn(t, world);
    assert.deepEqual(world.pages[0]?.scopes, challenged.split(' '));
  }
});

test('the issuer and the verifier of a login are kept before a person is sent to a page [auth-083]', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  let kept: unknown;
  const auth = world.oauth({
    store,
    redirect: async ({ state }) => {
      kept = JSON.parse((await store.read({ kind: 'login', issuer: state }))?.text ?? '{}');
      throw new Error('no browser');
    },
  });
  await assert.rejects(world.connect(auth));
  const { verifier, endpoints } = kept as {
    readonly verifier: string;
    readonly endpoints: { readonly issuer: string };
  };
  assert.equal(endpoints.issuer, issuer);
  assert.match(verifier, /^[\w-]{43}$/);
});

test('an answer without an issuer is taken where none was promised [auth-089]', async (t) => {
  const world = createWorld({
    server: { ...metadata, authorization_response_iss_parameter_supported: undefined },
    callback: (callback) => {
      callback.searchParams.delete('iss');
      return callback;
    },
  });
  const client = await signedIn(t, world);
  await client.callTool('read');
  assert.equal(world.pages.length, 1);
});

/** An identity provider that takes decisions for an enterprise, and an authorization server that takes them. */
function enterprise(): { readonly world: World; readonly tokens: () => readonly Asked[] } {
  const idp = 'https://idp.example';
  const changes: Partial<Laws> = {
    answers: {
      '/idp-token': () =>
        Response.json({
          access_token: 'decision',
          issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
          token_type: 'N_A',
        }),
      '/token': () => {
        world.tokens.set('given', []);
        return Response.json({ access_token: 'given', token_type: 'Bearer' });
      },
    },
  };
  const world: World = createWorld(changes);
  const tokens = (): readonly Asked[] =>
    world.asked.filter(({ url }) => url.href === `${idp}/idp-token` || url.href === `${issuer}/token`);
  return { world, tokens };
}

test('an enterprise exchanges the token of its person for a decision, which the authorization server takes [auth-135, auth-138]', async (t) => {
  const { world, tokens } = enterprise();
  const auth = enterpriseManaged({
    idp: { tokenEndpoint: 'https://idp.example/idp-token', client: { id: 'app-at-idp' } },
    client: { id: 'app', secret: 'hidden' },
    subjectToken: () => ({ token: 'of-the-person' }),
  });
  const client = await world.connect(auth);
  t.after(() => client.close());
  const [exchange, redeemed] = tokens();
  assert.deepEqual(exchange?.body, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    audience: issuer,
    resource: mcp,
    subject_token: 'of-the-person',
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    client_id: 'app-at-idp',
  });
  assert.equal(redeemed?.body['grant_type'], 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  assert.equal(redeemed?.body['assertion'], 'decision');
  assert.equal(redeemed?.body['resource'], mcp);
  // What the identity provider knows stays there.
  assert.ok(!JSON.stringify(redeemed?.body).includes('of-the-person'));
  assert.equal(tokens().length, 2);
});
