import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RateLimits } from '../../packages/parley/src/server.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { Rates } from '../../packages/parley/src/server/rates/rates.ts';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import type { Limits } from '../../packages/parley/src/storage/limits.ts';
import { StoreError, type Store } from '../../packages/parley/src/storage/store.ts';
import { dates, open, statelessDate } from '../support/raw.ts';

const silent = { onError: (): void => undefined };

function limited(rateLimits: RateLimits, store?: Store): Server {
  const server = createServer({ name: 's', version: '1' }, { rateLimits, ...(store && { store }), ...silent });
  server.tool('a', {}, () => 'a');
  server.tool('b', {}, () => 'b');
  return server;
}

/** Counts the calls of many that were let through. */
async function passed(server: Server, count: number, tool = 'a'): Promise<number> {
  const raw = await open(server, statelessDate, { auth: { principal: 'ann' } });
  let through = 0;
  for (let call = 0; call < count; call++)
    if ((await raw.result('tools/call', { name: tool }))['isError'] !== true) through++;
  return through;
}

test('three servers that share a store let one client pass as often as one of them', async () => {
  let time = 0;
  const store = memoryStore({ now: () => time });
  const rateLimits = { tools: { perSecond: 100, burst: 10 } };
  const servers = [limited(rateLimits, store), limited(rateLimits, store), limited(rateLimits, store)];
  let sum = 0;
  // 10 seconds, in which each of them is asked 200 times a second.
  for (let tick = 0; tick < 1000; tick++) {
    time += 10;
    for (const server of servers) sum += await passed(server, 2);
  }
  assert.ok(Math.abs(sum - 1010) <= 10, `${sum} calls in 10 seconds`);
});

test('services of other names that share a store have measures of their own', async () => {
  const store = memoryStore({ now: () => 0 });
  const rateLimits = { tools: { perSecond: 1 } };
  const other = createServer({ name: 'other', version: '1' }, { rateLimits, store });
  other.tool('a', {}, () => 'a');
  assert.deepEqual([await passed(limited(rateLimits, store), 2), await passed(other, 2)], [1, 1]);
});

/** A store whose limits do what a test says. */
function storeWith(take: Limits['take']): Store {
  return { ...memoryStore(), limits: { take } };
}

for (const [how, take] of [
  [
    'throws',
    () => {
      throw new StoreError('unavailable', 'away');
    },
  ],
  ['rejects', () => Promise.reject(new StoreError('unavailable', 'away'))],
] as const satisfies readonly (readonly [string, Limits['take']])[]) {
  test(`while a store ${how} each process measures by itself`, async () => {
    const store = storeWith(take);
    const rateLimits = { tools: { perSecond: 1, burst: 3 }, now: () => 0 };
    assert.deepEqual(
      [await passed(limited(rateLimits, store), 5), await passed(limited(rateLimits, store), 5)],
      [3, 3],
    );
  });

  test(`while a store ${how} nothing that is measured passes, where its owner says so`, async () => {
    const server = limited({ tools: { perSecond: 9 }, lost: 'refuse' }, storeWith(take));
    const raw = await open(server, statelessDate);
    const result = await raw.result('tools/call', { name: 'a' });
    assert.equal(result['isError'], true);
    assert.match(JSON.stringify(result['content']), /cannot be found out now/);
    assert.ok('tools' in (await raw.result('tools/list')));
  });
}

test('a store that is away is asked by few of many calls, and told of once', async () => {
  let asked = 0;
  const told: string[] = [];
  const store = storeWith(() => {
    asked++;
    return Promise.reject(new StoreError('unavailable', 'away'));
  });
  const onError = (_: unknown, where: string): void => void told.push(where);
  const rates = new Rates({ limits: {}, shared: store.limits, name: 's', onError });
  const take = rates.of('tools', { perSecond: 1e6 });
  const call = { auth: undefined, session: undefined, address: '127.0.0.1' };
  assert.deepEqual(await take?.(call), { ok: true });
  for (let more = 0; more < 50; more++) void take?.(call);
  assert.ok(asked <= 2, `${asked} calls of the store`);
  assert.deepEqual(told, ['rate limits']);
});

test('single tools have rates of their own, beside that of all', async () => {
  const rateLimits = { tools: { perSecond: 1, burst: 5 }, byTool: { a: { perSecond: 1, burst: 2 } }, now: () => 0 };
  const server = limited(rateLimits);
  assert.deepEqual([await passed(server, 4), await passed(server, 4, 'b')], [2, 3]);
});

test('a tool whose name is that of a property of objects has no rate by that', async () => {
  const server = limited({ byTool: { a: { perSecond: 1 } }, now: () => 0 });
  server.tool('constructor', {}, () => 'x');
  assert.equal(await passed(server, 3, 'constructor'), 3);
});

for (const date of dates) {
  test(`requests that come too soon are refused as busy, with the time to wait: ${date}`, async () => {
    let time = 0;
    const raw = await open(limited({ requests: { perSecond: 1, burst: 3 }, now: () => time }), date);
    time += 3000;
    for (let request = 0; request < 3; request++) await raw.result('tools/list');
    const { code, data } = await raw.error('tools/list');
    assert.deepEqual({ code, data }, { code: -32603, data: { retryAfterMs: 1000, rate: 'requests' } });
    time += 1000;
    await raw.result('tools/list');
  });
}

test('sessions are opened as often as their owner allows by one client, and others open theirs', async () => {
  const server = limited({ initialize: { perSecond: 0.5, burst: 1 }, now: () => 0 });
  const opening = (principal: string): Promise<unknown> => open(server, '2025-11-25', { auth: { principal } });
  await opening('ann');
  await assert.rejects(opening('ann'), /too many sessions opened in a short time/);
  await opening('bob');
});

test('a client whose name is long has a measure that a store takes, and its own', async () => {
  const keys = new Set<string>();
  const { limits } = memoryStore();
  const store = storeWith((key, ...rate) => {
    keys.add(key);
    return limits.take(key, ...rate);
  });
  const server = limited({ tools: { perSecond: 1 } }, store);
  for (const end of ['x', 'y', '\ud800']) {
    const raw = await open(server, statelessDate, { auth: { principal: 'p'.repeat(5000) + end } });
    assert.equal((await raw.result('tools/call', { name: 'a' }))['isError'] ?? false, false);
  }
  assert.equal(keys.size, 3);
  for (const key of keys) assert.ok(key.length <= 2048 && !/\p{Surrogate}/u.test(key));
});

test('no measure is kept of more clients than a process has room for', async () => {
  const rates = new Rates({ limits: { now: () => 0 }, shared: undefined, name: 's', ...silent });
  const take = rates.of('tools', { perSecond: 1 });
  const from = (principal: string): unknown => take?.({ auth: { principal }, session: undefined, address: undefined });
  for (let client = 0; client <= 10_000; client++) assert.deepEqual(from(String(client)), { ok: true });
  // The first was forgotten for the last, which was not.
  assert.deepEqual(from('10000'), { ok: false, retryAfterMs: 1000 });
  assert.deepEqual(from('0'), { ok: true });
});

test('what a store answers at once is waited for by nobody', () => {
  const rates = new Rates({ limits: {}, shared: memoryStore().limits, name: 's', ...silent });
  const take = rates.ofCalls('tools', { perSecond: 1 });
  const verdict = take?.({ auth: undefined, session: undefined, address: '::1' });
  assert.deepEqual(verdict, { ok: true });
});

test('a store whose limits answer nonsense is one that cannot be asked', async () => {
  for (const answer of [undefined, null, {}, { ok: 'yes' }, { ok: false }, { ok: false, retryAfterMs: Number.NaN }]) {
    const store = memoryStore();
    const limits: Limits = { take: () => Promise.resolve(answer as never) };
    const server = limited({ tools: { perSecond: 1, burst: 2 } }, { ...store, limits });
    assert.equal(await passed(server, 5), 2, JSON.stringify(answer));
  }
});
