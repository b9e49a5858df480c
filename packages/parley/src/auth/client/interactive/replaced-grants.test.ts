import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryCredentialStore } from '../../../oauth.ts';
import type { CredentialStore } from '../../../storage/credentials.ts';
import { createWorld, issuer, mcp, type World } from '../../../../../../test/support/authorization-world.ts';

const server = mcp;
const client = { id: 'by-hand', issuer };

function bySelf(world: World, store: CredentialStore): ReturnType<World['oauth']> {
  return world.oauth({ store, fetch: world.fetch });
}

function manual(world: World, store: CredentialStore): ReturnType<World['oauth']> {
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
  await manual(world, store).login({ server });
  assert.deepEqual(revokedTokens(world), [refresh, access]);
  assert.deepEqual(
    (await store.keys('grant')).map((key) => key.client),
    ['by-hand'],
  );
  assert.equal((await bySelf(world, store).identity({ server }))?.client, 'by-hand');
});

test('a login by the same client revokes the grant before, and renews the new one', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  const auth = bySelf(world, store);
  await auth.login({ server });
  const [access, refresh] = world.secrets.slice(-2);
  await auth.login({ server });
  assert.deepEqual(revokedTokens(world), [refresh, access]);
  assert.equal((await store.keys('grant')).length, 1);
  const renewals = world.asked.filter(({ body }) => body['grant_type'] === 'refresh_token');
  assert.deepEqual(
    renewals.map(({ body }) => body['refresh_token']),
    [world.secrets.at(-3)],
  );
  const key = (await store.keys('grant'))[0] ?? assert.fail();
  assert.match((await store.read(key))?.text ?? '', new RegExp(world.secrets.at(-1) ?? 'none'));
});

test('a login whose grant ends with the one before says so, and the next one works', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  const ended = new Set<unknown>();
  world.laws.answers = {
    '/revoke': () => {
      for (const secret of world.secrets) ended.add(secret);
      return new Response('');
    },
    '/token': ({ body }) =>
      ended.has(body['refresh_token']) ? Response.json({ error: 'invalid_grant' }, { status: 400 }) : undefined,
  };
  const auth = bySelf(world, store);
  await auth.login({ server });
  await assert.rejects(auth.login({ server }), {
    reason: 'grant-lost',
    message: `${issuer} ended the new grant with the one before, which was revoked; sign in again: nothing of the old one is left then`,
  });
  assert.equal(await auth.identity({ server }), undefined);
  await auth.login({ server });
  assert.equal((await auth.identity({ server }))?.renewable, true);
  assert.equal((await store.keys('grant')).length, 1);
});

test('a new grant that cannot be renewed now counts as alive', async () => {
  const world = createWorld();
  const auth = bySelf(world, memoryCredentialStore());
  await auth.login({ server });
  world.laws.answers = {
    '/token': ({ body }) => (body['grant_type'] === 'refresh_token' ? new Response('', { status: 503 }) : undefined),
  };
  await auth.login({ server });
  assert.notEqual(await auth.identity({ server }), undefined);
});

test('a step-up keeps the grant before until a logout revokes both', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  world.laws.needs = { write: ['write'] };
  const auth = bySelf(world, store);
  const client = await world.connect(auth);
  await client.callTool('write');
  await client.close();
  assert.deepEqual(revokedTokens(world), []);
  assert.equal((await store.keys('grant')).length, 2);
  assert.deepEqual(await auth.logout({ server }), { revoked: true });
  assert.equal(revokedTokens(world).length, 4);
  assert.deepEqual(await store.keys('grant'), []);
});

/** Steps up again and again: each time the tool of the next scope is called. */
async function steppedUp(world: World, store: CredentialStore, count: number): Promise<void> {
  const tools = Array.from({ length: count }, (_, at) => `tool-${at}`);
  for (const tool of tools) world.server.tool(tool, {}, () => tool);
  world.laws.needs = Object.fromEntries(tools.map((tool) => [tool, [tool]]));
  const client = await world.connect(bySelf(world, store));
  for (const tool of tools) await client.callTool(tool);
  await client.close();
}

test('of many step-ups the oldest grant is revoked when another is set aside', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  await steppedUp(world, store, 9);
  assert.equal(revokedTokens(world).length, 2);
  assert.equal((await store.keys('grant')).length, 9);
  await bySelf(world, store).logout({ server });
  assert.equal(revokedTokens(world).length, 20);
});

test('a grant that is dropped unrevoked after many step-ups is a warning', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  world.laws.answers = { '/revoke': () => new Response('', { status: 500 }) };
  await steppedUp(world, store, 9);
  const warnings = world.events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
  assert.match(warnings.join(), /could not be revoked, and are valid until they expire$/);
  assert.equal((await store.keys('grant')).length, 9);
});

test('a replaced grant that cannot be revoked is kept for a logout, with a warning', async () => {
  for (const [name, login] of [
    ['by another client', manual],
    ['by the same client', bySelf],
  ] as const) {
    const world = createWorld();
    const store = memoryCredentialStore();
    await bySelf(world, store).login({ server });
    const [access, refresh] = world.secrets.slice(-2);
    world.laws.answers = { '/revoke': () => new Response('', { status: 500 }) };
    const auth = login(world, store);
    await auth.login({ server });
    const warnings = world.events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
    assert.deepEqual(
      warnings,
      [
        `the tokens that ${issuer} granted before could not be revoked, and are valid until they expire; a logout tries again`,
      ],
      name,
    );
    assert.equal((await store.keys('grant')).length, 2);
    world.laws.answers = {};
    assert.deepEqual(await auth.logout({ server }), { revoked: true });
    assert.ok([access, refresh].every((token) => revokedTokens(world).includes(token)));
    assert.deepEqual(await store.keys('grant'), []);
  }
});

test('a logout tries once more to revoke what the logout before could not', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  const auth = bySelf(world, store);
  await auth.login({ server });
  const [access, refresh] = world.secrets.slice(-2);
  world.laws.answers = { '/revoke': () => new Response('', { status: 500 }) };
  assert.deepEqual(await auth.logout(), { revoked: false });
  assert.equal(await auth.identity({ server }), undefined);
  assert.equal((await store.keys('grant')).length, 1);
  world.laws.answers = {};
  assert.deepEqual(await bySelf(world, store).logout({ server }), { revoked: true });
  assert.deepEqual(revokedTokens(world).slice(-2), [refresh, access]);
  assert.deepEqual(await store.keys('grant'), []);
});

test('a client whose tokens could not be revoked is kept until they are', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  const auth = bySelf(world, store);
  await auth.login({ server });
  const clients = await store.keys('client');
  assert.ok(clients.length > 0);
  world.laws.answers = { '/revoke': () => new Response('', { status: 500 }) };
  assert.deepEqual(await auth.logout({ forgetClient: true }), { revoked: false });
  assert.deepEqual(await store.keys('client'), clients);
  world.laws.answers = {};
  assert.deepEqual(await bySelf(world, store).logout({ server, forgetClient: true }), { revoked: true });
  assert.deepEqual([await store.keys('client'), await store.keys('grant')], [[], []]);
});

test('a grant whose revocation fails twice is deleted', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  const auth = bySelf(world, store);
  await auth.login({ server });
  world.laws.answers = { '/revoke': () => new Response('', { status: 500 }) };
  for (const left of [1, 0]) {
    assert.deepEqual(await auth.logout(), { revoked: false });
    assert.equal((await store.keys('grant')).length, left);
  }
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
  await manual(world, store).login({ server });
  assert.equal((await store.keys('grant')).length, 2);
  assert.deepEqual(await manual(world, store).logout({ server }), { revoked: true });
  assert.equal(revokedTokens(world).length, 4);
  assert.deepEqual([await store.keys('grant'), await store.keys('server')], [[], []]);
});

test('a grant that another server uses too is kept', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  await bySelf(world, store).login({ server });
  const pointer = await store.read({ kind: 'server', issuer: server });
  await store.write({ kind: 'server', issuer: 'https://mcp.example/other' }, pointer?.text);
  await manual(world, store).login({ server });
  assert.equal((await store.keys('grant')).length, 2);
  await manual(world, store).logout({ server });
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
