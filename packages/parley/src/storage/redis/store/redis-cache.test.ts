import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { connect } from '../../../client.ts';
import { listen } from '../../../node.ts';
import { createServer } from '../../../server.ts';
import { missing } from '../../../../../../test/support/engines.ts';
import { eventually, startNode, type RedisNode } from '../../../../../../test/support/redis-nodes.ts';
import { redisCache, type RedisCache, type RedisCacheOptions } from './redis-cache.ts';

describe('a cache in Redis', { skip: missing('redis-server') }, () => {
  let node: RedisNode;
  before(async () => {
    node = await startNode();
  });
  after(async () => {
    await node.stop();
  });

  function cacheOf(t: TestContext, options: RedisCacheOptions): RedisCache {
    const cache = redisCache(`redis://127.0.0.1:${node.port}`, options);
    t.after(() => cache.close());
    return cache;
  }

  test('gives what is kept to every process, and forgets what begins alike', async (t) => {
    const [one, other] = [cacheOf(t, { name: 'a' }), cacheOf(t, { name: 'a' })];
    for (const key of ['"s"\n"list"\n"1"\n', '"s"\n"list"\n"2"\n', '"s"\n"read"\n"é"\n', '"s2"\n"list"\n"1"\n'])
      await one.set(key, `of ${key}`, 60_000);
    assert.equal(await other.get('"s"\n"list"\n"1"\n'), 'of "s"\n"list"\n"1"\n');
    await other.delete('"s"\n"list"\n');
    assert.equal(await one.get('"s"\n"list"\n"1"\n'), undefined);
    assert.equal(await one.get('"s"\n"list"\n"2"\n'), undefined);
    assert.equal(await one.get('"s"\n"read"\n"é"\n'), 'of "s"\n"read"\n"é"\n');
    assert.equal(await one.get('"s2"\n"list"\n"1"\n'), 'of "s2"\n"list"\n"1"\n');
    await one.delete('"s"\n"read"\n"é');
    await one.delete('"s2"\n');
    assert.deepEqual(await node.send('KEYS', 'p:a:*'), []);
  });

  test('keeps nothing older in the place of what is too long', async (t) => {
    const cache = cacheOf(t, { name: 'e' });
    await cache.set('"s"\n', 'text', 60_000);
    await cache.set('"s"\n', 'x'.repeat(4 * 1024 * 1024 + 1), 60_000);
    assert.equal(await cache.get('"s"\n'), undefined);
  });

  test('lets go of what expired, and of its index', async (t) => {
    const cache = cacheOf(t, { name: 'b' });
    await cache.set('"s"\n"list"\n', 'text', 5);
    await eventually(async () => (await cache.get('"s"\n"list"\n')) === undefined);
    await eventually(async () => String(await node.send('KEYS', 'p:b:*')) === '');
  });

  test('shows no response that is sealed', async (t) => {
    const keys = [new Uint8Array(32).fill(1)];
    const [sealed, plain] = [cacheOf(t, { name: 'c', keys }), cacheOf(t, { name: 'c' })];
    await sealed.set('"s"\n', 'top secret', 60_000);
    assert.equal(await sealed.get('"s"\n'), 'top secret');
    assert.match((await plain.get('"s"\n')) ?? '', /^[\w-]{20,}$/);
  });

  test('saves a client what another one fetched', async (t) => {
    const server = createServer({ name: 's', version: '1' }, { cache: { ttlMs: 60_000, cacheScope: 'public' } });
    server.tool('a', { description: 'A.' }, () => 'a');
    const served = await listen(server, { port: 0 });
    t.after(() => served.close());
    const asked: string[] = [];
    const clients = await Promise.all(
      [0, 1].map(() =>
        connect(served.url, {
          cacheStore: cacheOf(t, { name: 'd' }),
          fetch: async (input, init) => {
            asked.push(String(new Headers(init?.headers).get('mcp-method')));
            return await fetch(input, init);
          },
        }),
      ),
    );
    t.after(() => Promise.all(clients.map((client) => client.close())));
    for (const client of clients) {
      assert.equal((await client.listTools()).length, 1);
      await eventually(
        async () => Array.isArray(await node.send('KEYS', 'p:d:*')) && String(await node.send('KEYS', 'p:d:*')) !== '',
      );
    }
    assert.equal(asked.filter((method) => method === 'tools/list').length, 1);
  });

  test('refuses what makes no sense at once', () => {
    assert.throws(() => redisCache('http://a'), TypeError);
    assert.throws(() => redisCache('redis://a', { name: '{' }), TypeError);
    assert.throws(() => redisCache('redis://a', { ttl: 1 } as RedisCacheOptions), TypeError);
  });
});
