/** What an authorizer makes of refusals that it was asked about already, or that other requests have seen to. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorld, mcp, type World } from '../../../../../test/support/authorization-world.ts';
import { memoryCredentialStore } from '../../storage/memory-credentials.ts';
import type { WebKeyPair } from '../../sealing/web-crypto.ts';
import type { CredentialStore } from '../../storage/credentials.ts';
import type { Authorization, AuthorizedAnswer, AuthorizedRequest, Authorizer } from '../common/authorizer.ts';
import { keysIn } from './dpop.ts';
import { clientCredentials } from './non-interactive/client-credentials.ts';
import { renewNow } from './interactive/oauth.ts';

const scopesWanted = 'Bearer error="insufficient_scope", scope="write"';

function answer(status: number, challenge?: string): AuthorizedAnswer {
  return { status, header: (name) => (name === 'www-authenticate' ? challenge : undefined) };
}

function request(tried: readonly string[] = [], mayAsk = true): AuthorizedRequest {
  return {
    method: 'POST',
    url: new URL(mcp),
    about: { method: 'tools/call', name: 'write' },
    signal: new AbortController().signal,
    mayAsk,
    isPublished: true,
    tried: new Set(tried),
    waiting: () => undefined,
  };
}

function boundTo(world: World, auth: Authorization): Authorizer {
  return auth.bind({ url: new URL(mcp), fetch: (url, sent) => world.fetch(url, sent) });
}

const ways: readonly (readonly [string, (world: World) => Authorization])[] = [
  ['a machine', (world) => clientCredentials({ id: 'machine', secret: 'hidden', now: () => world.time })],
  ['a person', (world) => world.oauth()],
];

for (const [who, authOf] of ways) {
  const made = (): { readonly world: World; readonly authorizer: Authorizer } => {
    const world = createWorld();
    if (who === 'a machine')
      Object.assign(world.laws.server as object, { token_endpoint_auth_methods_supported: ['client_secret_basic'] });
    return { world, authorizer: boundTo(world, authOf(world)) };
  };

  test(`${who} without a token gets none for scopes, nor for another refusal`, async () => {
    const { world, authorizer } = made();
    for (const refusal of [answer(403, scopesWanted), answer(403), answer(400, 'Bearer error="invalid_request"')])
      assert.equal(await authorizer.refused(request(), refusal, {}), false);
    assert.equal(world.count('POST /token'), 0);
  });

  test(`${who} sends a request again once if others got a token meanwhile, and else gets one`, async () => {
    const { world, authorizer } = made();
    const first = request();
    assert.equal(await authorizer.refused(first, answer(401, 'Bearer'), {}), true);
    assert.equal(world.count('POST /token'), 1);
    const sent = await authorizer.headers(request());
    assert.match(String(sent['authorization']), /^Bearer \S+/);
    const again = request();
    for (const isSent of [true, false])
      assert.equal(await authorizer.refused(again, answer(401, 'Bearer'), { authorization: 'Bearer old' }), isSent);
    assert.equal(world.count('POST /token'), 1, 'the token of the others is used');
    await assert.rejects(authorizer.refused(first, answer(401, 'Bearer'), sent), { reason: 'server-error' });
  });

  test(`${who} asks for the same scopes once, and not if others got them meanwhile`, async () => {
    const { world, authorizer } = made();
    await authorizer.refused(request(), answer(401, 'Bearer'), {});
    const sent = await authorizer.headers(request());
    const first = request();
    assert.equal(await authorizer.refused(first, answer(403, scopesWanted), sent), true);
    assert.equal(await authorizer.refused(first, answer(403, scopesWanted), sent), false);
    assert.equal(world.count('POST /token'), 2);
    const other = request();
    for (const isSent of [true, false])
      assert.equal(await authorizer.refused(other, answer(403, scopesWanted), sent), isSent);
    assert.equal(world.count('POST /token'), 2);
  });
}

test('a person who must not be asked gets neither a page nor scopes', async () => {
  const world = createWorld();
  const authorizer = boundTo(world, world.oauth());
  assert.equal(await authorizer.refused(request([], false), answer(401, 'Bearer'), {}), false);
  await authorizer.refused(request(), answer(401, 'Bearer'), {});
  const sent = await authorizer.headers(request());
  assert.equal(await authorizer.refused(request([], false), answer(403, scopesWanted), sent), false);
  assert.equal(world.pages.length, 1);
});

test('a grant is renewed on demand before it is due, if it can be', async () => {
  const world = createWorld();
  const auth = world.oauth();
  const authorizer = boundTo(world, auth);
  assert.equal(await renewNow(auth, new URL(mcp)), false);
  await authorizer.refused(request(), answer(401, 'Bearer'), {});
  const before = await authorizer.headers(request());
  const renewed = await renewNow(auth, new URL(mcp));
  const after = await authorizer.headers(request());
  assert.deepEqual([renewed, after['authorization'] !== before['authorization']], [true, true]);
  const machine = clientCredentials({ id: 'machine', secret: 'hidden' });
  assert.equal(await renewNow(machine as never, new URL(mcp)), false);
});

test('keys for proofs are kept where the store keeps pairs, and cannot be read there', async () => {
  const pairs: WebKeyPair[] = [];
  const store: CredentialStore = {
    ...memoryCredentialStore(),
    keyPair: async (_, make) => {
      if (pairs.length === 0) pairs.push(await make());
      return pairs[0] ?? assert.fail('there is one');
    },
  };
  const key = { kind: 'dpop-key', issuer: 'https://as.example' } as const;
  const [one, other] = [await keysIn(store, key), await keysIn(store, key)];
  assert.deepEqual(one.jwk, other.jwk);
  assert.equal(one.jwk['d'], undefined);
  await assert.rejects(crypto.subtle.exportKey('jwk', one.privateKey as CryptoKey));
});

test('two processes that make a key for proofs at once use the key that was stored', async () => {
  const inner = memoryCredentialStore();
  const key = { kind: 'dpop-key', issuer: 'https://as.example' } as const;
  const first = await keysIn(inner, key);
  let reads = 0;
  const late: CredentialStore = {
    ...inner,
    read: async (of) => (reads++ === 0 ? undefined : await inner.read(of)),
    write: (...given) => inner.write(...given),
  };
  assert.deepEqual((await keysIn(late, key)).jwk, first.jwk);
  assert.equal(reads, 2);
});
