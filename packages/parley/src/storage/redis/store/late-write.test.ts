/** Calls that reach Redis after those that were made in their place, as a network delivers what it kept of a connection that broke. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { missing } from '../../../../../../test/support/engines.ts';
import { eventually, startNode } from '../../../../../../test/support/redis-nodes.ts';
import type { MaybePromise } from '../../maybe-promise.ts';
import { StoreError } from '../../store.ts';
import { redis, type RedisStore } from './redis-store.ts';

/** The way to a Redis, which may keep for later what comes on it. */
interface Way {
  /** Keeps what comes on the connections that there are. */
  keep(): void;
  /** Resolves when it has kept something. */
  kept(): Promise<void>;
  /** Breaks those at the side of who made them. */
  break(): void;
  /** Delivers what it kept; resolves when it was answered. */
  deliver(): Promise<void>;
}

interface Scene {
  readonly store: RedisStore;
  readonly way: Way;
  /** The store of another process, which has a way of its own. */
  readonly other: RedisStore;
}

async function storeByWay(t: TestContext): Promise<Scene> {
  const node = await startNode();
  t.after(() => node.stop());
  const ends = new Set<{ readonly near: Socket; readonly far: Socket; kept: Buffer[] | undefined }>();
  const server = createServer((near) => {
    const end = { near, far: connect(node.port, '127.0.0.1'), kept: undefined as Buffer[] | undefined };
    ends.add(end);
    near.on('data', (bytes) => (end.kept === undefined ? end.far.write(bytes) : end.kept.push(bytes)));
    near.on('close', () => (end.kept === undefined ? end.far.destroy() : undefined));
    for (const socket of [near, end.far]) socket.on('error', () => undefined);
    end.far.on('data', (bytes) => near.write(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const { near, far } of ends) for (const socket of [near, far]) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const [store, other] = [port, node.port].map((at) => redis(`redis://127.0.0.1:${at}`, { onWarning: () => {} }));
  assert.ok(store !== undefined && other !== undefined);
  t.after(() => {
    store.close();
    other.close();
  });
  // What is late of a script that is not known does nothing.
  await store.events.open('loaded').write('a', '');
  const kept = (): readonly (readonly [Socket, readonly Buffer[]])[] =>
    [...ends].flatMap(({ far, kept: bytes = [] }) => (bytes.length > 0 ? [[far, bytes]] : []));
  const way: Way = {
    keep: () => {
      for (const end of ends) end.kept ??= [];
    },
    kept: () => eventually(() => kept().length > 0, 'something that is kept'),
    break: () => {
      for (const { near, kept: bytes } of ends) if (bytes !== undefined) near.destroy();
    },
    deliver: async () => {
      assert.ok(kept().length > 0);
      for (const [far, bytes] of kept()) {
        const answered = once(far, 'data');
        far.write(Buffer.concat(bytes));
        await answered;
      }
    },
  };
  return { store, other, way };
}

/** What a call gives, as soon as Redis is there again. */
async function answered<T>(call: () => MaybePromise<T>): Promise<T> {
  for (let tries = 0; tries < 200; tries++)
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreError) || error.reason !== 'unavailable') throw error;
      await pause(100);
    }
  return await call();
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

describe('who begins a stream', { skip: missing('redis-server') }, () => {
  test('is not fenced by the same call on a connection that broke', async (t) => {
    const { store, way } = await storeByWay(t);
    way.keep();
    const writing = store.events.open('s').write('a', '');
    await way.kept();
    way.break();
    const writer = await writing;
    assert.equal(await writer.append('1'), 1);
    await way.deliver();
    assert.equal(await writer.append('2'), 2);
  });

  test('is not fenced by a call before, of which it heard nothing', async (t) => {
    const { store, way } = await storeByWay(t);
    const log = store.events.open('s');
    way.keep();
    await assert.rejects(async () => await log.write('a', ''), { reason: 'unavailable' });
    way.break();
    const writer = await answered(() => log.write('a', ''));
    assert.equal(await writer.append('1'), 1);
    const again = await log.write('a', '', writer.mark);
    await way.deliver();
    assert.equal(await again.append('2'), 2);
    await assert.rejects(async () => await writer.append('2'), { reason: 'fenced' });
  });

  test('is one, where two begin it at once after a call of which nobody heard anything', async (t) => {
    const { store, way } = await storeByWay(t);
    const log = store.events.open('s');
    way.keep();
    await assert.rejects(async () => await log.write('a', ''), { reason: 'unavailable' });
    way.break();
    await answered(() => store.records.get('a'));
    const writers = await Promise.all([log.write('a', ''), log.write('a', '')]);
    const append = (data: string): Promise<readonly PromiseSettledResult<number>[]> =>
      Promise.allSettled(writers.map(async (writer) => await writer.append(data)));
    const first = await append('1');
    assert.deepEqual(first.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    await way.deliver();
    assert.deepEqual(
      (await append('2')).map(({ status }) => status),
      first.map(({ status }) => status),
    );
  });

  for (const calls of [2, 4])
    test(`is not fenced by any of ${calls} calls at once, of which it heard nothing`, async (t) => {
      const { store, way } = await storeByWay(t);
      const log = store.events.open('s');
      way.keep();
      const refused = await Promise.allSettled(Array.from({ length: calls }, async () => await log.write('a', '')));
      assert.ok(refused.every(({ status }) => status === 'rejected'));
      way.break();
      const writer = await answered(() => log.write('a', ''));
      assert.equal(await writer.append('1'), 1);
      await way.deliver();
      await pause(50);
      assert.equal(await writer.append('2'), 2);
    });

  test('takes it from another again, after a call that was done and of which nobody heard anything', async (t) => {
    const { store, other, way } = await storeByWay(t);
    const log = store.events.open('s');
    way.keep();
    await assert.rejects(async () => await log.write('a', ''), { reason: 'unavailable' });
    way.break();
    await way.deliver();
    const there = await other.events.open('s').write('a', '');
    const again = await answered(() => log.write('a', ''));
    assert.equal(await again.append('1'), 1);
    await assert.rejects(async () => await there.append('1'), { reason: 'fenced' });
  });

  test('is fenced by another who begins it, whatever came late before', async (t) => {
    const { store, way } = await storeByWay(t);
    const log = store.events.open('s');
    way.keep();
    const writing = log.write('a', '');
    await way.kept();
    way.break();
    const first = await writing;
    await way.deliver();
    const [second, third] = await Promise.all([log.write('a', ''), log.write('a', '')]);
    await assert.rejects(async () => await first.append('1'), { reason: 'fenced' });
    await assert.rejects(async () => await second.append('1'), { reason: 'fenced' });
    assert.equal(await third.append('1'), 1);
  });
});
