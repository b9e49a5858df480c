/** How long a renewal is waited for, when it is tried again, and what a process does that stood still in the middle of one. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createWorld, refuse, type World } from '../../../../../../test/support/authorization-world.ts';
import { turns, until } from '../../../../../../test/support/turns.ts';
import type { Client } from '../../../client.ts';
import type { OAuthOptions } from '../../../oauth.ts';
import { memoryCredentialStore } from '../../../storage/memory-credentials.ts';

/** A client that signed in, in a world whose monotonic clock is that of its dates. */
async function signedIn(t: TestContext, world: World, options: Partial<OAuthOptions> = {}): Promise<Client> {
  t.mock.method(performance, 'now', () => world.time);
  const client = await world.connect(world.oauth(options));
  t.after(() => client.close());
  return client;
}

function refreshes({ asked }: World): number {
  return asked.filter(({ body }) => body['grant_type'] === 'refresh_token').length;
}

/** Lets what needs no time come to its end, be it the work of another thread. */
async function settled(): Promise<void> {
  for (let at = 0; at < 10; at++) {
    await turns();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a renewal that fails is tried again after 2, 4, 8, 16 and 32 seconds, and then each minute', async (t) => {
  const world = createWorld({ expiresIn: 100_000 });
  const client = await signedIn(t, world);
  world.laws.answers = { '/token': () => new Response('', { status: 503 }) };
  world.time += 100_000_000 - 30_000;
  const call = async (): Promise<void> => {
    await client.callTool('read').catch(() => undefined);
    await settled();
  };
  await call();
  assert.equal(refreshes(world), 1);
  for (const [index, seconds] of [2, 4, 8, 16, 32, 60, 60].entries()) {
    world.time += seconds * 1000 - 1;
    await call();
    assert.equal(refreshes(world), index + 1, `just before ${seconds} s`);
    world.time += 1;
    await call();
    assert.equal(refreshes(world), index + 2, `after ${seconds} s`);
  }
  world.laws.answers = {};
  world.time += 60_000;
  await call();
  world.laws.answers = { '/token': () => new Response('', { status: 503 }) };
  world.time += 100_000_000;
  const before = refreshes(world);
  await call();
  world.time += 2000;
  await call();
  assert.equal(refreshes(world), before + 2, 'a success begins the row anew');
});

test('a request waits 8 seconds for a renewal, which ends after 20', async (t) => {
  const world = createWorld();
  const inner = memoryCredentialStore();
  let isAsked = false;
  let isSilent = false;
  let release = (_: Error): void => {};
  const store: typeof inner = {
    ...inner,
    lock: (key, run, signal) => {
      isAsked = isSilent;
      return isSilent ? new Promise((_, reject) => (release = reject)) : inner.lock(key, run, signal);
    },
  };
  t.after(() => release(new Error('the test is over')));
  const client = await signedIn(t, world, { store });
  isSilent = true;
  world.time += 3600_000;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let ended = 0;
  const call = async (): Promise<void> => {
    void client.callTool('read').then(() => ended++);
    await settled();
  };
  const pass = async (ms: number): Promise<void> => {
    world.time += ms;
    t.mock.timers.tick(ms);
    await settled();
  };
  const warned = (): readonly string[] =>
    world.events.splice(0).flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
  await call();
  await until(() => isAsked);
  await pass(7999);
  assert.deepEqual([ended, warned()], [0, []]);
  await pass(1);
  assert.equal(ended, 1, 'what there is was sent');
  assert.match(warned().join(), /not renewed within 8 s/);
  await call();
  await pass(8000);
  assert.equal(ended, 2);
  assert.match(warned().join(), /not renewed within 8 s/);
  await call();
  await pass(3999);
  assert.equal(ended, 2);
  await pass(1);
  assert.equal(ended, 3);
  assert.match(warned().join(), /not renewed within 20 s/);
  isSilent = false;
  await pass(2000);
  await client.callTool('read');
  assert.equal(refreshes(world), 1);
});

for (const [stoodMs, locks] of [
  [5000, 1],
  [5001, 2],
] as const)
  test(`a process that stood still for ${stoodMs} ms under the lock sends its refresh token under lock ${locks}`, async (t) => {
    const world = createWorld();
    const inner = memoryCredentialStore();
    let taken = 0;
    const store: typeof inner = {
      ...inner,
      lock: (key, run, signal) =>
        inner.lock(
          key,
          async (lost) => {
            const done = run(lost);
            if (taken++ === 0) world.time += stoodMs;
            return await done;
          },
          signal,
        ),
    };
    const client = await signedIn(t, world, { store });
    taken = 0;
    world.tokens.clear();
    await client.callTool('read');
    assert.deepEqual([taken, refreshes(world), world.pages.length], [locks, 1, 1]);
  });

test('a process that stands still each time gives up, and has sent nothing', async (t) => {
  const world = createWorld();
  const inner = memoryCredentialStore();
  let isStill = false;
  const store: typeof inner = {
    ...inner,
    lock: (key, run, signal) =>
      inner.lock(
        key,
        async (lost) => {
          const done = run(lost);
          if (isStill) world.time += 6000;
          return await done;
        },
        signal,
      ),
  };
  const client = await signedIn(t, world, { store });
  isStill = true;
  world.tokens.clear();
  await assert.rejects(client.callTool('read'), /stood still meanwhile/);
  assert.equal(refreshes(world), 0);
});

test('a client that the authorization server knows no longer is registered anew, once', async (t) => {
  const world = createWorld();
  const client = await signedIn(t, world);
  world.tokens.clear();
  world.laws.answers = {
    '/token': ({ body }) => (body['grant_type'] === 'refresh_token' ? refuse('invalid_client', 401) : undefined),
  };
  await client.callTool('read');
  assert.deepEqual([world.count('POST /register'), world.pages.length], [2, 2]);
});
