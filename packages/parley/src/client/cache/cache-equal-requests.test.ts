import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cached, counting, names } from '../../../../../test/support/cached-client.ts';
import { turns } from '../../../../../test/support/turns.ts';
import type { Script } from '../../testing/scripted.ts';

describe('equal requests at the same time', () => {
  it('are one exchange, and each gets the response', async () => {
    const { client, count } = await cached(counting());
    const lists = await Promise.all([client.listTools(), client.listTools(), client.listTools()]);
    assert.deepEqual(lists.map(names), [['1'], ['1'], ['1']]);
    assert.equal(count('tools/list'), 1);
  });

  it('are one each where the response is stale at once', async () => {
    const { client, count } = await cached(counting({}));
    await Promise.all([client.listTools(), client.listTools(), client.listTools()]);
    assert.equal(count('tools/list'), 3);
  });

  it('do not wait for each other where the last response was stale at once', async () => {
    const waiting: (() => void)[] = [];
    const { client, count } = await cached((sent, peer) => {
      if (count('tools/list') === 1) return peer.reply(sent, { tools: [] });
      waiting.push(() => peer.reply(sent, { tools: [] }));
    });
    await client.listTools();
    const lists = Promise.all([client.listTools(), client.listTools()]);
    await turns();
    assert.equal(waiting.length, 2);
    for (const answer of waiting) answer();
    await lists;
  });

  it('share a failure, but not that one was given up', async () => {
    const waiting: (() => void)[] = [];
    const script: Script = (sent, peer) => void waiting.push(() => counting()(sent, peer));
    const { client, count } = await cached(script);
    const gone = new AbortController();
    const first = assert.rejects(client.listTools({ signal: gone.signal }), { name: 'AbortError' });
    const second = client.listTools();
    await turns();
    assert.equal(count('tools/list'), 1);
    gone.abort();
    await first;
    await turns();
    waiting.at(-1)?.();
    assert.deepEqual(names(await second), ['1']);

    const refused = await cached((sent, peer) => {
      queueMicrotask(() => peer.refuse(sent, { code: -32603, message: 'no' }));
    });
    const both = await Promise.allSettled([refused.client.listTools(), refused.client.listTools()]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(refused.count('tools/list'), 1);
  });

  it('are left by who gives up, who then does not wait', async () => {
    const { client } = await cached(() => undefined);
    const first = client.listTools();
    const gone = new AbortController();
    const second = assert.rejects(client.listTools({ signal: gone.signal }), { name: 'AbortError' });
    await turns();
    gone.abort();
    await second;
    await client.close();
    await assert.rejects(first, { reason: 'closed' });
  });

  it('with other time limits are on their own', async () => {
    const { client, count } = await cached(counting());
    await Promise.all([client.listTools(), client.listTools({ timeoutMs: 5_000 })]);
    assert.equal(count('tools/list'), 2);
  });
});
