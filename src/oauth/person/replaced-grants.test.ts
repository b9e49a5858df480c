import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryCredentialStore } from '../../oauth.ts';
import type { CredentialStore } from '../../store/credentials.ts';
import { createWorld, issuer, mcp, type World } from '../../../test/support/authorization-world.ts';

const server = mcp;
const client = { id: 'by-hand', issuer };

function bySelf(world: World, store: CredentialStore): ReturnType<World['oauth']> {
  return world.oauth({ store, fetch: world.fetch });
}

function byHand(world: World, store: CredentialStore): ReturnType<World['oauth']> {
  return world.oauth({ store, fetch: world.fetch, client });
}

function revokedTokens(world: World): readonly unknown[] {
  return world.asked.filter(({ url }) => url.pathname === '/revoke').map(({ body }) => body['token']);
}

test('a login by another client revokes and deletes the grant before', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  await bySelf(world, store).login({ server });
  const [access, refresh] = world.secrets.slice(-2);
  await byHand(world, store).login({ server });
  assert.deepEqual(revokedTokens(world), [refresh, access]);
  assert.deepEqual(
    (await store.keys('grant')).map((key) => key.client),
    ['by-hand'],
  );
  assert.equal((await bySelf(world, store).identity({ server }))?.client, 'by-hand');
});

test('a login by the same client replaces the grant, and revokes nothing of it', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  await bySelf(world, store).login({ server });
  await bySelf(world, store).login({ server });
  assert.deepEqual(revokedTokens(world), []);
  assert.equal((await store.keys('grant')).length, 1);
});

test('a replaced grant that cannot be revoked is deleted, with a warning', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  await bySelf(world, store).login({ server });
  world.laws.answers = { '/revoke': () => new Response('', { status: 500 }) };
  await byHand(world, store).login({ server });
  assert.equal((await store.keys('grant')).length, 1);
  const warnings = world.events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
  assert.deepEqual(warnings, [
    `the tokens that ${issuer} granted before could not be revoked, and are valid until they expire`,
  ]);
});

test('a grant counts as revoked by any answer of success, and by no other', async () => {
  for (const [status, revoked] of [
    [200, true],
    [299, true],
    [300, false],
    [400, false],
  ] as const) {
    const world = createWorld();
    const store = memoryCredentialStore();
    await bySelf(world, store).login({ server });
    world.laws.answers = { '/revoke': () => new Response('', { status }) };
    assert.deepEqual(await bySelf(world, store).logout({ server }), { revoked }, String(status));
  }
});

test('a logout revokes and deletes grants of the server that none uses any more', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  await bySelf(world, store).login({ server });
  const pointer = { kind: 'server', issuer: server } as const;
  await store.write(pointer, undefined);
  await byHand(world, store).login({ server });
  assert.equal((await store.keys('grant')).length, 2);
  assert.deepEqual(await byHand(world, store).logout({ server }), { revoked: true });
  assert.equal(revokedTokens(world).length, 4);
  assert.deepEqual([await store.keys('grant'), await store.keys('server')], [[], []]);
});

test('a grant that another server uses too is kept', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  await bySelf(world, store).login({ server });
  const pointer = await store.read({ kind: 'server', issuer: server });
  await store.write({ kind: 'server', issuer: 'https://mcp.example/other' }, pointer?.text);
  await byHand(world, store).login({ server });
  assert.equal((await store.keys('grant')).length, 2);
  await byHand(world, store).logout({ server });
  assert.equal((await store.keys('grant')).length, 1);
  assert.deepEqual(revokedTokens(world).length, 2);
});

test('accounts keep their grants', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  await bySelf(world, store).login({ server });
  const work = world.oauth({ store, fetch: world.fetch, client, account: 'work' });
  await work.login({ server });
  assert.equal((await store.keys('grant')).length, 2);
  await work.logout({ server });
  assert.deepEqual(
    (await store.keys('grant')).map(({ account }) => account),
    [undefined],
  );
});
