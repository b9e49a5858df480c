/** The rights that docs/operations.md gives to a user of Redis are enough for all that is done there. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { redis, redisCache } from '../../packages/parley/src/redis.ts';
import { taskStoreContract } from '../../packages/parley/src/testing/task-store.ts';
import { testStore } from '../../packages/parley/src/testing/test-store.ts';
import { missing } from '../support/engines.ts';
import { startCluster, startNode, type RedisNode } from '../support/redis-nodes.ts';
import { root } from '../support/sources.ts';

const said = /ACL SETUSER parley on … ([^`]+)`\): `([^`]+)`/.exec(
  readFileSync(join(root, 'docs/operations.md'), 'utf8'),
);
const rights = [said?.[1] ?? '', said?.[2] ?? ''].join(' ').split(' ');
const onWarning = (): void => {};

/** Lets a user do what the page says, and gives the URL by which it comes. */
async function limited(node: RedisNode): Promise<string> {
  await node.send('ACL', 'SETUSER', 'parley', 'on', '>secret', ...rights);
  return `redis://parley:secret@127.0.0.1:${node.port}`;
}

async function oneNode(t: TestContext): Promise<string> {
  const node = await startNode();
  t.after(() => node.stop());
  return await limited(node);
}

let names = 0;

describe(
  'a user of Redis with the rights that the page for operators names',
  {
    skip: missing('redis-server'),
  },
  () => {
    test('may do all that a store does', async (t) => {
      const url = await oneNode(t);
      const open = (processes: number) => {
        const name = `rights${++names}`;
        const stores = Array.from({ length: processes }, () => redis(url, { name, onWarning }));
        return { stores, close: () => stores.forEach((store) => store.close()) };
      };
      const { stores, close } = open(1);
      await stores[0]?.check();
      close();
      for (const { title, run } of testStore(open, { races: 10, histories: 3 })) await t.test(title, run);
    });

    test('may do all that tasks and a cache need', async (t) => {
      const url = await oneNode(t);
      const store = redis(url, { name: 'tasks', onWarning });
      const cache = redisCache(url, { name: 'cache' });
      t.after(() => store.close());
      t.after(() => cache.close());
      await cache.set('a', 'b', 60_000);
      assert.equal(await cache.get('a'), 'b');
      await cache.delete('a');
      for (const { title, run } of taskStoreContract(async () => {
        const own = redis(url, { name: `tasks${++names}`, onWarning });
        return { one: own.tasks, other: own.tasks, close: async () => own.close() };
      }))
        await t.test(title, run);
    });

    test('finds its cluster, and what there is in it', async (t) => {
      const cluster = await startCluster(5_000);
      t.after(() => cluster.stop());
      const [url = ''] = await Promise.all(cluster.nodes.map(limited));
      const store = redis(url, { name: 'cluster', onWarning });
      t.after(() => store.close());
      await store.check();
      for (const key of ['a', 'b', 'c', 'd']) assert.equal(await store.records.add(key, 'text', 60_000), true);
      let hear = (_: string): void => {};
      const heard = new Promise<string>((resolve) => (hear = resolve));
      const leave = await store.bus.subscribe(
        'news',
        (text) => hear(text),
        () => {},
      );
      assert.equal(await store.bus.publish('news', 'one'), 1);
      assert.equal(await heard, 'one');
      await leave();
    });

    test('may do nothing else', async (t) => {
      assert.ok(rights.includes('~p:*') && rights.includes('&p:*'), rights.join(' '));
      assert.ok(
        !rights.some((right) => ['~*', '&*', 'allkeys', 'allchannels', '+@all', 'allcommands'].includes(right)),
      );
      const url = await oneNode(t);
      const { Redis } = await import('ioredis');
      const client = new Redis(url);
      t.after(() => client.disconnect());
      for (const words of [['get', 'other'], ['flushall'], ['config', 'get', '*'], ['publish', 'other', 'x']])
        await assert.rejects(client.call(words[0] ?? '', ...words.slice(1)), /NOPERM/, words.join(' '));
    });
  },
);
