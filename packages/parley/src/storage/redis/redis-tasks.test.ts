import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { after, before, describe, test, type TestContext } from 'node:test';
import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster } from 'node-redis';
import { missing, startRedis, type Engine } from '../../../../../test/support/engines.ts';
import type { StoredTask, TaskStore } from '../tasks.ts';
import { taskStoreContract } from '../../testing/task-store.ts';
import { redisTasks } from './redis-tasks.ts';

function task(id: string, parts: Partial<StoredTask> = {}): StoredTask {
  return { id, queue: 'q', owner: '', version: 1, epoch: 0, open: true, text: '{}', ...parts };
}

/** A store over a client of its own. */
interface Opened {
  readonly store: TaskStore;
  /** Sends a command. */
  send(...words: string[]): Promise<unknown>;
  close(): void;
}

const clients: Readonly<Record<string, (port: number, onWarning?: (message: string) => void) => Promise<Opened>>> = {
  async ioredis(port, onWarning = () => {}) {
    const client = new Redis(port, '127.0.0.1');
    client.on('error', () => {});
    const send = (command = '', ...words: string[]): Promise<unknown> => client.call(command, ...words);
    return { store: redisTasks(client, { onWarning }), send, close: () => client.disconnect() };
  },
  async 'ioredis with a prefix of its own'(port, onWarning = () => {}) {
    const client = new Redis(port, '127.0.0.1', { keyPrefix: 'mine:' });
    client.on('error', () => {});
    const send = (command = '', ...words: string[]): Promise<unknown> => client.call(command, ...words);
    return { store: redisTasks(client, { onWarning, prefix: 'its:{own}' }), send, close: () => client.disconnect() };
  },
  async 'node-redis'(port, onWarning = () => {}) {
    const client = createClient({ socket: { host: '127.0.0.1', port } });
    client.on('error', () => {});
    await client.connect();
    const send = (...words: string[]): Promise<unknown> => client.sendCommand(words);
    return { store: redisTasks(client, { onWarning }), send, close: () => client.destroy() };
  },
};

function opener(name: string): (port: number, onWarning?: (message: string) => void) => Promise<Opened> {
  return clients[name] ?? assert.fail(name);
}

/** A way to Redis that loses the next reply when it is told to, and the connection with it. */
async function losing(t: TestContext, port: number): Promise<{ readonly store: TaskStore; lose(): void }> {
  let loses = false;
  const way = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far);
    far.on('data', (bytes: Buffer) => {
      if (!loses) return void near.write(bytes);
      loses = false;
      near.destroy();
    });
  });
  await once(way.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on a port has an address of this form.
  const client = new Redis((way.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  t.after(() => (client.disconnect(), way.close()));
  await client.ping();
  const store = redisTasks(client, { prefix: 'parley:{lost}', onWarning: () => {} });
  // Nothing else is under way when a reply is lost.
  await store.add(task(`first ${Math.random()}`.replace(' ', '-')), 1e6);
  await client.call('CONFIG', 'GET', 'maxmemory-policy');
  return { store, lose: () => void (loses = true) };
}

describe('tasks in Redis', { skip: missing('redis-server') }, () => {
  let engine: Engine | undefined;
  const port = (): number => engine?.port ?? 0;
  before(async () => {
    engine = await startRedis();
  });
  after(async () => {
    await engine?.stop();
  });

  for (const [name, open] of Object.entries(clients)) {
    describe(`by ${name}`, () => {
      const opened: Opened[] = [];
      after(() => opened.forEach((one) => one.close()));
      for (const { title, run } of taskStoreContract(async () => {
        while (opened.length < 2) opened.push(await open(port()));
        const [one, other] = opened.map(({ store }) => store);
        assert.ok(one !== undefined && other !== undefined);
        return { one, other, close: async () => {} };
      }))
        test(title, run);

      test('a server that forgot the scripts is given them again', async () => {
        const { store, send, close } = await open(port());
        assert.equal(await store.get('nobody'), undefined);
        await send('SCRIPT', 'FLUSH');
        assert.equal(await store.get('nobody'), undefined);
        close();
      });

      test('a subscription that ended has no connection left', async () => {
        const { store, send, close } = await open(port());
        const listeners = async (): Promise<number> =>
          String(await send('CLIENT', 'LIST', 'TYPE', 'PUBSUB'))
            .split('\n')
            .filter((line) => line.includes('id=')).length;
        const stop = await store.bus?.subscribe('a', () => {});
        assert.equal(await listeners(), 1);
        await stop?.();
        for (let tries = 0; tries < 20_000 && (await listeners()) > 0; tries++);
        assert.equal(await listeners(), 0);
        close();
      });

      test('how the server may forget tasks is said once', async () => {
        const kept = await startRedis('always');
        const loose = await startRedis('everysec', '--maxmemory-policy', 'allkeys-lru');
        const said: string[] = [];
        for (const each of [kept, loose]) {
          const { store, send, close } = await open(each.port, (message) => said.push(message));
          for (let at = 0; at < 3; at++) await store.add(task(`t${at}`), 9);
          // What was asked before it is answered by then.
          await send('CONFIG', 'GET', 'maxmemory-policy');
          await send('CONFIG', 'SET', 'appendonly', 'no');
          close();
          if (each === kept) assert.deepEqual(said, []);
        }
        assert.equal(said.length, 2, said.join('\n'));
        assert.match(said[0] ?? '', /appendfsync everysec/);
        assert.match(said[1] ?? '', /maxmemory-policy allkeys-lru/);
        said.length = 0;
        const { store, send, close } = await open(loose.port, (message) => said.push(message));
        await store.add(task('again'), 9);
        await send('PING');
        await send('CONFIG', 'GET', 'maxmemory-policy');
        close();
        assert.match(said[0] ?? '', /appendonly no/);
        await Promise.all([kept.stop(), loose.stop()]);
      });
    });
  }

  describe('in a cluster', () => {
    let cluster: Engine | undefined;
    const opened: TaskStore[] = [];
    const closing: (() => void)[] = [];
    before(async () => {
      cluster = await startRedis('always', '--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1');
      const { port } = cluster;
      const admin = new Redis(port, '127.0.0.1');
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      for (let tries = 0; tries < 100_000; tries++)
        if (String(await admin.call('CLUSTER', 'INFO')).includes('cluster_state:ok')) break;
      admin.disconnect();
      const one = new Cluster([{ host: '127.0.0.1', port }]);
      const other = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] });
      for (const client of [one, other]) client.on('error', () => {});
      await other.connect();
      closing.push(
        () => one.disconnect(),
        () => other.destroy(),
      );
      opened.push(redisTasks(one), redisTasks(other));
    });
    after(async () => {
      for (const close of closing) close();
      await cluster?.stop();
    });
    for (const { title, run } of taskStoreContract(async () => {
      const [one, other] = opened;
      assert.ok(one !== undefined && other !== undefined);
      return { one, other, close: async () => {} };
    }))
      test(title, run);
  });

  test('what a client sends again, since its connection was lost with the reply, counts once', async (t) => {
    const { store, lose } = await losing(t, port());
    for (const first of [task('sent', { queue: 'lost', dueInMs: 0 }), task('other', { queue: 'lost' })]) {
      // The server knows each script, so that one command is one reply.
      await store.swap({ ...first, version: 99 });
      lose();
      assert.equal(await store.add(first, 1e6), 'added');
      assert.equal(await store.add(first, 1e6), 'known');
      lose();
      assert.equal(await store.swap({ ...first, version: 2, epoch: 1 }), true);
      assert.equal(await store.swap({ ...first, version: 2, epoch: 1 }), false);
    }
    assert.deepEqual([(await store.get('sent'))?.version, (await store.get('sent'))?.epoch], [2, 1]);
  });

  test('a change that was sent again after another came between did not happen', async (t) => {
    const { store } = await losing(t, port());
    const first = task('between', { queue: 'between', dueInMs: 0 });
    await store.add(first, 1e6);
    assert.equal(await store.swap({ ...first, version: 2 }), true);
    assert.equal((await store.claim('between', { node: 'n', forMs: 60_000, most: 1 })).length, 1);
    assert.equal(await store.swap({ ...first, version: 3 }), false);
  });

  test('a claim whose reply was lost spends no attempt, and is over with its lease', async (t) => {
    const { store, lose } = await losing(t, port());
    await store.claim('lease', { node: 'n', forMs: 1, most: 1 });
    const first = task('lease', { queue: 'lease', dueInMs: 0 });
    await store.add(first, 1e6);
    lose();
    assert.deepEqual(await store.claim('lease', { node: 'n', forMs: 1, most: 1 }).then((all) => all.length <= 1), true);
    for (let tries = 0; tries < 20_000 && Number((await store.get('lease'))?.dueInMs) > 0; tries++);
    const [again] = await store.claim('lease', { node: 'n', forMs: 1, most: 1 });
    assert.equal(again?.text, first.text);
  });

  test('nothing is left of what was swept', async () => {
    const own = await startRedis('always');
    const { store, send, close } = await opener('ioredis')(own.port);
    const brief = { expiresInMs: 1, dueInMs: 0 };
    for (let at = 0; at < 50; at++) await store.add(task(`t${at}`, { ...brief, owner: `o${at % 5}` }), 100);
    for (let at = 0; at < 5; at++) await store.add(task(`s${at}`, { ...brief, share: 'address a' }), 100);
    for (let tries = 0; tries < 20_000 && (await send('ZCARD', 'parley:{tasks}:ends')) !== 0; tries++)
      await store.sweep(7);
    assert.deepEqual(await send('KEYS', '*'), []);
    close();
    await own.stop();
  });

  test('where the settings cannot be read that is said', async () => {
    const admin = new Redis(port(), '127.0.0.1');
    await admin.call('ACL', 'SETUSER', 'limited', 'on', 'nopass', '~*', '&*', '+@all', '-config');
    const client = new Redis({ port: port(), host: '127.0.0.1', username: 'limited', password: 'any' });
    let warn = (_: string): void => {};
    const warned = new Promise<string>((resolve) => (warn = resolve));
    const store = redisTasks(client, { onWarning: (message) => warn(message) });
    assert.equal(await store.add(task('limited'), 1000), 'added');
    assert.match(await warned, /settings cannot be read/);
    admin.disconnect();
    client.disconnect();
  });

  test('an id that was given again is not swept with what had it before', async () => {
    const { store, send, close } = await opener('ioredis')(port());
    await store.add(task('twice', { owner: 'first', expiresInMs: 1 }), 9);
    for (let tries = 0; tries < 20_000 && (await store.get('twice')) !== undefined; tries++);
    assert.equal(await store.add(task('twice', { owner: 'second', dueInMs: 0 }), 9), 'added');
    for (let tries = 0; tries < 100 && (await store.sweep(100)) > 0; tries++);
    assert.equal(await send('ZCARD', 'parley:{tasks}:own:["q","first"]'), 0);
    assert.equal((await store.list({ queue: 'q', owner: 'second' }, undefined, 9)).length, 1);
    assert.equal((await store.claim('q', { node: 'n', forMs: 60_000, most: 9 })).length, 1);
    close();
  });
});

test('what is no client of Redis, and options that make no sense, are mistakes', () => {
  for (const wrong of [undefined, null, 5, {}, 'redis://'])
    assert.throws(() => redisTasks(wrong as never), { name: 'TypeError', message: /ioredis.*node-redis/ });
  const client = { call: async () => null } as never;
  assert.throws(() => redisTasks(client, { prefixes: 'a' } as never), { name: 'TypeError', message: /prefix/ });
  // A cluster looks into the first braces alone.
  for (const prefix of ['tasks', 'a{}b', 'a{}{b}', '{'])
    assert.throws(() => redisTasks(client, { prefix }), { name: 'TypeError', message: /braces/ });
  assert.throws(() => redisTasks(client, { onWarning: 'x' } as never), { name: 'TypeError', message: /onWarning/ });
});
