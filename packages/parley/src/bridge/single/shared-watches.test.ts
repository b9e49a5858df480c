/** Resources that several clients watch over one connection. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import { extensionListeners, type Subscription, type SubscriptionEnd } from '../../client/api/subscription.ts';
import { McpError } from '../../protocol/error.ts';
import { SharedWatches, type FollowOptions } from './shared-watches.ts';

/** A connection that agrees to all that is asked for but `a:bad`, and the streams that are open on it. */
function connection() {
  const open = new Map<number, readonly string[]>();
  let count = 0;
  const follow = async ({ updates }: { readonly updates: readonly string[] }) => {
    const id = ++count;
    open.set(id, updates);
    const honored = { updates: updates.filter((uri) => uri !== 'a:bad') };
    return { honored, closed: new Promise(() => undefined), close: async () => void open.delete(id) };
  };
  return { watches: new SharedWatches({ follow } as never), streams: () => [...open.values()] };
}

const never: FollowOptions = { owner: undefined, signal: new AbortController().signal };

test('a resource is watched once for all, until nobody follows it, and who leaves hears the end', async () => {
  const { watches, streams } = connection();
  const heard: string[] = [];
  const hear = (name: string) => (params: { readonly uri?: unknown }) =>
    void heard.push(`${name} ${String(params.uri)}`);
  const one = await watches.follow(['a:1', 'a:bad'], hear('one'), never);
  const other = await watches.follow(['a:1'], hear('other'), never);
  assert.deepEqual([one.honored, other.honored], [{ updates: ['a:1'] }, { updates: ['a:1'] }]);
  assert.equal(streams().length, 1);
  watches.heard({ uri: 'a:1' });
  watches.heard({ uri: 'a:1/part' });
  watches.heard({ uri: 'b:1' });
  watches.heard({ uri: 1 });
  assert.deepEqual(heard.splice(0), ['one a:1', 'other a:1', 'one a:1/part', 'other a:1/part']);
  await one.close();
  assert.deepEqual(await one.closed, { graceful: true });
  watches.heard({ uri: 'a:1' });
  assert.deepEqual(heard.splice(0), ['other a:1']);
  assert.equal(streams().length, 1);
  await other.close();
  await settle();
  assert.equal(streams().length, 0);
});

/** A connection whose streams the test opens and ends, each as it was asked for. */
function played() {
  const log: string[] = [];
  const streams: Played[] = [];
  const follow = (
    topics: { readonly updates: readonly string[] },
    onMissed: () => void,
    signal: AbortSignal,
  ): Promise<Subscription> =>
    new Promise((resolve, reject) => {
      const at = streams.length;
      let end!: (end: SubscriptionEnd) => void;
      const closed = new Promise<SubscriptionEnd>((stop) => (end = stop));
      const close = async (): Promise<void> => (log.push(`closed ${at}`), end({ graceful: true }));
      signal.addEventListener('abort', () => (log.push(`given up ${at}`), reject(new Error('given up'))));
      streams.push({
        uris: topics.updates,
        open: async (updates = topics.updates) => {
          resolve({ honored: { updates }, closed, close } as unknown as Subscription);
          for (let turn = 0; turn < 3; turn++) await settle();
        },
        refuse: async (error = new McpError('invalidParams', 'no')) => {
          reject(error);
          for (let turn = 0; turn < 3; turn++) await settle();
        },
        end: async (why) => (end(why), await settle()),
        onMissed,
        extension: (method) => extensionListeners.get(topics)?.(method, {}),
      });
    });
  const watches = new SharedWatches({ follow } as never);
  const heard: string[] = [];
  const watch = (uris: readonly string[], options: Partial<FollowOptions> = {}): Promise<Subscription> =>
    watches.follow(uris, ({ uri }, method) => void heard.push(`${uris.join()} ${String(method ?? uri)}`), {
      ...never,
      ...options,
    });
  return {
    watches,
    streams,
    watch,
    took: () => log.splice(0),
    heard: () => heard.splice(0).toSorted(),
  };
}

interface Played {
  readonly uris: readonly string[];
  open(updates?: readonly string[]): Promise<void>;
  refuse(error?: Error): Promise<void>;
  end(why: SubscriptionEnd): Promise<void>;
  onMissed(): void;
  extension(method: string): void;
}

describe('a stream of several resources', () => {
  test('tells what may have been missed on it, and what an extension says to its only follower', async () => {
    const { streams, watch, heard } = played();
    const watching = watch(['a:1', 'a:2']);
    await streams[0]?.open();
    await watching;
    streams[0]?.onMissed();
    assert.deepEqual(heard(), ['a:1,a:2 a:1', 'a:1,a:2 a:2']);
    streams[0]?.extension('notifications/x.example/moved');
    assert.deepEqual(heard(), ['a:1,a:2 notifications/x.example/moved']);
    await watch(['a:1']);
    streams[0]?.extension('notifications/x.example/moved');
    assert.deepEqual(heard(), []);
  });

  test('that ends is over for all who follow it, who may ask for it again', async () => {
    const { streams, watch } = played();
    const both = [watch(['a:1']), watch(['a:1'])];
    await streams[0]?.open();
    const [one, other] = await Promise.all(both);
    await streams[0]?.end({ graceful: false });
    assert.deepEqual([await one?.closed, await other?.closed], [{ graceful: false }, { graceful: false }]);
    void watch(['a:1']);
    assert.equal(streams.length, 2);
  });

  test('that is refused is over for who asked for it, and may be asked for again', async () => {
    const { streams, watch } = played();
    const watching = assert.rejects(watch(['a:1']), { kind: 'invalidParams' });
    await streams[0]?.refuse();
    await watching;
    void watch(['a:1']);
    assert.equal(streams.length, 2);
  });

  test('is given up when the only one who waits for it is', async () => {
    const { streams, watch, took } = played();
    const controllers = [new AbortController(), new AbortController()];
    const watching = controllers.map(({ signal }) => assert.rejects(watch(['a:1'], { signal })));
    for (const [at, controller] of controllers.entries()) {
      controller.abort();
      await watching[at];
      await settle();
      assert.deepEqual(took(), at === 0 ? [] : ['given up 0']);
    }
    assert.equal(streams.length, 1);
  });
});
