import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { test } from 'node:test';
import { createWorld, mcp, type World } from '../../../../../../test/support/authorization-world.ts';
import { bind, demand, named, wantNonces } from '../../../../../../test/support/bound-tokens.ts';
import { AuthorizationError } from '../../../oauth.ts';
import { keysIn } from '../dpop.ts';
import { memoryCredentialStore } from '../../../storage/memory-credentials.ts';

function schemes(world: World): readonly string[] {
  return world.asked
    .filter(({ url }) => url.pathname === '/mcp')
    .map(({ headers }) => headers.get('authorization')?.split(' ', 1)[0] ?? 'none');
}

test('where tokens are always bound, one that was kept and is not is not used', async (t) => {
  const world = createWorld();
  bind(world);
  const store = memoryCredentialStore();
  await (await world.connect(world.oauth({ store }))).close();
  world.asked.splice(0);
  const auth = world.oauth({ store, dpop: 'always' });
  const client = await world.connect(auth);
  t.after(() => client.close());
  assert.equal(world.pages.length, 2);
  assert.deepEqual([...new Set(schemes(world))], ['none', 'DPoP']);
  await auth.logout();
  assert.deepEqual(await store.keys('grant'), []);
});

test('a grant that was kept and is not bound is deleted by who signs out, too', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  await (await world.connect(world.oauth({ store }))).close();
  await world.oauth({ store, fetch: world.fetch, dpop: 'always' }).logout({ server: mcp });
  assert.deepEqual(await store.keys('grant'), []);
});

test('a server that takes bound tokens alone from now on has the person sign in, once', async (t) => {
  const world = createWorld();
  bind(world);
  const client = await world.connect(world.oauth({ dpop: 'auto' }));
  t.after(() => client.close());
  demand(world);
  await client.callTool('read');
  await client.callTool('read');
  assert.equal(world.pages.length, 2);
  assert.equal(schemes(world).at(-1), 'DPoP');
});

test('a server that takes both has a token renewed that is not bound', async (t) => {
  const world = createWorld();
  const client = await world.connect(world.oauth({ dpop: 'auto' }));
  t.after(() => client.close());
  world.laws.challenge = `DPoP algs="ES256", Bearer ${named}`;
  world.tokens.clear();
  await client.callTool('read');
  assert.equal(world.pages.length, 1);
});

test('who sent no proof signs in, also where the server asks for one with a nonce', async (t) => {
  const world = createWorld({ challenge: `DPoP error="use_dpop_nonce", Bearer ${named}` });
  bind(world);
  const client = await world.connect(world.oauth({ dpop: 'auto' }));
  t.after(() => client.close());
  assert.equal(world.pages.length, 1);
});

test('of several challenges of one scheme all are read', async (t) => {
  const elsewhere = 'https://mcp.example/.well-known/oauth-protected-resource/else';
  const world = createWorld({ challenge: `Bearer realm="gateway", Bearer resource_metadata="${elsewhere}"` });
  const client = await world.connect(world.oauth());
  t.after(() => client.close());
  assert.ok(world.asked.some(({ url }) => url.href === elsewhere));
});

test('where tokens are always bound, an authorization server that binds nothing fails', async () => {
  const world = createWorld();
  await assert.rejects(
    world.connect(world.oauth({ dpop: 'always' })),
    (error) => error instanceof AuthorizationError && error.reason === 'invalid-response',
  );
});

test('a key that is kept and damaged is told of without a character of it', async () => {
  const store = memoryCredentialStore();
  const key = { kind: 'dpop-key', issuer: 'https://as.example' } as const;
  for (const damaged of ['{"d":secret', '"secret"', 'null', '{"kty":"EC","d":"secret"}']) {
    await store.write(key, damaged);
    await assert.rejects(keysIn(store, key), (error) => {
      assert.match(String(error), /the key .* https:\/\/as\.example is damaged/);
      assert.doesNotMatch(inspect(error), /secret/);
      return true;
    });
  }
});

test('a server that wants a nonce in proofs gets each once more with it, and nobody signs in again', async (t) => {
  const world = createWorld();
  bind(world);
  demand(world);
  const nonces = wantNonces(world);
  const client = await world.connect(world.oauth({ dpop: 'auto' }));
  t.after(() => client.close());
  await client.listTools();
  assert.deepEqual([nonces.refusals, world.pages.length], [1, 1]);
  nonces.wanted = 'n2';
  await client.callTool('read');
  assert.deepEqual([nonces.refusals, world.pages.length], [2, 1]);
});
