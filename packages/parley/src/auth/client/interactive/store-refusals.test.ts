import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createWorld, type World } from '../../../../../../test/support/authorization-world.ts';
import type { Client } from '../../../client.ts';
import type { OAuthOptions } from '../../../oauth.ts';
import type { CredentialKey, CredentialStore } from '../../../storage/credentials.ts';
import { memoryCredentialStore } from '../../../storage/memory-credentials.ts';

/** A store on a disk that may be full. */
interface FullStore extends CredentialStore {
  /** The writes that it refuses, of the kinds; it has done them all the same where that is said. */
  refuses: readonly CredentialKey['kind'][];
  doesAllTheSame: boolean;
}

function fullStore(store: CredentialStore = memoryCredentialStore()): FullStore {
  return {
    refuses: [],
    doesAllTheSame: false,
    read: (key) => store.read(key),
    async write(key, text, options) {
      const isRefused = this.refuses.includes(key.kind);
      const done = !isRefused || this.doesAllTheSame ? await store.write(key, text, options) : false;
      if (isRefused) throw new Error('ENOSPC: no space left on device, write');
      return done;
    },
    lock: (key, run, signal) => store.lock(key, run, signal),
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

const refusal =
  /refused the tokens that https:\/\/as\.example granted: ENOSPC: no space left on device, write; make it writable/;

test('renewed tokens that the store refuses are lost, a warning says so, and the person signs in', async (t) => {
  const { world, store, client, expired } = await scene(t);
  store.refuses = ['grant'];
  await assert.rejects(expired(), { name: 'AuthorizationError', reason: 'grant-lost', message: refusal });
  const [warning = '', ...more] = warnings(world);
  assert.match(warning, refusal);
  assert.deepEqual(more, []);
  for (const secret of world.secrets) assert.ok(!warning.includes(secret));
  store.refuses = [];
  await within(t, client.callTool('read'));
  assert.equal(world.pages.length, 3);
  await expired();
  const tokens = refreshTokens(world);
  assert.deepEqual([tokens.length, new Set(tokens).size], [2, 2], 'a refresh token was sent twice');
});

test('a renewal after a 401 is an error if the store refuses its tokens', async (t) => {
  const { world, store, client } = await scene(t);
  store.refuses = ['grant'];
  world.tokens.clear();
  await assert.rejects(within(t, client.callTool('read')), { reason: 'grant-lost', message: refusal });
  assert.equal(world.pages.length, 1);
});

test('a write that was done but reported as failed loses nothing', async (t) => {
  const { world, store, expired } = await scene(t);
  Object.assign(store, { refuses: ['grant'], doesAllTheSame: true });
  await expired();
  await expired();
  await expired();
  assertOnce(world, 3);
});

test('a login whose tokens the store refuses fails and says what to do', async (t) => {
  const [world, store] = [createWorld(), fullStore()];
  store.refuses = ['grant'];
  await assert.rejects(world.connect(world.oauth({ store })), { reason: 'grant-lost', message: refusal });
  store.refuses = [];
  const client = await world.connect(world.oauth({ store }));
  t.after(() => client.close());
  await client.callTool('read');
  assert.equal(world.pages.length, 2);
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
