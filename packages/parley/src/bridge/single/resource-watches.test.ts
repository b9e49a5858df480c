/** How many resources a session may watch, and what it is told when the server does not watch one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import type { Subscription } from '../../client/api/subscription.ts';
import type { ServerSession } from '../../server/runtime/server-core.ts';
import type { Changes } from '../changes.ts';
import type { Pool } from '../upstream/pool.ts';
import { UpstreamWatches } from './watches.ts';

type Follow = (uri: string, onMissed: () => void, signal: AbortSignal) => Promise<Subscription>;

/** A subscription whose end a function may delay. */
function subscription(uri: string | undefined, close: () => Promise<void> = async () => undefined): Subscription {
  let end!: () => void;
  const closed = new Promise<void>((resolve) => (end = resolve));
  // A watch reads these parts of a subscription alone.
  return {
    honored: uri === undefined ? {} : { updates: [uri] },
    closed,
    close: async () => {
      await close();
      end();
    },
  } as unknown as Subscription;
}

/** Watches of one session that has a connection of its own. */
function watching(follow: Follow) {
  const [warnings, told]: [string[], unknown[]] = [[], []];
  const followed: string[] = [];
  const on = {
    follow: ({ updates: [uri = ''] }: { updates: readonly string[] }, onMissed: () => void, signal: AbortSignal) => {
      followed.push(uri);
      return follow(uri, onMissed, signal);
    },
  };
  // Watches use these parts of a pool and of a session alone.
  const pool = { shared: false, ownedBy: () => on } as unknown as Pool;
  const session = { state: {}, notify: (...said: unknown[]) => told.push(said) } as unknown as ServerSession;
  const watches = new UpstreamWatches(pool, {} as Changes, (message) => warnings.push(message));
  const { signal } = new AbortController();
  const watch = (uri: string, by: AbortSignal = signal): Promise<unknown> => watches.watch(uri, session, by);
  return { watches, session, watch, warnings, told, followed };
}

test('a session watches 1000 resources, and another one once it has left one', async () => {
  const { watches, session, watch, followed } = watching(async (uri) => subscription(uri));
  const uris = Array.from({ length: 1_000 }, (_, at) => `memo:${at}`);
  for (const uri of uris) assert.deepEqual(await watch(uri), {});
  await assert.rejects(watch('memo:more'), {
    kind: 'invalidRequest',
    message: 'too many resource subscriptions; the limit is 1000',
  });
  assert.deepEqual(await watch('memo:7'), {});
  assert.equal(followed.length, 1_000);
  assert.deepEqual(await watches.unwatch('memo:7', session), {});
  assert.deepEqual(await watch('memo:more'), {});
  watches.closed(session);
  await settle();
});

test('a resource that the server does not watch is refused by name, and asked for anew', async () => {
  const closed: string[] = [];
  const { watch, followed } = watching(async () => subscription(undefined, async () => void closed.push('closed')));
  const long = `memo:${'x'.repeat(300)}`;
  for (const [uri, shown] of [
    ['memo:one', '"memo:one"'],
    ['memo:one', '"memo:one"'],
    [long, `"${long.slice(0, 256)}"`],
  ] as const) {
    const message = `the upstream server would not watch ${shown}`;
    await assert.rejects(watch(uri), { kind: 'invalidParams', message });
  }
  assert.deepEqual([followed, closed.length], [['memo:one', 'memo:one', long], 3]);
});

test('a failure of the server is that of the request, and nothing is left of it', async () => {
  const failure = new Error('not now');
  const { watch, followed, warnings } = watching(() => Promise.reject(failure));
  for (let tries = 0; tries < 2; tries++) await assert.rejects(watch('memo:one'), failure);
  assert.deepEqual([followed.length, warnings], [2, []]);
});

test('a request that is cancelled first gives up what the server has not agreed to', async () => {
  const signals: AbortSignal[] = [];
  const { watch, followed } = watching((_uri, _onMissed, signal) => {
    signals.push(signal);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
  });
  const [one, other] = [new AbortController(), new AbortController()];
  const watched = [watch('memo:one', one.signal), watch('memo:one', other.signal)];
  one.abort();
  await assert.rejects(watched[0] ?? assert.fail());
  await settle();
  assert.deepEqual([followed.length, signals[0]?.aborted], [1, false]);
  other.abort();
  await assert.rejects(watched[1] ?? assert.fail());
  assert.equal(signals[0]?.aborted, true);
});

test('a session that leaves a resource waits until the server knows, and unknown ones are fine', async () => {
  let close!: () => void;
  const closing = new Promise<void>((resolve) => (close = resolve));
  const { watches, session, watch } = watching(async (uri) => subscription(uri, () => closing));
  await watch('memo:one');
  let isOver = false;
  const leaving = watches.unwatch('memo:one', session).then(() => (isOver = true));
  await settle();
  assert.equal(isOver, false);
  close();
  await leaving;
  assert.deepEqual(await watches.unwatch('memo:one', session), {});
});

test('a session that is over watches nothing more, and a server that does not hear of it is a warning', async () => {
  const { watches, session, watch, warnings, followed } = watching(async (uri) =>
    subscription(uri, () => Promise.reject(new Error('gone'))),
  );
  await watch('memo:one');
  watches.closed(session);
  await settle();
  assert.deepEqual(warnings, ['the upstream may not know that a resource is watched no longer: gone']);
  await assert.rejects(watch('memo:two'), { kind: 'internalError', message: 'the session is over' });
  assert.deepEqual(followed, ['memo:one']);
});

test('a session is told that a resource may have changed while nobody listened', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  const missed: (() => void)[] = [];
  const { watches, session, watch, told } = watching(async (uri, onMissed) => {
    missed.push(onMissed);
    return subscription(uri);
  });
  await watch('memo:one');
  missed[0]?.();
  await settle();
  assert.deepEqual(told, [['notifications/resources/updated', { uri: 'memo:one' }]]);
  await watches.unwatch('memo:one', session);
});

test('a resource that is refused or given up is answered once the server knows that nobody watches it', async () => {
  const asked = new AbortController();
  for (const how of ['refused', 'given up'] as const) {
    let close!: () => void;
    const closing = new Promise<void>((resolve) => (close = resolve));
    const { watch } = watching((_uri, _onMissed, signal) =>
      how === 'refused'
        ? Promise.resolve(subscription(undefined, () => closing))
        : new Promise((resolve) =>
            signal.addEventListener('abort', () => resolve(subscription('memo:one', () => closing))),
          ),
    );
    let isOver = false;
    const answer = watch('memo:one', asked.signal).catch(() => (isOver = true));
    await settle();
    if (how === 'given up') asked.abort();
    await settle();
    assert.equal(isOver, false, how);
    close();
    await answer;
    assert.equal(isOver, true);
  }
});
