import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createWorld,
  issuer,
  mcp,
  redirectUri,
  type World,
} from '../../../../../../test/support/authorization-world.ts';
import { AuthorizationError, oauth, page, type OAuth } from '../../../oauth.ts';
import { memoryCredentialStore } from '../../../storage/memory-credentials.ts';
import type { CredentialStore } from '../../../storage/credentials.ts';

interface Visit {
  readonly world: World;
  readonly store: CredentialStore;
  /** The page that the browser went to. */
  readonly left: string[];
  load(account?: string): OAuth;
}

function browser(): Visit {
  const world = createWorld();
  const store = memoryCredentialStore();
  const left: string[] = [];
  const load = (account?: string): OAuth =>
    oauth({
      store,
      ...(account === undefined ? {} : { account }),
      redirect: page({ redirectUri, navigate: (url) => void left.push(url) }),
      fetch: (url, request) => world.fetch(url, request),
      now: () => world.time,
    });
  return { world, store, left, load };
}

/** The answer of the authorization server, which takes any verifier here. */
function answered(world: World, left: string): string {
  const sent = new URL(left).searchParams;
  world.laws.answers = {
    '/token': () => {
      world.tokens.set('given', []);
      return Response.json({ access_token: 'given', token_type: 'Bearer' });
    },
  };
  return `${redirectUri}?code=c&state=${sent.get('state')}&iss=${encodeURIComponent(issuer)}`;
}

function isInvalid(error: unknown): boolean {
  return error instanceof AuthorizationError && error.reason === 'invalid-response';
}

test('a page is left to sign in, and finishes when it comes back, in another life of it', async (t) => {
  const { world, left, load } = browser();
  await assert.rejects(
    world.connect(load()),
    (error) => error instanceof AuthorizationError && error.reason === 'login-required',
  );
  assert.equal(left.length, 1);
  const later = load();
  await later.finish(answered(world, left[0] ?? ''), { server: mcp });
  const client = await world.connect(later);
  t.after(() => client.close());
  await client.callTool('read');
  const { body } = world.asked.find(({ url }) => url.pathname === '/token') ?? assert.fail();
  assert.match(String(body['code_verifier']), /^[\w-]{43}$/);
  assert.equal(left.length, 1);
});

test('an answer is taken once, and one of another login, of a stranger or too late not at all', async () => {
  const { world, left, load, store } = browser();
  await assert.rejects(world.connect(load()), AuthorizationError);
  const callback = answered(world, left[0] ?? '');
  for (const strange of [
    callback.replace(/state=[^&]*/, 'state=other'),
    callback.replace(/&state=[^&]*/, ''),
    'nothing',
    `${callback}&state=x`,
  ])
    await assert.rejects(load().finish(strange, { server: mcp }), isInvalid);
  await assert.rejects(load().finish(callback, { server: 'https://other.example/mcp' }), isInvalid);
  await load().finish(callback, { server: mcp });
  await assert.rejects(load().finish(callback, { server: mcp }), isInvalid);
  assert.equal(world.count('POST /token'), 1);
  await load().logout({ server: mcp });
  world.tokens.clear();
  await assert.rejects(world.connect(load()), AuthorizationError);
  world.time += 600_001;
  await assert.rejects(load().finish(answered(world, left[1] ?? ''), { server: mcp }), isInvalid);
  assert.equal((await store.keys('grant')).length, 0);
});

test('the answer to the login of one account is not taken for another one', async () => {
  const { world, left, load, store } = browser();
  await assert.rejects(world.connect(load('one')), AuthorizationError);
  const callback = answered(world, left[0] ?? '');
  for (const other of [load('other'), load()]) await assert.rejects(other.finish(callback, { server: mcp }), isInvalid);
  assert.equal((await store.keys('grant')).length, 0);
  await load('one').finish(callback, { server: mcp });
  assert.deepEqual(
    (await store.keys('grant')).map(({ account }) => account),
    ['one'],
  );
});

test('a page that came back with what the server refuses is told so, and not left again', async () => {
  const { world, left, load } = browser();
  await assert.rejects(world.connect(load()), AuthorizationError);
  const later = load();
  const callback = answered(world, left[0] ?? '');
  world.laws.answers = { '/token': () => Response.json({ access_token: 'useless', token_type: 'Bearer' }) };
  await later.finish(callback, { server: mcp });
  await assert.rejects(
    world.connect(later),
    (error) => error instanceof AuthorizationError && error.reason === 'server-error',
  );
  assert.equal(left.length, 1);
});
