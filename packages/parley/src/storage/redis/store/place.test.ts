import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { missing } from '../../../../../../test/support/engines.ts';
import { startNode } from '../../../../../../test/support/redis-nodes.ts';
import { redisPlaceOf, type RedisClient } from './client.ts';
import { redis } from './redis-store.ts';

const skip = missing('redis-server');

test('a password that is wrong is told with the address, and without the password', { skip }, async (t) => {
  const node = await startNode();
  t.after(() => node.stop());
  const store = redis(`redis://somebody:hush@127.0.0.1:${node.port}`);
  t.after(() => store.close());
  await assert.rejects(
    async () => await store.check(),
    ({ message }: Error) => {
      assert.match(message, new RegExp(String.raw`WRONGPASS .*\(at 127\.0\.0\.1:${node.port}\)$`));
      return !message.includes('hush') && !message.includes('somebody');
    },
  );
});

test('what does not answer is told with its address', { skip }, async (t) => {
  const node = await startNode();
  t.after(() => node.stop());
  const store = redis(`redis://127.0.0.1:${node.port}`, { onWarning: () => undefined });
  t.after(() => store.close());
  await store.check();
  await node.send('CLIENT', 'PAUSE', '3000');
  await assert.rejects(async () => await store.check(), {
    message: `Redis cannot be used now: Redis did not answer in time (2000 ms) (at 127.0.0.1:${node.port})`,
  });
});

for (const [given, said] of [
  ['http://somebody:hush@host:1/x?password=hush', 'http://host:1/x'],
  ['somebody:hu#s/h@host:6379', 'host:6379'],
  ['redis://:hu/sh@host:no', 'redis://host:…'],
  ['redis://somebody:hush', 'redis://somebody:…'],
  ['redis://:hush', 'redis://:…'],
  ['localhost:6379', 'localhost:6379'],
] as const)
  test(`of ${said}, which is not a URL of a Redis, all but credentials is shown`, () => {
    assert.throws(() => redis(given), {
      name: 'TypeError',
      message: `the URL of a Redis begins with redis:// or rediss://; this is "${said}"`,
    });
  });

for (const [what, client, place] of [
  ['of a host', new Redis({ host: 'there', port: 7, lazyConnect: true }), 'there:7'],
  ['of a socket', new Redis({ path: '/run/redis.sock', lazyConnect: true }), undefined],
  ['of sentinels', new Redis({ sentinels: [{ host: 'there' }], name: 'main', lazyConnect: true }), undefined],
] as const)
  test(`a client of ioredis ${what} is told by ${place ?? 'no address'}`, () => {
    assert.equal(redisPlaceOf(client as unknown as RedisClient), place);
    client.disconnect();
  });
