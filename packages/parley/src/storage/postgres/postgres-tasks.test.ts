import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Pool, type PoolConfig } from 'pg';
import { missing, startPostgres, type Engine } from '../../../../../test/support/engines.ts';
import type { StoredTask } from '../tasks.ts';
import { taskStoreContract } from '../../testing/task-store.ts';
import { postgresTasks } from './postgres-tasks.ts';
import type { PostgresResult } from './pool.ts';
import { postgresStatements, postgresTasksSchema } from './statements.ts';

function task(id: string, parts: Partial<StoredTask> = {}): StoredTask {
  return { id, queue: 'q', owner: '', version: 1, epoch: 0, open: true, text: '{}', ...parts };
}

describe('tasks in PostgreSQL', { skip: missing('postgres') }, () => {
  let engine: Engine | undefined;
  const opened = new Set<Pool>();
  const settings = (): PoolConfig => ({
    host: '127.0.0.1',
    port: engine?.port ?? 0,
    user: 'parley',
    database: 'postgres',
  });
  const pool = (more: PoolConfig = {}): Pool => {
    const made = new Pool({ ...settings(), max: 8, ...more });
    made.on('error', () => {});
    opened.add(made);
    return made;
  };
  before(async () => {
    engine = await startPostgres();
  });
  after(async () => {
    await Promise.all([...opened].map((one) => one.end()));
    await engine?.stop();
  });

  test('processes that start at once make the table once', async () => {
    const added = await Promise.all(
      Array.from({ length: 6 }, (_, at) => postgresTasks(pool()).add(task(`first ${at}`), 9)),
    );
    assert.deepEqual(new Set(added), new Set(['added']));
  });

  let pools: { readonly one: Pool; readonly other: Pool } | undefined;
  for (const { title, run } of taskStoreContract(async () => {
    pools ??= { one: pool(), other: pool() };
    return { one: postgresTasks(pools.one), other: postgresTasks(pools.other), close: async () => {} };
  }))
    test(title, run);

  test('owners of any length are told apart, whom no index takes as they are', async () => {
    const store = postgresTasks(pool());
    // What repeats itself would be compressed.
    const long = Array.from({ length: 200 }, () => crypto.randomUUID()).join('');
    const [ann, bob] = [`${long}ann`, `${long}bob`];
    for (const [at, owner] of [ann, ann, bob].entries())
      assert.equal(await store.add(task(`long ${at}`, { owner, queue: 'long' }), 2), 'added');
    assert.equal(await store.add(task('long 3', { owner: ann, queue: 'long' }), 2), 'full');
    const listed = async (owner: string): Promise<unknown> =>
      (await store.list({ queue: 'long', owner }, undefined, 9)).map((one) => [one.id, one.owner === owner]);
    assert.deepEqual(await listed(ann), [
      ['long 0', true],
      ['long 1', true],
    ]);
    assert.deepEqual(await listed(bob), [['long 2', true]]);
  });

  test('an owner whose name is what stands for another one has tasks and a limit of his own', async () => {
    const store = postgresTasks(pool());
    const long = 'x'.repeat(501);
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(long));
    const short = `sha256:${Buffer.from(hash).toString('hex')}`;
    const queue = 'hashed';
    assert.equal(await store.add(task('long-one', { owner: long, queue }), 1), 'added');
    assert.equal(await store.add(task('short-one', { owner: short, queue }), 1), 'added');
    for (const [owner, id] of [
      [long, 'long-one'],
      [short, 'short-one'],
    ] as const)
      assert.deepEqual(
        (await store.list({ queue, owner }, undefined, 9)).map((one) => [one.id, one.owner]),
        [[id, owner]],
      );
  });

  test('where the tables are made otherwise nothing is made here', async () => {
    const plain = pool();
    await plain.query('create schema elsewhere');
    const other = pool({ options: '-c search_path=elsewhere' });
    const store = postgresTasks(other, { migrate: false });
    await assert.rejects(store.get('a'), /parley_tasks/);
    await other.query(postgresTasksSchema);
    assert.equal(await store.add(task('a'), 1), 'added');
    assert.equal((await plain.query('select count(*)::int as tasks from elsewhere.parley_tasks')).rows[0].tasks, 1);
  });

  test('far from its limit an owner adds without waiting for others, and near it one after the other', async () => {
    const texts: string[] = [];
    const plain = pool();
    const store = postgresTasks({
      query: (text: string, values?: unknown[]) => plain.query(text, values),
      connect: () => (texts.push('connect'), plain.connect()),
    });
    for (let at = 0; at < 6; at++) assert.equal(await store.add(task(`far ${at}`, { owner: 'far' }), 70), 'added');
    assert.deepEqual(texts, []);
    assert.equal(await store.add(task('far 6', { owner: 'far' }), 70), 'added');
    assert.deepEqual(texts, ['connect']);
  });

  test('a process that starts waits for nobody who stands still in the middle of a transaction', async () => {
    const still = await pool().connect();
    await still.query('begin');
    await still.query(postgresStatements.add, ['still', 'q', 'still', 1, 0, true, null, null, '', null, 9, 0]);
    assert.equal(await postgresTasks(pool()).add(task('beside'), 1000), 'added');
    await still.query('rollback');
    still.release();
  });

  test('who stands still in the middle of an add near the limit is not waited for without end', async () => {
    const stands: (() => void)[] = [];
    const first = pool();
    const still = postgresTasks({
      query: (text: string, values?: unknown[]) => first.query(text, values),
      connect: async () => {
        const client = await first.connect();
        const query = async (text: string, values?: unknown[]): Promise<PostgresResult> => {
          if (text === postgresStatements.add) await new Promise<void>((resolve) => stands.push(resolve));
          return await client.query(text, values);
        };
        return {
          query,
          release: (destroy) => client.release(destroy),
          on: (event, hear) => client.on(event as 'error', hear as never),
          removeListener: (event, hear) => client.removeListener(event, hear as never),
        };
      },
    });
    const late = still.add(task('stands still', { owner: 'near' }), 3);
    while (stands.length === 0) await first.query('select 1');
    assert.equal(await postgresTasks(pool()).add(task('goes on', { owner: 'near' }), 3), 'added');
    for (const goOn of stands) goOn();
    await assert.rejects(late);
  });

  test('the store says of a database that is away that it is, and goes on when it is back', async () => {
    let isAway = true;
    const plain = pool();
    const store = postgresTasks({
      query: async (text: string, values?: unknown[]) => {
        if (isAway) throw new Error('away');
        return await plain.query(text, values);
      },
      connect: () => plain.connect(),
    });
    await assert.rejects(store.get('x'), /away/);
    isAway = false;
    assert.equal(await store.get('x'), undefined);
  });

  test('the bus keeps equal texts and their order, and refuses what no notification holds', async () => {
    const [one, other] = [postgresTasks(pool()), postgresTasks(pool())];
    const texts = [...Array.from({ length: 50 }, (_, at) => String(at % 3)), 'x'.repeat(4000), '7 3 abc', ''];
    const heard: string[] = [];
    let all = (): void => {};
    const done = new Promise<void>((resolve) => (all = resolve));
    const stop = await other.bus?.subscribe('a 1 b', (text) => {
      if (heard.push(text) === texts.length) all();
    });
    await Promise.all(texts.map(async (text) => one.bus?.publish('a 1 b', text)));
    await done;
    assert.deepEqual(heard, texts);
    await assert.rejects(async () => one.bus?.publish('a', 'x'.repeat(8000)), /7900 bytes/);
    await assert.rejects(async () => one.bus?.publish('a', '\0'), /U\+0000/);
    await stop?.();
  });

  test('a subscription outlives its connection', async () => {
    const [quiet, loud] = [pool(), pool()];
    const [one, other] = [postgresTasks(loud), postgresTasks(quiet)];
    let heard = (_: string): void => {};
    const listeners = `from pg_stat_activity where query = 'listen parley_tasks' and pid <> pg_backend_pid()`;
    const gone = async (): Promise<boolean> => {
      for (let tries = 0; tries < 20_000; tries++)
        if ((await loud.query(`select 1 ${listeners}`)).rowCount === 0) return true;
      return false;
    };
    assert.ok(await gone(), 'a connection listens that another test is done with');
    const stop = await other.bus?.subscribe('a', (text) => heard(text));
    const first = await loud.query(`select pid, pg_terminate_backend(pid) ${listeners}`);
    assert.equal(first.rowCount, 1);
    const told = new Promise<string>((resolve) => (heard = resolve));
    let isHeard = false;
    void told.then(() => (isHeard = true));
    for (let tries = 0; tries < 20_000 && !isHeard; tries++) await one.bus?.publish('a', 'again');
    assert.equal(await told, 'again');
    await stop?.();
    assert.ok(await gone(), 'a connection listens, and nobody subscribes');
  });
});

test('what is no pool of PostgreSQL, and unknown options, are mistakes', () => {
  assert.throws(() => postgresTasks({} as never), { name: 'TypeError', message: /pool of pg/ });
  assert.throws(() => postgresTasks(undefined as never), { name: 'TypeError', message: /pool of pg/ });
  assert.throws(() => postgresTasks(new Pool(), { migrated: true } as never), {
    name: 'TypeError',
    message: /migrate/,
  });
});
