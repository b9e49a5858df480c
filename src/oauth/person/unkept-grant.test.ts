import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createWorld, refuse, type World } from '../../../test/support/authorization-world.ts';
import { until } from '../../../test/support/turns.ts';
import type { Client } from '../../client.ts';
import type { OAuthOptions } from '../../oauth.ts';
import type { CredentialKey, CredentialStore } from '../../store/credentials.ts';
import { memoryCredentialStore } from '../../store/memory-credentials.ts';

/** A store on a disk that may be full. */
interface FullStore extends CredentialStore {
  /** The writes that it refuses, of the kinds; it has done them all the same where that is said. */
  refuses: readonly CredentialKey['kind'][];
  locks: boolean;
  doesAllTheSame: boolean;
  /** How many grants it has taken. */
  taken: number;
}

function fullStore(store: CredentialStore = memoryCredentialStore()): FullStore {
  return {
    refuses: [],
    locks: true,
    doesAllTheSame: false,
    taken: 0,
    read: (key) => store.read(key),
    async write(key, text, options) {
      const isRefused = this.refuses.includes(key.kind);
      const done = !isRefused || this.doesAllTheSame ? await store.write(key, text, options) : false;
      if (isRefused) throw new Error('ENOSPC: no space left on device, write');
      if (done && key.kind === 'grant') this.taken += 1;
      return done;
    },
    async lock(key, run, signal) {
      if (!this.locks) throw new Error('ENOSPC: no space left on device, open');
      return await store.lock(key, run, signal);
    },
    keys: (kind) => store.keys(kind),
  };
}

interface Scene {
  readonly world: World;
  readonly store: FullStore;
  readonly client: Client;
  /** Calls a tool with a token that ended, or has it renewed by whoever calls. */
  expired(client?: Client): Promise<void>;
  another(options?: Partial<OAuthOptions>): Promise<Client>;
}

/** A client that signed in; from then on time is what a test makes of it. */
async function scene(t: TestContext): Promise<Scene> {
  const [world, store] = [createWorld(), fullStore()];
  const another = async (options: Partial<OAuthOptions> = {}): Promise<Client> => {
    const client = await world.connect(world.oauth({ store, ...options }));
    t.after(() => client.close());
    return client;
  };
  const client = await another();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const expired = async (by: Client = client): Promise<void> => {
    world.time += 3600_000;
    world.tokens.clear();
    await within(t, by.callTool('read'));
  };
  return { world, store, client, expired, another };
}

/** Lets time pass until something is done. */
async function within<Result>(t: TestContext, work: Promise<Result>): Promise<Result> {
  let done = false;
  const over = (): void => void (done = true);
  work.then(over, over);
  // Keys are made by threads of their own, which a loaded machine lets wait: time passes for 5 s, and they have longer.
  const until = performance.now() + 30_000;
  for (let turns = 0; !done && performance.now() < until; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (turns < 5_000 && turns % 10 === 9) t.mock.timers.tick(10);
  }
  assert.ok(done, 'it never ends');
  return await work;
}

function refreshTokens({ asked }: World): readonly unknown[] {
  return asked.flatMap(({ body }) => (body['grant_type'] === 'refresh_token' ? [body['refresh_token']] : []));
}

function assertOnce(world: World, times: number): void {
  const tokens = refreshTokens(world);
  assert.equal(new Set(tokens).size, tokens.length, 'a refresh token was sent twice');
  assert.equal(tokens.length, times);
  assert.equal(world.pages.length, 1);
}

function warnings({ events }: World): readonly string[] {
  return events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
}

test('renewed tokens that the store does not take are used, and it is said', async (t) => {
  const { world, store, client, expired } = await scene(t);
  store.refuses = ['grant'];
  await expired();
  await within(t, client.callTool('read'));
  assertOnce(world, 1);
  const [warning = '', ...more] = warnings(world);
  assert.match(warning, /as\.example granted is kept in memory alone.*: ENOSPC: no space left on device/);
  assert.deepEqual(more, []);
  for (const secret of world.secrets) assert.ok(!warning.includes(secret));
});

test('what the store did not take it is offered again, and others use it then', async (t) => {
  const { world, store, expired, another } = await scene(t);
  store.refuses = ['grant'];
  await expired();
  store.refuses = [];
  const before = store.taken;
  await until(() => {
    t.mock.timers.tick(100);
    return store.taken > before;
  }, 'the store takes the grant');
  const other = await another();
  await within(t, other.callTool('read'));
  assertOnce(world, 1);
  await expired(other);
  await expired();
  assertOnce(world, 3);
});

test('what the store did not take it has when the connection was closed', async (t) => {
  const { world, store, client, expired, another } = await scene(t);
  store.refuses = ['grant'];
  await expired();
  store.refuses = [];
  await within(t, client.close());
  const other = await another();
  await within(t, other.callTool('read'));
  assertOnce(world, 1);
});

test('what the store does not take is renewed from memory, also where there is no lock', async (t) => {
  const { world, store, expired } = await scene(t);
  store.refuses = ['grant'];
  await expired();
  store.locks = false;
  for (let times = 0; times < 3; times++) await expired();
  assertOnce(world, 4);
  assert.equal(warnings(world).length, 1);
  Object.assign(store, { refuses: [], locks: true });
  await expired();
  await expired();
  assertOnce(world, 6);
});

test('a write that was done and said to have failed loses nothing', async (t) => {
  const { world, store, expired } = await scene(t);
  Object.assign(store, { refuses: ['grant'], doesAllTheSame: true });
  await expired();
  await expired();
  await expired();
  assertOnce(world, 3);
});

test('who signed in meanwhile counts, not what the store did not take', async (t) => {
  const { world, store, client, expired } = await scene(t);
  store.refuses = ['grant'];
  await expired();
  store.refuses = [];
  const auth = world.oauth({ store, fetch: (url, request) => world.fetch(url, request) });
  await within(t, auth.login({ server: 'https://mcp.example/mcp' }));
  const [newest] = [...world.tokens.keys()].slice(-1);
  world.tokens.clear();
  world.tokens.set(newest ?? '', []);
  await within(t, client.callTool('read'));
  // The second one belongs to the login: it shows that the new grant is alive.
  assert.equal(refreshTokens(world).length, 2);
  assert.equal(world.pages.length, 2);
});

test('what is spent is not sent again where its successor is taken no longer, whatever is in the store', async (t) => {
  const { world, store, expired } = await scene(t);
  store.refuses = ['grant'];
  await expired();
  world.laws.answers = {
    '/token': ({ body }) => (body['grant_type'] === 'refresh_token' ? refuse('invalid_grant') : undefined),
  };
  await expired();
  assert.equal(refreshTokens(world).length, 2);
  assert.equal(new Set(refreshTokens(world)).size, 2);
  assert.equal(world.pages.length, 2);
  assert.deepEqual(
    world.events.flatMap((event) => (event.kind === 'lost' ? [event.what] : [])),
    ['grant'],
  );
});

test('a server that fails takes nothing from what the store did not take', async (t) => {
  const { world, store, expired } = await scene(t);
  store.refuses = ['grant'];
  await expired();
  world.laws.answers = { '/token': () => new Response('', { status: 503 }) };
  t.mock.method(performance, 'now', () => world.time);
  await assert.rejects(expired(), /503|later/);
  world.laws.answers = {};
  await expired();
  // The one that met the failure was not used.
  assert.deepEqual([new Set(refreshTokens(world)).size, refreshTokens(world).length], [2, 3]);
  assert.equal(world.pages.length, 1);
});

test('a client that is known no longer is registered anew, also where the store did not take its grant', async (t) => {
  const { world, store, client, expired } = await scene(t);
  store.refuses = ['grant'];
  await expired();
  world.laws.answers = {
    '/token': ({ body }) => (body['grant_type'] === 'refresh_token' ? refuse('invalid_client', 401) : undefined),
  };
  world.tokens.clear();
  await within(t, client.callTool('read'));
  assert.deepEqual([world.count('POST /register'), world.pages.length], [2, 2]);
});

test('who signs out meanwhile has signed out', async (t) => {
  const { world, store } = await scene(t);
  const auth = world.oauth({ store });
  const client = await within(t, world.connect(auth));
  store.refuses = ['grant'];
  world.time += 3600_000;
  world.tokens.clear();
  await within(t, client.callTool('read'));
  store.refuses = [];
  assert.deepEqual(await within(t, auth.logout()), { revoked: true });
  for (let turns = 0; turns < 20; turns++) {
    t.mock.timers.tick(10_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await within(t, client.close());
  assert.deepEqual(await store.keys('grant'), []);
});

test('a store that never answers once keeps nobody from renewing, signing out and closing after it', async (t) => {
  const { world, store } = await scene(t);
  const auth = world.oauth({ store });
  const client = await within(t, world.connect(auth));
  const { lock } = store;
  store.lock = () => new Promise(() => undefined);
  world.time += 3600_000;
  // The server still takes what has ended by our clock.
  const called = client.callTool('read');
  for (let turns = 0; turns < 30; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(1_000);
  }
  await within(t, called);
  await within(t, client.close());
  store.lock = lock;
  assert.equal(refreshTokens(world).length, 0);
  const another = await within(t, world.connect(world.oauth({ store })));
  await within(t, another.callTool('read'));
  assertOnce(world, 1);
  assert.deepEqual(await within(t, auth.logout()), { revoked: true });
  await within(t, another.close());
});

test('a process that dies while it keeps a login leaves a grant that is found, or none', async (t) => {
  const left: number[] = [];
  for (let mayWrite = 0; mayWrite < 8; mayWrite++) {
    const [world, store] = [createWorld(), memoryCredentialStore()];
    let writes = 0;
    let died = (): void => {};
    const dead = new Promise<void>((resolve) => (died = resolve));
    const mortal: CredentialStore = {
      ...store,
      write: async (key, text, options) => {
        const isOfGrant = key.kind === 'grant' || key.kind === 'server';
        if (!isOfGrant || writes++ < mayWrite) return await store.write(key, text, options);
        died();
        return await new Promise<never>(() => {});
      },
    };
    const through = world.connect(world.oauth({ store: mortal, loginTimeoutMs: 500 })).then((client) => client.close());
    await Promise.race([dead, through]);
    const kept = (await store.keys('grant')).length;
    left.push(kept);
    // The place of the one that died is free when it was silent for long enough.
    for (const key of await store.keys('login')) await store.write(key, undefined);
    const next = await world.connect(world.oauth({ store }));
    t.after(() => next.close());
    assert.equal(world.pages.length, 2 - kept, `after ${mayWrite} writes`);
  }
  assert.deepEqual([...new Set(left)], [0, 1]);
});

test('what was granted to a person is used where the store does not take it, and kept later', async (t) => {
  const [world, store] = [createWorld(), fullStore()];
  store.refuses = ['grant'];
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const client = await within(t, world.connect(world.oauth({ store })));
  assert.equal(warnings(world).length, 1);
  store.refuses = [];
  await within(t, client.close());
  const other = await within(t, world.connect(world.oauth({ store })));
  t.after(() => other.close());
  assert.equal(world.pages.length, 1);
});
