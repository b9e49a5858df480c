import { after, before, describe, test } from 'node:test';
import { missing } from '../../../../../../test/support/engines.ts';
import {
  startCluster,
  startNode,
  type RedisCluster,
  type RedisNode,
} from '../../../../../../test/support/redis-nodes.ts';
import { patientRedis } from '../../../../../../test/support/patient-redis.ts';
import { testStore, type StoresUnderTest, type StoreTest, type TestStoreOptions } from '../../../testing/test-store.ts';
import { slotOf } from './keys.ts';
import { redis, type RedisStoreOptions } from './redis-store.ts';

/** As many as are worth it on every machine; the nightly tests have more. */
const options: TestStoreOptions = { races: Number(process.env['STORE_RACES'] ?? 1_000) };

let names = 0;

interface Making extends RedisStoreOptions {
  readonly make?: typeof redis;
}

/** Tests without faults, of stores whose calls have their time, and then those with faults, of stores as users have them. */
function testsOf(nodes: () => readonly RedisNode[], faults: TestStoreOptions['faults'] = []): readonly StoreTest[] {
  const calm = testStore((processes) => storesAt(nodes(), processes, { make: patientRedis }), options);
  const all = testStore((processes) => storesAt(nodes(), processes), { ...options, faults });
  return [...calm, ...all.slice(calm.length)];
}

/** Stores of several processes, at nodes of a port each. */
function storesAt(
  nodes: readonly RedisNode[],
  processes: number,
  { make = redis, ...more }: Making = {},
): StoresUnderTest {
  const name = `contract${++names}`;
  const stores = Array.from({ length: processes }, (_, at) =>
    make(`redis://127.0.0.1:${nodes[at % nodes.length]?.port}`, { name, onWarning: () => {}, ...more }),
  );
  return {
    stores,
    async left() {
      const found = await Promise.all(nodes.map((node) => keysAt(node, name)));
      return new Set(found.flat()).size;
    },
    close: () => stores.forEach((store) => store.close()),
  };
}

/** The keys of a store but for those that fence the writers of a session that is over, which go by themselves in 5 minutes. */
async function keysAt(node: RedisNode, name: string): Promise<readonly string[]> {
  const keys = await node.send('KEYS', `p:${name}:*`);
  if (!Array.isArray(keys)) return [];
  const fields = await Promise.all(keys.map((key) => node.send('HKEYS', String(key)).catch(String)));
  // A replica has no keys of its own.
  return keys
    .map(String)
    .filter((_, at) => JSON.stringify(fields[at]) !== '["f"]' && !String(fields[at]).includes('MOVED'));
}

describe('one Redis', { skip: missing('redis-server') }, () => {
  let node: RedisNode;
  before(async () => {
    node = await startNode();
  });
  after(async () => {
    await node.stop();
  });
  const faults = [
    {
      title: 'connections that listen are ended',
      begin: async () => {
        await node.send('CLIENT', 'KILL', 'TYPE', 'pubsub');
        return () => undefined;
      },
    },
    {
      title: 'all connections are ended',
      begin: async () => {
        await node.send('CLIENT', 'KILL', 'SKIPME', 'yes', 'TYPE', 'normal');
        await node.send('CLIENT', 'KILL', 'TYPE', 'pubsub');
        return () => undefined;
      },
    },
    {
      title: 'the server is dead, and begins anew',
      begin: async () => {
        await node.kill();
        return () => node.restart();
      },
    },
    {
      title: 'the server is frozen',
      begin: () => {
        node.freeze();
        return () => node.thaw();
      },
    },
  ];
  for (const { title, run } of testsOf(() => [node], faults)) test(`one Redis: ${title}`, run);
  const sealed: Making = { make: patientRedis, keys: [new Uint8Array(32).fill(7)] };
  for (const { title, run } of testStore((processes) => storesAt([node], processes, sealed), {
    races: 100,
    histories: 20,
  }))
    test(`one Redis, sealed: ${title}`, run);
});

describe('a cluster of Redis', { skip: missing('redis-server') }, () => {
  let cluster: RedisCluster;
  before(async () => {
    cluster = await startCluster(5_000);
  });
  after(async () => {
    await cluster.stop();
  });
  const faults = [
    {
      title: 'its primary is killed',
      begin: async () => {
        for (const node of cluster.nodes) {
          const channels = await node.send('PUBSUB', 'SHARDCHANNELS');
          if (!Array.isArray(channels) || channels.length === 0) continue;
          await node.kill();
          return async () => {
            await node.restart();
            await cluster.settle();
          };
        }
        throw new Error('nobody listens');
      },
    },
    {
      title: 'its primary hands over to its replica',
      begin: async () => {
        const listened = await Promise.all(cluster.nodes.map((node) => node.send('PUBSUB', 'SHARDCHANNELS')));
        const [channel] = listened.flat();
        if (typeof channel !== 'string') throw new Error('nobody listens');
        await cluster.handOver(slotOf(channel));
        return () => cluster.settle();
      },
    },
  ];
  for (const { title, run } of testsOf(() => cluster.nodes, faults)) test(`a cluster of Redis: ${title}`, run);
});
