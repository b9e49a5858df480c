import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import { missing } from '../../../../../../test/support/engines.ts';
import { heardBy, patientRedis } from '../../../../../../test/support/patient-redis.ts';
import { eventually, startCluster, type RedisCluster } from '../../../../../../test/support/redis-nodes.ts';
import { root } from '../../../../../../test/support/sources.ts';
import { RedisKeys, slotOf } from './keys.ts';
import type { RedisStore } from './redis-store.ts';

const many = Array.from({ length: 60 }, (_, number) => `c${number}`);

describe('a store in a cluster of Redis', { skip: missing('redis-server') }, () => {
  let cluster: RedisCluster;
  let names = 0;
  before(async () => {
    cluster = await startCluster(5_000);
  });
  after(async () => {
    await cluster.stop();
  });

  function storesOf(t: TestContext): { readonly name: string; readonly one: RedisStore; readonly other: RedisStore } {
    const name = `t${++names}`;
    const [one, other] = [0, 1].map(() => {
      const store = patientRedis(`redis://127.0.0.1:${cluster.nodes[4]?.port}`, { name, onWarning: () => {} });
      t.after(() => store.close());
      return store;
    });
    assert.ok(one !== undefined && other !== undefined);
    return { name, one, other };
  }

  /** Listens to many channels; tells once each of them was heard after a gap. */
  async function listening(
    one: RedisStore,
    other: RedisStore,
  ): Promise<{ readonly gaps: Set<string>; all(): Promise<void> }> {
    const gaps = new Set<string>();
    const heard = new Map<string, string>();
    /** Channels that were told of a gap since the round began. */
    const told = new Set<string>();
    await Promise.all(
      many.map(
        async (channel) =>
          await other.bus.subscribe(
            channel,
            (text) => heard.set(channel, text),
            () => {
              gaps.add(channel);
              told.add(channel);
            },
          ),
      ),
    );
    let round = 0;
    return {
      gaps,
      async all() {
        // A channel of a node that was lost may be without listeners for a moment yet.
        await eventually(async () => {
          const text = `round ${++round}`;
          told.clear();
          const counts = await Promise.all(many.map((channel) => heardBy(one, channel, text)));
          if (!counts.every((count) => count === 1)) return false;
          const isHeard = (channel: string): boolean => heard.get(channel) === text;
          // A text that may not have come is told of as a gap, and then said again.
          await eventually(
            () => many.every((channel) => isHeard(channel) || told.has(channel)),
            'what was counted as heard, or a gap in its place,',
          );
          return many.every(isHeard);
        }, 'a subscriber of every channel');
      },
    };
  }

  test('the place of a key is the one that Redis says', async () => {
    const keys = new RedisKeys('', 'a');
    for (const key of ['', 'a', '{}a', '{a}{b}', 'x{tag}y', 'ä{ö}', '}{', keys.record('a'), keys.events('s', 'a')])
      assert.equal(slotOf(key), await cluster.nodes[0]?.send('CLUSTER', 'KEYSLOT', key), key);
    assert.equal(slotOf(keys.session('s')), slotOf(keys.events('s', 'a')));
  });

  test('the cluster is found by one of its nodes, and every facet has its place in it', async (t) => {
    const { name, one, other } = storesOf(t);
    await one.check();
    for (const channel of many) {
      assert.equal(await one.records.add(channel, 'x', 60_000), true);
      assert.equal((await other.records.get(channel))?.text, 'x');
      const writer = await one.events.open(channel).write('a', '');
      assert.equal(await writer.append('1'), 1);
      assert.equal((await other.events.open(channel).read('a', 0))?.events.length, 1);
      assert.deepEqual(await other.limits.take(channel, { perSecond: 1 }), { ok: true });
    }
    const { all } = await listening(one, other);
    await all();
    await eventually(async () => {
      const counts = await Promise.all(cluster.nodes.map((node) => node.send('KEYS', `p:${name}:*r`)));
      return counts.every((keys) => Array.isArray(keys) && keys.length > 0);
    }, 'a copy of some of them at every node');
  });

  test('a client of a cluster is taken as it is; one of its nodes alone is refused', async (t) => {
    const port = cluster.nodes[0]?.port ?? 0;
    const clients = [new Cluster([{ host: '127.0.0.1', port }]), new Redis(port, '127.0.0.1')] as const;
    t.after(() => clients.forEach((client) => client.disconnect()));
    const [one, other] = clients.map((client) => patientRedis(client, { name: `t${++names}`, onWarning: () => {} }));
    t.after(() => [one, other].forEach((store) => store?.close()));
    assert.equal(await one?.records.add('a', 'x', 60_000), true);
    await assert.rejects(async () => await other?.check(), /node of a cluster/);
  });

  test('who has what is asked from time to time while nothing else is', async (t) => {
    const { one } = storesOf(t);
    await one.check();
    const asked = async (): Promise<number> => {
      const stats = await Promise.all(cluster.nodes.map((node) => node.send('INFO', 'commandstats')));
      const counts = stats.map((text) => /cmdstat_cluster\|slots:calls=(\d+)/.exec(String(text))?.[1] ?? '0');
      return counts.reduce((sum, count) => sum + Number(count), 0);
    };
    const before = await asked();
    await eventually(async () => (await asked()) >= before + 1, 'a question of a store that nobody uses');
  });

  test('a process ends once its store was closed, also while nodes are silent that were asked who has what', async (t) => {
    const program = `
      import { redis } from './packages/parley/src/redis.ts';
      const store = redis('redis://127.0.0.1:${cluster.nodes[1]?.port}', { name: 'ends', onWarning: () => {} });
      // A busy machine may take longer than a call has.
      while (!(await store.check().then(() => true, () => false)));
      console.log('open');
      process.stdin.once('data', () => { store.close(); process.stdin.destroy(); });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: root });
    t.after(() => child.kill('SIGKILL'));
    let said = '';
    child.stdout.on('data', (chunk: unknown) => (said += String(chunk)));
    child.stderr.on('data', (chunk: unknown) => (said += String(chunk)));
    await eventually(() => said.includes('open\n'), 'the process opening its store');
    for (const node of cluster.nodes) node.freeze();
    // Who has what is asked every 5 seconds, and no node says so now.
    await setTimeout(6_000);
    child.stdin.write('close\n');
    await setTimeout(100);
    for (const node of cluster.nodes) node.thaw();
    await eventually(() => child.exitCode === 0, `the end of the process, which said ${said}`);
    await cluster.settle();
  });

  test('a primary that hands over to its replica leaves nothing deaf', async (t) => {
    const { name, one, other } = storesOf(t);
    const { gaps, all } = await listening(one, other);
    await all();
    const slot = slotOf(new RedisKeys('', name).channel('c0'));
    await cluster.handOver(slot);
    await cluster.settle();
    await eventually(() => gaps.has('c0'));
    await all();
  });

  test('who published at a primary that handed over counts those who listen at the new one', async (t) => {
    const { name, one, other } = storesOf(t);
    let gaps = 0;
    await other.bus.subscribe(
      'a',
      () => {},
      () => gaps++,
    );
    assert.equal(await one.bus.publish('a', 'x'), 1);
    const channel = new RedisKeys('', name).channel('a');
    const taking = await cluster.handOver(slotOf(channel));
    await eventually(async () => String(await taking.send('PUBSUB', 'SHARDNUMSUB', channel)) === `${channel},1`);
    await eventually(() => gaps > 0);
    assert.equal(await one.bus.publish('a', 'x'), 1);
  });

  test('a place that moves to another primary takes its channels and records along', async (t) => {
    const { name, one, other } = storesOf(t);
    const { gaps, all } = await listening(one, other);
    assert.equal(await one.records.add('c0', 'x', 60_000), true);
    await all();
    const keys = new RedisKeys('', name);
    const slot = slotOf(keys.channel('c0'));
    const from = await cluster.primaryOf(slot);
    const to = await cluster.primaryOf((slot + 8_000) % 16_384);
    const [fromId, toId] = [String(await from.send('CLUSTER', 'MYID')), String(await to.send('CLUSTER', 'MYID'))];
    await to.send('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
    await from.send('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
    assert.equal((await other.records.get('c0'))?.text, 'x');
    const here = await from.send('CLUSTER', 'GETKEYSINSLOT', slot, 100);
    for (const key of Array.isArray(here) ? here : [])
      await from.send('MIGRATE', '127.0.0.1', to.port, String(key), 0, 5_000);
    for (const node of [to, from]) await node.send('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
    await eventually(() => gaps.has('c0'));
    assert.equal((await other.records.get('c0'))?.text, 'x');
    await eventually(async () => (await cluster.primaryOf(slot)) === to);
    await all();
  });

  test('a primary that is killed costs its channels a gap, and leaves nothing deaf', async (t) => {
    const { name, one, other } = storesOf(t);
    const { gaps, all } = await listening(one, other);
    await all();
    const slot = slotOf(new RedisKeys('', name).channel('c0'));
    await cluster.settle();
    const primary = await cluster.primaryOf(slot);
    await primary.kill();
    // It waits for the one that takes over.
    const waits = Promise.resolve(one.bus.publish('c0', 'waits')).catch(() => undefined);
    await eventually(() => gaps.has('c0'));
    await waits;
    await cluster.settle();
    await all();
    assert.equal(await one.records.add('c0', 'x', 60_000), true);
    await one.check();
    await primary.restart();
    await cluster.settle();
    await all();
  });
});
