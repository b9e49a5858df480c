import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { missing } from '../../../../../../test/support/engines.ts';
import { patientRedis } from '../../../../../../test/support/patient-redis.ts';
import { eventually, startNode, type RedisNode } from '../../../../../../test/support/redis-nodes.ts';
import { StoreError } from '../../store.ts';
import { redis, type RedisStore } from './redis-store.ts';

async function opened(
  t: TestContext,
  make: typeof redis = redis,
): Promise<{ readonly node: RedisNode; readonly one: RedisStore; readonly other: RedisStore }> {
  const node = await startNode();
  t.after(() => node.stop());
  const [one, other] = [0, 1].map(() => {
    const store = make(`redis://127.0.0.1:${node.port}`, { onWarning: () => {} });
    t.after(() => store.close());
    return store;
  });
  assert.ok(one !== undefined && other !== undefined);
  await Promise.all([one.check(), other.check()]);
  return { node, one, other };
}

async function reasonOf(run: () => unknown): Promise<StoreError['reason'] | 'none'> {
  try {
    await run();
  } catch (error) {
    if (error instanceof StoreError) return error.reason;
    throw error;
  }
  return 'none';
}

/** A channel that is listened to, and what was heard of it. */
async function listened(
  store: RedisStore,
  channel = 'c',
): Promise<{ readonly texts: string[]; readonly gaps: () => number }> {
  const texts: string[] = [];
  let gaps = 0;
  await store.bus.subscribe(
    channel,
    (text) => texts.push(text),
    () => gaps++,
  );
  return { texts, gaps: () => gaps };
}

describe('a store whose Redis', { skip: missing('redis-server') }, () => {
  test('is away fails each call, at once after a while, and goes on when it is back', async (t) => {
    const { node, one } = await opened(t);
    const writer = await one.events.open('s').write('a', '');
    await node.kill();
    const calls = [
      () => one.records.get('a'),
      () => one.records.add('a', 'x', 60_000),
      () => one.limits.take('a', { perSecond: 1 }),
      () => one.events.open('s').read('a', 0),
      () => writer.append('1'),
      () =>
        one.bus.subscribe(
          'c',
          () => {},
          () => {},
        ),
      () => one.check(),
    ];
    const reasons = await Promise.all(calls.map(reasonOf));
    assert.deepEqual(
      reasons,
      calls.map(() => 'unavailable'),
    );
    // Which nobody waits for.
    const many = await Promise.all(Array.from({ length: 1_000 }, () => reasonOf(() => one.records.get('a'))));
    assert.ok(many.every((reason) => reason === 'unavailable'));
    await node.restart();
    await eventually(async () => (await reasonOf(() => one.records.get('a'))) === 'none');
    assert.equal(await one.records.add('a', 'x', 60_000), true);
    await one.check();
  });

  test('is frozen fails each call, and goes on when it is thawed', async (t) => {
    const { node, one } = await opened(t);
    await one.records.add('a', 'x', 60_000);
    node.freeze();
    assert.equal(await reasonOf(() => one.records.get('a')), 'unavailable');
    assert.equal(await reasonOf(() => one.bus.publish('c', 'x')), 'unavailable');
    assert.equal(await reasonOf(() => one.check()), 'unavailable');
    node.thaw();
    await eventually(async () => (await reasonOf(() => one.records.get('a'))) === 'none');
    assert.equal((await one.records.get('a'))?.text, 'x');
  });

  test('answered while the process stood still is heard, however late that is', async (t) => {
    const { one } = await opened(t);
    await one.records.put('a', 'x', 600_000);
    const read = one.records.get('a');
    const until = performance.now() + 2_300;
    while (performance.now() < until);
    assert.equal((await read)?.text, 'x');
    assert.equal(await one.records.touch('a', 600_000), true);
  });

  test('is back and empty knows nothing any more, and a writer of a stream goes on', async (t) => {
    const { node, one, other } = await opened(t, patientRedis);
    await one.records.add('a', 'x', 60_000);
    const writer = await one.events.open('s').write('a', 'about');
    await writer.append('1');
    await node.send('FLUSHALL');
    assert.equal(await other.records.get('a'), undefined);
    assert.equal(await other.events.open('s').read('a', 0), undefined);
    assert.equal(await writer.append('2'), 2);
    const events = [{ number: 2, data: '2' }];
    assert.deepEqual(await other.events.open('s').read('a', 1), { events, complete: false, about: 'about' });
  });

  test('is full refuses what is new, and still gives, forgets and carries what is there', async (t) => {
    const { node, one } = await opened(t, patientRedis);
    const heard = await listened(one);
    await one.records.add('a', 'x', 60_000);
    const log = one.events.open('s');
    const writer = await log.write('a', '');
    await writer.append('1');
    await node.send('CONFIG', 'SET', 'maxmemory', '1');
    assert.equal(await reasonOf(() => one.records.add('b', 'x', 60_000)), 'full');
    assert.equal(await reasonOf(() => one.records.put('a', 'y', 60_000)), 'full');
    assert.equal(await reasonOf(() => writer.append('2')), 'full');
    // An append that fails is the last of its writer.
    assert.equal(await reasonOf(() => writer.append('3')), 'full');
    assert.equal(await reasonOf(() => one.limits.take('a', { perSecond: 0.1 })), 'full');
    assert.equal(await reasonOf(() => one.check()), 'full');
    assert.equal((await one.records.get('a'))?.text, 'x');
    assert.equal(await one.records.touch('a', 60_000), true);
    assert.equal((await log.read('a', 0))?.events.length, 1);
    assert.equal(await one.bus.publish('c', 'x'), 1);
    await eventually(() => heard.texts.length === 1);
    await log.clear();
    assert.equal(await log.read('a', 0), undefined);
    await node.send('CONFIG', 'SET', 'maxmemory', '0');
    assert.equal(await reasonOf(() => one.check()), 'none');
  });

  test('lost a connection that listens is heard again, and who listens is told of a gap', async (t) => {
    const { node, one, other } = await opened(t, patientRedis);
    const heard = await listened(other);
    assert.equal(await one.bus.publish('c', 'before'), 1);
    await node.send('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await eventually(() => heard.gaps() > 0);
    assert.equal(await one.bus.publish('c', 'after'), 1);
    await eventually(() => heard.texts.length === 2);
    assert.deepEqual([heard.texts, heard.gaps()], [['before', 'after'], 1]);
  });

  test('lost a connection of a listener that hears of no gaps, as tasks may have, ends no process', async (t) => {
    const { node, one, other } = await opened(t, patientRedis);
    const texts: string[] = [];
    await other.tasks.bus?.subscribe('tasks', (text) => texts.push(text));
    await node.send('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await eventually(async () => (await one.bus.publish('tasks', 'after')) === 1);
    await eventually(() => texts.length > 0);
  });

  test('begins anew carries what waited for it in order, and what came before it is known to have a gap', async (t) => {
    const { node, one, other } = await opened(t, patientRedis);
    const heard = await listened(other);
    await node.kill();
    const waiting = Array.from({ length: 50 }, async (_, number) => await one.bus.publish('c', String(number)));
    await node.restart();
    const counts = await Promise.all(waiting);
    assert.ok(counts.every((count) => count <= 1));
    await eventually(() => heard.gaps() > 0);
    assert.equal(await one.bus.publish('c', 'last'), 1);
    await eventually(() => heard.texts.at(-1) === 'last');
    const numbers = heard.texts.slice(0, -1).map(Number);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(numbers).size, numbers.length);
  });

  test('is away takes no more than 8 MiB of texts that wait', async (t) => {
    const { node, one } = await opened(t, patientRedis);
    await node.kill();
    // Each takes a little more room than its text while it waits.
    const text = 'x'.repeat(256 * 1024 - 256);
    const waiting = Array.from({ length: 40 }, (_, number) => reasonOf(() => one.bus.publish(`c${number}`, text)));
    const soon = await Promise.race([
      Promise.all(waiting.slice(32)),
      Promise.all(waiting.slice(0, 32)).then(() => 'late'),
    ]);
    assert.deepEqual(
      soon,
      Array.from({ length: 8 }, () => 'unavailable'),
    );
    await node.restart();
    assert.ok((await Promise.all(waiting.slice(0, 32))).every((reason) => reason === 'none'));
  });

  test('lost the connection of every call in the middle does nothing twice', async (t) => {
    const { node, one, other } = await opened(t, patientRedis);
    const writer = await one.events.open('s').write('a', '');
    let isOver = false;
    const killing = (async () => {
      while (!isOver) {
        await node.send('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        // A machine that takes longer to connect again than it is connected gets nothing done.
        await Promise.all([one, other].map(async (store) => await store.records.get('none')));
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
    })();
    const won = await Promise.all(
      Array.from({ length: 100 }, async (_, number) => {
        const adds = [one, other].map(async (store) => await store.records.add(`k${number}`, 'x', 60_000));
        return (await Promise.all(adds)).filter(Boolean).length;
      }),
    );
    const numbers: number[] = [];
    for (let number = 1; number <= 50; number++) numbers.push(await writer.append(String(number)));
    isOver = true;
    await killing;
    assert.ok(won.every((count) => count === 1));
    assert.deepEqual(
      numbers,
      numbers.map((_, at) => at + 1),
    );
    const { events } = (await other.events.open('s').read('a', 0)) ?? assert.fail('nothing');
    assert.deepEqual(
      events.map(({ data }) => data),
      numbers.map(String),
    );
  });
});
