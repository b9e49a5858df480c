import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Redis } from 'ioredis';
import type { Store } from '../../store.ts';
import { missing, startSentinel } from '../../../../../../test/support/engines.ts';
import { heardBy, patientRedis } from '../../../../../../test/support/patient-redis.ts';
import { eventually, startNode, type RedisNode } from '../../../../../../test/support/redis-nodes.ts';

describe('a store in a Redis with sentinels', { skip: missing('redis-server') }, () => {
  test('follows the master to where it is, and nothing is deaf there', async (t) => {
    const { master, replica } = await pairOfNodes(t);
    const sentinel = await startSentinel('main', master.port);
    t.after(() => sentinel.stop());
    const sentinels = [{ host: '127.0.0.1', port: sentinel.port }];
    const [one, other] = [0, 1].map(() => {
      const store = patientRedis({ sentinels, name: 'main' }, { name: 'sentinel', onWarning: () => {} });
      t.after(() => store.close());
      return store;
    });
    assert.ok(one !== undefined && other !== undefined);
    const heard: string[] = [];
    let gaps = 0;
    await other.bus.subscribe(
      'c',
      (text) => heard.push(text),
      () => gaps++,
    );
    assert.equal(await one.bus.publish('c', 'before'), 1);
    assert.equal(await one.records.add('a', 'x', 600_000), true);
    await eventually(async () => Number(await replica.send('DBSIZE')) === 1, 'the record at the replica');
    // It looks for replicas every 10 seconds.
    await eventually(() => allKnowEachOther(sentinels), 'a sentinel that knows of the replica');
    await master.kill();
    await eventually(async () => String(await replica.send('ROLE')).startsWith('master'), 'another master');
    await eventually(() => gaps > 0, 'a gap');
    await eventually(async () => (await heardBy(one, 'c', 'after')) > 0, 'a subscriber');
    await eventually(() => heard.at(-1) === 'after');
    assert.equal(await other.records.add('a', 'y', 600_000), false);
    await eventually(() => works(one), 'a store that works again');
  });

  test('follows the master that two of three agree upon, though the first it knows died with the other one', async (t) => {
    const { master, replica } = await pairOfNodes(t);
    const three = await Promise.all([1, 2, 3].map(() => startSentinel('main', master.port, 2)));
    t.after(() => Promise.all(three.map((sentinel) => sentinel.stop())));
    const sentinels = three.map(({ port }) => ({ host: '127.0.0.1', port }));
    const store = patientRedis({ sentinels, name: 'main' }, { name: 'sentinel', onWarning: () => {} });
    t.after(() => store.close());
    const heard: string[] = [];
    let gaps = 0;
    await store.bus.subscribe(
      'c',
      (text) => heard.push(text),
      () => gaps++,
    );
    await eventually(
      () => allKnowEachOther(sentinels),
      'three sentinels that know of each other and of the replica',
      60_000,
    );
    assert.equal(await store.records.add('a', 'x', 600_000), true);
    await eventually(async () => Number(await replica.send('DBSIZE')) === 1, 'the record at the replica');
    await Promise.all([three[0]?.stop(), master.kill()]);
    await eventually(async () => String(await replica.send('ROLE')).startsWith('master'), 'another master');
    await eventually(() => gaps > 0, 'a gap');
    await eventually(async () => (await heardBy(store, 'c', 'after')) > 0, 'a subscriber');
    await eventually(() => heard.at(-1) === 'after');
    assert.equal((await store.records.get('a'))?.text, 'x');
    await eventually(() => works(store), 'a store that works again');
  });
});

/** Tells whether a store can be used: after a failover its connection may break once more. */
async function works(store: Pick<Store, 'check'>): Promise<boolean> {
  try {
    await store.check();
    return true;
  } catch {
    return false;
  }
}

/** Starts a server and its replica. */
async function pairOfNodes(t: TestContext): Promise<{ readonly master: RedisNode; readonly replica: RedisNode }> {
  const [master, replica] = [await startNode(), await startNode('--repl-diskless-sync-delay', '0')];
  t.after(() => Promise.all([master.stop(), replica.stop()]));
  await replica.send('REPLICAOF', '127.0.0.1', master.port);
  await eventually(async () => String(await replica.send('INFO', 'replication')).includes('master_link_status:up'));
  return { master, replica };
}

/** Tells whether each sentinel has heard of all others and of the replica: it needs them when the master dies. */
async function allKnowEachOther(sentinels: readonly { readonly port: number }[]): Promise<boolean> {
  const known = await Promise.all(
    sentinels.map(async ({ port }) => {
      const sentinel = new Redis(port, '127.0.0.1');
      const words = (await sentinel.call('SENTINEL', 'MASTER', 'main')) as readonly string[];
      sentinel.disconnect();
      return ['num-slaves', 'num-other-sentinels'].map((name) => words[words.indexOf(name) + 1]).join();
    }),
  );
  return known.every((counts) => counts === `1,${sentinels.length - 1}`);
}
