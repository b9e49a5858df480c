import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorld, issuer, mcp } from '../../../../../../test/support/authorization-world.ts';
import { AuthorizationError } from '../../../oauth.ts';
import { memoryCredentialStore } from '../../../storage/memory-credentials.ts';

const resource = { resource: mcp, authorization_servers: [issuer], scopes_supported: ['basic'] };

function insufficient(error: unknown): boolean {
  return error instanceof AuthorizationError && error.reason === 'insufficient-scope';
}

test('a tool that wants more has the person asked for what was asked before and what is wanted, once [auth-045] [auth-053] [auth-054] [auth-055]', async (t) => {
  const world = createWorld({ resource, needs: { write: ['write'] } });
  const client = await world.connect(world.oauth());
  t.after(() => client.close());
  await client.callTool('read');
  await client.callTool('write');
  await client.callTool('write');
  assert.deepEqual(
    world.pages.map(({ reason, scopes }) => [reason, scopes]),
    [
      ['login', ['basic']],
      ['step-up', ['basic', 'write']],
    ],
  );
  assert.equal(world.asked.filter(({ body }) => body['grant_type'] === 'refresh_token').length, 0);
});

test('the scopes of the challenge come before those that the resource knows [auth-043] [auth-044] [auth-048]', async (t) => {
  const world = createWorld({
    resource,
    challenge: 'Bearer scope="a b", resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"',
  });
  const client = await world.connect(world.oauth({ scopes: ['mine'] }));
  t.after(() => client.close());
  assert.deepEqual(world.pages[0]?.scopes, ['a', 'b', 'mine']);
});

test('what is refused for lack of scopes that were granted fails at once [auth-056]', async (t) => {
  const world = createWorld({ resource, needs: { write: ['write'] } });
  const client = await world.connect(world.oauth());
  t.after(() => client.close());
  world.laws.grants = () => ['basic'];
  await assert.rejects(client.callTool('write'), (error) => error !== undefined);
  const pages = world.pages.length;
  assert.equal(pages, 2);
  await assert.rejects(client.callTool('write'), insufficient);
  assert.equal(world.pages.length, pages);
});

test('a person who declines keeps what was granted, and is asked twice at most in ten minutes [auth-056]', async (t) => {
  const world = createWorld({ resource, needs: { write: ['write'] } });
  const auth = world.oauth();
  const client = await world.connect(auth);
  t.after(() => client.close());
  world.laws.callback = (callback) => {
    callback.searchParams.delete('code');
    callback.searchParams.set('error', 'access_denied');
    return callback;
  };
  for (let at = 0; at < 2; at++)
    await assert.rejects(
      client.callTool('write'),
      (error) => error instanceof AuthorizationError && error.reason === 'denied',
    );
  await assert.rejects(client.callTool('write'), insufficient);
  assert.equal(world.pages.length, 3);
  await client.callTool('read');
  assert.deepEqual((await auth.identity())?.scopes, ['basic']);
  world.time += 601_000;
  await assert.rejects(
    client.callTool('write'),
    (error) => error instanceof AuthorizationError && error.reason === 'denied',
  );
});

test('a refusal for another reason is the caller’s, and asks nobody', async (t) => {
  const world = createWorld({ resource });
  const client = await world.connect(world.oauth());
  t.after(() => client.close());
  world.laws.answers = { '/mcp': () => new Response('{}', { status: 403 }) };
  await assert.rejects(client.callTool('read'), (error) => !(error instanceof AuthorizationError));
  assert.equal(world.pages.length, 1);
});

test('two tools that want different scopes at once both get them', async (t) => {
  const world = createWorld({ resource, needs: { read: ['read'], write: ['write'] } });
  const client = await world.connect(world.oauth());
  t.after(() => client.close());
  await Promise.all([client.callTool('read'), client.callTool('write')]);
  assert.ok(world.pages.length <= 3);
});

test('offline access is asked for where the authorization server knows it and the grant may be renewed [auth-115]', async () => {
  const server = createWorld().laws.server as Readonly<Record<string, unknown>>;
  const scopes_supported = ['basic', 'offline_access'];
  for (const [options, changes, asked] of [
    [{}, { scopes_supported }, ['basic', 'offline_access']],
    [{ refresh: false }, { scopes_supported }, ['basic']],
    [{}, {}, ['basic']],
  ] as const) {
    const world = createWorld({ resource, server: { ...server, ...changes, subject_types_supported: ['public'] } });
    await (await world.connect(world.oauth(options))).close();
    assert.deepEqual(world.pages[0]?.scopes, asked);
    const page = new URL(world.pages[0]?.url ?? '').searchParams;
    assert.equal(page.get('prompt'), (asked as readonly string[]).includes('offline_access') ? 'consent' : null);
  }
});

test('who is to be asked is asked, whatever failed before that', async (t) => {
  const world = createWorld({ resource, needs: { write: ['write'] } });
  const client = await world.connect(world.oauth());
  t.after(() => client.close());
  world.laws.answers = { '/.well-known/oauth-authorization-server': () => new Response('', { status: 503 }) };
  for (let times = 0; times < 3; times++)
    await assert.rejects(client.callTool('write'), (error) => (error as AuthorizationError).reason === 'server-error');
  world.laws.answers = {};
  await client.callTool('write');
  assert.deepEqual(
    world.pages.map(({ reason }) => reason),
    ['login', 'step-up'],
  );
});

test('a grant that is renewed meanwhile has no more scopes than before', async (t) => {
  const world = createWorld({ resource, needs: { write: ['write'] } });
  const client = await world.connect(world.oauth());
  t.after(() => client.close());
  // The request that is refused has it renewed beside itself.
  world.time += 3600_000 - 30_000;
  await client.callTool('write');
  assert.equal(world.asked.filter(({ body }) => body['grant_type'] === 'refresh_token').length, 1);
  assert.equal(world.pages.length, 2);
});

test('a clock that was set back makes nobody wait until it is as late again', async (t) => {
  const world = createWorld({ resource, needs: { write: ['write'] }, grants: () => ['basic'] });
  const client = await world.connect(world.oauth());
  t.after(() => client.close());
  await assert.rejects(client.callTool('write'));
  await assert.rejects(client.callTool('write'), insufficient);
  world.time -= 86_400_000;
  const pages = world.pages.length;
  await assert.rejects(client.callTool('write'));
  assert.equal(world.pages.length, pages + 1);
});

test('a login of somebody else that brings no more scopes is not what was wanted', async (t) => {
  const world = createWorld({ resource, needs: { write: ['write'] } });
  const store = memoryCredentialStore();
  const [one, other] = [world.oauth({ store }), world.oauth({ store })];
  const clients = [await world.connect(one), await world.connect(other)];
  t.after(() => Promise.all(clients.map((client) => client.close())));
  const found = Response.json(world.laws.server);
  world.laws.answers = {
    // While it is looked for, somebody else signs in anew.
    '/.well-known/oauth-authorization-server': async () => {
      world.laws.answers = {};
      await other.login();
      return found;
    },
  };
  await clients[0]?.callTool('write');
  assert.deepEqual(
    world.pages.map(({ reason }) => reason),
    ['login', 'login', 'step-up'],
  );
});
