/** Resources that several clients watch over one connection. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../test/support/raw.ts';
import { SharedWatches } from './shared-watches.ts';

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

const never = { owner: undefined, signal: new AbortController().signal } as never;

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
