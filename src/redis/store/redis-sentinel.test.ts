import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { missing, startSentinel } from '../../../test/support/engines.ts';
import { eventually, startNode } from '../../../test/support/redis-nodes.ts';
import { redis } from './redis-store.ts';

describe('a store in a Redis with sentinels', { skip: missing('redis-server') }, () => {
  test('follows the master to where it is, and nothing is deaf there', async (t) => {
    const [master, replica] = [await startNode(), await startNode('--repl-diskless-sync-delay', '0')];
    t.after(() => Promise.all([master.stop(), replica.stop()]));
    await replica.send('REPLICAOF', '127.0.0.1', master.port);
    await eventually(async () => String(await replica.send('INFO', 'replication')).includes('master_link_status:up'));
    const sentinel = await startSentinel('main', master.port);
    t.after(() => sentinel.stop());
    const sentinels = [{ host: '127.0.0.1', port: sentinel.port }];
    const [one, other] = [0, 1].map(() => {
      const store = redis({ sentinels, name: 'main' }, { name: 'sentinel', onWarning: () => {} });
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
    // A sentinel looks for replicas every 10 seconds.
    await master.kill();
    await eventually(async () => String(await replica.send('ROLE')).startsWith('master'), 'another master');
    await eventually(() => gaps > 0, 'a gap');
    await eventually(async () => (await one.bus.publish('c', 'after')) === 1, 'a subscriber');
    await eventually(() => heard.at(-1) === 'after');
    assert.equal(await other.records.add('a', 'y', 600_000), false);
    await one.check();
  });
});
