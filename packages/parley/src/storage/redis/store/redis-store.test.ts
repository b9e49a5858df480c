import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { Redis } from 'ioredis';
import { missing } from '../../../../../../test/support/engines.ts';
import { patientRedis } from '../../../../../../test/support/patient-redis.ts';
import { eventually, startNode, type RedisNode } from '../../../../../../test/support/redis-nodes.ts';
import { StoreError } from '../../store.ts';
import { answeredWithin } from './engine.ts';
import { redis, type RedisStore, type RedisStoreOptions } from './redis-store.ts';
import { storeScripts } from './store-scripts.ts';

let names = 0;

function storeAt(t: TestContext, node: RedisNode, options: RedisStoreOptions = {}): RedisStore {
  const store = patientRedis(`redis://127.0.0.1:${node.port}`, {
    name: `t${++names}`,
    onWarning: () => {},
    ...options,
  });
  t.after(() => store.close());
  return store;
}

async function nodeOf(t: TestContext, ...settings: readonly string[]): Promise<RedisNode> {
  const node = await startNode(...settings);
  t.after(() => node.stop());
  return node;
}

async function failureOf(run: () => unknown): Promise<StoreError> {
  try {
    await run();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  return assert.fail('it did not fail');
}

test('a call whose time was over before it began is said with the time that a call has', async () => {
  await assert.rejects(answeredWithin(new Promise(() => {}), -52), {
    message: 'Redis did not answer in time (2000 ms)',
  });
});

describe('a store in Redis', { skip: missing('redis-server') }, () => {
  let shared: RedisNode;
  before(async () => {
    shared = await startNode();
  });
  after(async () => {
    await shared.stop();
  });

  test('a server that forgot the scripts is given them again', async (t) => {
    const { records } = storeAt(t, shared);
    assert.equal(await records.add('a', 'x', 60_000), true);
    await shared.send('SCRIPT', 'FLUSH');
    assert.equal(await records.add('a', 'y', 60_000), false);
  });

  test('a put that is sent twice is done once, and says the same', async () => {
    const key = 'p:twice:{a}:r';
    const run = (mark: string): Promise<unknown> =>
      shared.send('EVAL', storeScripts.put.text, 1, key, '0', mark, 60_000, 'text');
    const first = await run('one');
    assert.match(String(first), /^\d{16}$/);
    assert.equal(await run('one'), first);
    assert.equal(await run('two'), null);
  });

  test('events that are sent twice are kept once', async (t) => {
    const name = `t${++names}`;
    const { events } = storeAt(t, shared, { name });
    await events.open('s').write('a', '');
    const [key = ''] = await keysOf(shared, name);
    const epoch = String(
      await shared.send('HGET', key, [...(await fieldsOf(shared, key))].find((field) => field.startsWith('s')) ?? ''),
    ).split(' ')[0];
    const stream = (await fieldsOf(shared, key)).find((field) => field.startsWith('s'))?.slice(1) ?? '';
    const run = (first: number, ...texts: readonly string[]): Promise<unknown> =>
      shared.send(
        'EVAL',
        storeScripts.append.text,
        2,
        key,
        `${key}:${stream}`,
        stream,
        epoch ?? '',
        first,
        0,
        60_000,
        200,
        1_000_000,
        '',
        ...texts,
      );
    assert.equal(await run(1, '1', '2'), 'kept');
    assert.equal(await run(1, '1', '2'), 'kept');
    assert.equal(await run(2, '2', '3'), 'kept');
    assert.equal(await run(5, '5'), 'missing');
    assert.deepEqual(
      (await events.open('s').read('a', 0))?.events.map(({ data }) => data),
      ['1', '2', '3'],
    );
  });

  test('every key has the name of the service, tells no secret, and expires', async (t) => {
    const name = `t${++names}`;
    const { records, events, limits, check } = storeAt(t, shared, { name });
    await records.add('secret', 'x', 60_000);
    await records.put('secret 2', 'x', 60_000);
    const log = events.open('secret session');
    const writer = await log.write('secret stream', '');
    await writer.append('1');
    await events.open('secret other').write('secret stream', '');
    await log.clear();
    await limits.take('secret principal', { perSecond: 0.1 });
    await check();
    const keys = await keysOf(shared, name);
    assert.equal(keys.length, 6, keys.join('\n'));
    for (const key of keys) {
      assert.match(key, new RegExp(`^p:${name}:\\{[\\w-]+\\}:[relw]$`));
      assert.ok(Number(await shared.send('PTTL', key)) > 0, key);
    }
  });

  test('a session keeps 200 events and 1 MiB, the newest of all its streams', async (t) => {
    const { events } = storeAt(t, shared);
    const log = events.open('s');
    const [rested, busy] = [await log.write('rested', 'r'), await log.write('busy', 'b')];
    for (let number = 1; number <= 150; number++) await rested.append(`r${number}`);
    const appends = Array.from({ length: 120 }, async (_, at) => await busy.append(`b${at + 1}`));
    assert.deepEqual(
      await Promise.all(appends),
      appends.map((_, at) => at + 1),
    );
    assert.equal((await log.read('busy', 0))?.events.length, 120);
    assert.equal(await log.read('rested', 69), undefined);
    assert.equal((await log.read('rested', 70))?.events[0]?.data, 'r71');
    const big = 'x'.repeat(400_000);
    for (let number = 0; number < 4; number++) await busy.append(big);
    assert.equal(await log.read('rested', 149), undefined);
    assert.equal(await log.read('busy', 121), undefined);
    assert.equal((await log.read('busy', 122))?.events.length, 2);
    // Whose stream was forgotten goes on.
    assert.equal(await rested.append('again'), 151);
    assert.deepEqual(await log.read('rested', 150), {
      events: [{ number: 151, data: 'again' }],
      complete: false,
      about: 'r',
    });
  });

  test('who goes on by a mark after the stream was forgotten goes on with its numbers', async (t) => {
    const { events } = storeAt(t, shared);
    const log = events.open('forgotten');
    const rested = await log.write('rested', 'r');
    for (let number = 1; number <= 3; number++) await rested.append(`r${number}`);
    const busy = await log.write('busy', 'b');
    const fill = async (): Promise<void> => {
      await Promise.all(Array.from({ length: 201 }, async (_, at) => await busy.append(`b${at}`)));
      assert.equal(await log.read('rested', 3), undefined);
    };
    await fill();
    const again = await log.write('rested', 'r', rested.mark);
    assert.deepEqual(await log.read('rested', 3), { events: [], complete: false, about: 'r' });
    await fill();
    const third = await log.write('rested', 'r', again.mark);
    assert.equal(await third.append('r4'), 4);
    await assert.rejects(async () => await again.append('x'), { reason: 'fenced' });
    assert.deepEqual((await log.read('rested', 3))?.events, [{ number: 4, data: 'r4' }]);
  });

  test('events that expired before their stream was forgotten take no room from others', async () => {
    const session = 'p:expired:{a}:e';
    const run = (
      script: 'write' | 'append',
      stream: string,
      ...values: readonly (string | number)[]
    ): Promise<unknown> =>
      shared.send('EVAL', storeScripts[script].text, 2, session, `${session}:${stream}`, stream, ...values);
    const begin = async (stream: string): Promise<string> =>
      String(Object(await run('write', stream, '', 60_000, 200, '', 'call'))[0]);
    const [gone, busy] = [await begin('gone'), await begin('busy')];
    const append = (stream: string, epoch: string, ...texts: readonly string[]): Promise<unknown> =>
      run('append', stream, epoch, 1, 0, 60_000, 200, 1_000_000, '', ...texts);
    assert.equal(await append('gone', gone, ...Array.from({ length: 150 }, () => 'x')), 'kept');
    await shared.send('DEL', `${session}:gone`);
    assert.equal(await append('busy', busy, ...Array.from({ length: 250 }, () => 'y')), 'kept');
    assert.equal(await shared.send('LLEN', `${session}:busy`), 200);
    assert.deepEqual(await shared.send('HMGET', session, 'n', 'b'), ['200', '200']);
  });

  test('a clock that is set back refuses nobody for longer than a burst takes to come back', async (t) => {
    const name = `t${++names}`;
    const { limits } = storeAt(t, shared, { name });
    const rate = { perSecond: 10, burst: 2 };
    await limits.take('a', rate);
    const [key = ''] = await keysOf(shared, name);
    await shared.send('SET', key, String(Date.now() + 3_600_000), 'PX', 3_600_000);
    assert.equal((await limits.take('a', rate, 2)).ok, false);
    await eventually(async () => (await limits.take('a', rate, 2)).ok);
  });

  test('a client that is given stays open, and what it puts before keys is before ours', async (t) => {
    const client = new Redis(shared.port, '127.0.0.1', { keyPrefix: 'mine:' });
    t.after(() => client.disconnect());
    const name = `t${++names}`;
    const store = redis(client, { name, onWarning: () => {} });
    await store.records.add('a', 'x', 60_000);
    await store.bus.subscribe(
      'c',
      () => {},
      () => {},
    );
    await store.close();
    assert.equal((await failureOf(() => store.records.get('a'))).reason, 'unavailable');
    assert.equal(await client.ping(), 'PONG');
    assert.equal((await keysOf(shared, `mine:p:${name}`, '')).length, 1);
  });

  test('a store that is closed leaves no connection', async (t) => {
    const node = await nodeOf(t);
    const store = storeAt(t, node);
    await store.records.add('a', 'x', 1_000);
    await store.bus.subscribe(
      'c',
      () => {},
      () => {},
    );
    assert.equal(await connectionsOf(node), 2);
    await store.close();
    await store.close();
    await eventually(async () => (await connectionsOf(node)) === 0);
  });

  test('nobody is told what a listener throws, and no other listener misses anything', async (t) => {
    const { bus } = storeAt(t, shared);
    const heard: string[] = [];
    t.mock.method(globalThis, 'queueMicrotask', (run: () => void) => {
      try {
        run();
      } catch {
        heard.push('thrown');
      }
    });
    await bus.subscribe(
      'c',
      () => assert.fail('thrown'),
      () => {},
    );
    await bus.subscribe(
      'c',
      (text) => heard.push(text),
      () => {},
    );
    assert.equal(await bus.publish('c', 'text'), 1);
    await eventually(() => heard.length === 2);
    assert.deepEqual(heard, ['thrown', 'text']);
  });

  test('a sealed store shows Redis nothing, and whoever has another key nothing', async (t) => {
    const name = `t${++names}`;
    const keys = [new Uint8Array(32).fill(1)];
    const store = storeAt(t, shared, { name, keys });
    const plain = storeAt(t, shared, { name });
    const heard: string[] = [];
    const seen: string[] = [];
    await store.bus.subscribe(
      'c',
      (text) => heard.push(text),
      () => {},
    );
    await plain.bus.subscribe(
      'c',
      (text) => seen.push(text),
      () => {},
    );
    for (let number = 0; number < 20; number++) void store.bus.publish('c', `top secret ${number}`);
    await store.records.add('a', 'top secret', 60_000);
    const writer = await store.events.open('s').write('a', 'top secret');
    const numbers = await Promise.all(
      ['1', '2', '3'].map(async (number) => await writer.append(`top secret ${number}`)),
    );
    assert.deepEqual(numbers, [1, 2, 3]);
    assert.equal((await store.records.get('a'))?.text, 'top secret');
    const { events, about } = (await store.events.open('s').read('a', 0)) ?? assert.fail('nothing');
    assert.deepEqual(
      [about, ...events.map(({ data }) => data)],
      ['top secret', 'top secret 1', 'top secret 2', 'top secret 3'],
    );
    await eventually(() => heard.length === 20 && seen.length === 20);
    assert.deepEqual(
      heard,
      Array.from({ length: 20 }, (_, number) => `top secret ${number}`),
    );
    const there = [
      ...seen,
      (await plain.records.get('a'))?.text,
      JSON.stringify(await plain.events.open('s').read('a', 0)),
    ];
    assert.ok(!there.join(' ').includes('secret'));
    const other = storeAt(t, shared, { name, keys: [new Uint8Array(32).fill(2)] });
    assert.equal(await other.records.get('a'), undefined);
    assert.equal(await other.events.open('s').read('a', 0), undefined);
    const both = storeAt(t, shared, { name, keys: [new Uint8Array(32).fill(2), ...keys] });
    assert.equal((await both.records.get('a'))?.text, 'top secret');
    const long = await failureOf(() => store.records.add('b', 'x'.repeat(4 * 1024 * 1024 + 1), 1));
    assert.equal(long.reason, 'too-large');
    assert.equal(await store.records.add('b', '\u{fffd}'.repeat(4 * 1024 * 1024), 60_000), true);
  });

  test('what makes no sense is refused at once', () => {
    const url = 'redis://127.0.0.1';
    const wrong: readonly [unknown, unknown, RegExp][] = [
      ['http://127.0.0.1', {}, /redis:\/\/ or rediss:/],
      [{}, {}, /needs a URL/],
      [{ sentinels: [] }, {}, /needs a URL/],
      [null, {}, /needs a URL/],
      [url, { nam: 'a' }, /name/],
      [url, { name: 'a{b' }, /name must be/],
      [url, { keys: [] }, /at least one/],
      [url, { keys: ['short'] }, /32 bytes/],
      [url, { onWarning: 1 }, /onWarning/],
    ];
    for (const [client, options, words] of wrong)
      assert.throws(() => redis(client as string, options as RedisStoreOptions), { name: 'TypeError', message: words });
  });

  test('a server that would forget, or is a replica, is refused with what to do', async (t) => {
    const evicting = await nodeOf(t, '--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru');
    const failure = await failureOf(() => storeAt(t, evicting).check());
    assert.match(failure.message, /maxmemory-policy allkeys-lru.*set maxmemory-policy noeviction/);
    assert.match((await failureOf(() => storeAt(t, evicting).records.get('a'))).message, /noeviction/);
    await evicting.send('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await evicting.send('CONFIG', 'SET', 'appendonly', 'no');
    const said: string[] = [];
    const store = storeAt(t, evicting, { onWarning: (message) => said.push(message) });
    await store.check();
    await store.check();
    assert.deepEqual(said.length, 1);
    assert.match(said[0] ?? '', /no append-only file/);
    await evicting.send('REPLICAOF', '127.0.0.1', String(shared.port));
    assert.match((await failureOf(() => storeAt(t, evicting).check())).message, /is a replica/);
  });

  test('a server that is not there is said with its address, and without the password', async (t) => {
    const store = redis('redis://:hush@127.0.0.1:1', { onWarning: () => {} });
    t.after(() => store.close());
    const { reason, message } = await failureOf(() => store.check());
    assert.equal(reason, 'unavailable');
    assert.match(message, /ECONNREFUSED 127\.0\.0\.1:1/);
    assert.ok(!message.includes('hush'));
    const locked = await nodeOf(t);
    await locked.send('CONFIG', 'SET', 'requirepass', 'other');
    const wrong = redis(`redis://:hush@127.0.0.1:${locked.port}`, { onWarning: () => {} });
    t.after(() => wrong.close());
    assert.match((await failureOf(() => wrong.check())).message, /WRONGPASS/);
  });
});

async function keysOf(node: RedisNode, name: string, before = 'p:'): Promise<readonly string[]> {
  const found = await node.send('KEYS', `${before}${name}:*`);
  return Array.isArray(found) ? found.map(String) : [];
}

async function fieldsOf(node: RedisNode, key: string): Promise<readonly string[]> {
  const found = await node.send('HKEYS', key);
  return Array.isArray(found) ? found.map(String) : [];
}

/** How many others are connected beside the one that asks. */
async function connectionsOf(node: RedisNode): Promise<number> {
  const lines = String(await node.send('CLIENT', 'LIST')).split('\n');
  return lines.filter((line) => line.includes('id=')).length - 1;
}
