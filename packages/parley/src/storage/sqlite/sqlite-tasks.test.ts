import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { taskStoreContract } from '../../testing/task-store.ts';
import type { StoredTask } from '../tasks.ts';
import { sqliteTasks } from './sqlite-tasks.ts';
import { sqliteStatements } from './statements.ts';

function fileFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-sqlite-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'tasks.db');
}

function task(id: string, parts: Partial<StoredTask> = {}): StoredTask {
  return { id, queue: 'q', owner: '', version: 1, epoch: 0, open: true, text: '{}', ...parts };
}

for (const { title, run } of taskStoreContract(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-sqlite-'));
  const [one, other] = [sqliteTasks(join(folder, 'tasks.db')), sqliteTasks(join(folder, 'tasks.db'))];
  const close = async (): Promise<void> => {
    one.close();
    other.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { one, other, close };
}))
  test(`tasks in SQLite: ${title}`, run);

test('what resolved is there when the file is opened again', async (t) => {
  const file = fileFor(t);
  const store = sqliteTasks(file);
  assert.equal(await store.add(task('a'), 1), 'added');
  const begun = store.swap(task('a', { version: 2 }));
  store.close();
  store.close();
  assert.equal(await begun, true);
  const again = sqliteTasks(file);
  assert.equal((await again.get('a'))?.version, 2);
  again.close();
});

test('a handle is used as it is, made durable, and left open', async (t) => {
  const handle = new DatabaseSync(fileFor(t));
  const store = sqliteTasks(handle);
  assert.deepEqual({ ...handle.prepare('pragma journal_mode').get() }, { journal_mode: 'wal' });
  assert.deepEqual({ ...handle.prepare('pragma synchronous').get() }, { synchronous: 2 });
  assert.equal(await store.add(task('a'), 1), 'added');
  store.close();
  assert.equal(handle.prepare('select count(*) as tasks from parley_tasks').get()?.['tasks'], 1);
  handle.close();
});

for (const [what, parts] of [
  ['node:sqlite', { errcode: 5 }],
  ['node:sqlite, while a log is recovered', { errcode: 261 }],
  ['better-sqlite3', { code: 'SQLITE_BUSY_RECOVERY' }],
] as const)
  test(`a file that another process is just making a log of is waited for, with ${what}`, async (t) => {
    const handle = new DatabaseSync(fileFor(t));
    t.after(() => handle.close());
    let busy = 3;
    const exec = (sql: string): void => {
      if (sql.includes('journal_mode') && busy-- > 0) throw Object.assign(new Error('database is locked'), parts);
      handle.exec(sql);
    };
    const store = sqliteTasks({ exec, prepare: (sql) => handle.prepare(sql), close: () => undefined });
    assert.equal(await store.add(task('a'), 1), 'added');
  });

test('a file that stays locked, and one that cannot be written, are not waited for without end', (t) => {
  const handle = new DatabaseSync(fileFor(t));
  t.after(() => handle.close());
  handle.exec('pragma busy_timeout = 20');
  for (const errcode of [5, 8]) {
    const exec = (): never => {
      throw Object.assign(new Error('not now'), { errcode });
    };
    assert.throws(
      () => sqliteTasks({ exec, prepare: (sql) => handle.prepare(sql), close: () => undefined }),
      /not now/,
    );
  }
});

test('a claim walks through no leases that last', (t) => {
  const file = fileFor(t);
  sqliteTasks(file).close();
  const handle = new DatabaseSync(file);
  const plan = handle.prepare(`explain query plan ${sqliteStatements.claim}`).all(1, 'n', 'q', 1, 'q', 1, 1);
  const searches = plan.map(({ detail }) => String(detail)).filter((detail) => detail.includes('parley_tasks_due'));
  assert.deepEqual(
    searches.map((detail) => /queue=\? AND <expr>=\? AND .*due<\?/.test(detail)),
    [true, true],
    searches.join('\n'),
  );
  handle.close();
});

test('a file that has the table is opened while another process writes to it', async (t) => {
  const file = fileFor(t);
  sqliteTasks(file).close();
  const writer = new DatabaseSync(file);
  writer.exec('begin immediate');
  const handle = new DatabaseSync(file, { timeout: 1 });
  const store = sqliteTasks(handle);
  assert.equal(await store.get('nobody'), undefined);
  await assert.rejects(store.add(task('a'), 1), /locked/);
  writer.exec('commit');
  assert.equal(await store.add(task('a'), 1), 'added');
  for (const each of [writer, handle]) each.close();
});

test('a change waits for another process that writes, and the event loop goes on', async (t) => {
  const file = fileFor(t);
  const store = sqliteTasks(file);
  t.after(() => store.close());
  // It answers each message, and lets go of the database at the one that says so.
  const script = `
    const { DatabaseSync } = require('node:sqlite');
    const writer = new DatabaseSync(process.argv[1]);
    writer.exec('begin immediate');
    process.on('message', (message) => {
      if (message === 'commit') writer.exec('commit');
      process.send(message, () => message === 'commit' && process.disconnect());
    });
    process.send('locked');`;
  const other = spawn(process.execPath, ['-e', script, file], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  t.after(() => other.kill());
  const said = async (message: string): Promise<unknown> => {
    const answer = once(other, 'message');
    if (message !== 'locked') other.send(message);
    return (await answer)[0];
  };
  assert.equal(await said('locked'), 'locked');
  let added: string | undefined;
  const adding = store.add(task('a'), 5).then((outcome) => (added = outcome));
  const reading = store.get('a');
  for (let turn = 0; turn < 5; turn++) assert.equal(await said(`turn ${turn}`), `turn ${turn}`);
  assert.equal(added, undefined);
  assert.equal(await reading, undefined);
  await said('commit');
  assert.equal(await adding, 'added');
  assert.equal((await store.get('a'))?.id, 'a');
});

test('the changes of one turn are one commit', async (t) => {
  const handle = new DatabaseSync(fileFor(t));
  const commits: string[] = [];
  const store = sqliteTasks({
    exec: (sql) => (commits.push(sql), handle.exec(sql)),
    prepare: (sql) => handle.prepare(sql),
    close: () => handle.close(),
  });
  commits.length = 0;
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, at) => store.add(task(`t${at}`), 30)));
  assert.equal(outcomes.filter((outcome) => outcome === 'added').length, 30);
  assert.deepEqual(commits, ['begin immediate', 'commit']);
  handle.close();
});

test('a change that fails undoes no other of its turn, and a commit that fails rejects all', async (t) => {
  const handle = new DatabaseSync(fileFor(t));
  let fails = false;
  const store = sqliteTasks({
    exec(sql) {
      if (fails && sql === 'commit') throw new Error('no disk');
      handle.exec(sql);
    },
    prepare: (sql) => handle.prepare(sql),
    close: () => handle.close(),
  });
  const wrong = { ...task('b'), text: null as never };
  const [good, bad] = await Promise.allSettled([store.add(task('a'), 5), store.add(wrong, 5)]);
  assert.equal(good.status, 'fulfilled');
  assert.equal(bad.status, 'rejected');
  assert.equal((await store.get('a'))?.id, 'a');
  fails = true;
  const both = await Promise.allSettled([store.add(task('c'), 5), store.swap(task('a', { version: 2 }))]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  fails = false;
  assert.equal(await store.get('c'), undefined);
  assert.equal((await store.get('a'))?.version, 1);
  assert.equal(await store.add(task('c'), 5), 'added');
  handle.close();
});

test('a claim and a count look at no more rows than they need', (t) => {
  const handle = new DatabaseSync(fileFor(t));
  sqliteTasks(handle);
  const plan = (sql: string): string => JSON.stringify(handle.prepare(`explain query plan ${sql}`).all());
  const due = `select id from parley_tasks where queue = 'q' and open = 1 and due is not null and due <= 5 order by epoch = 0, due`;
  assert.match(plan(due), /parley_tasks_due/);
  assert.doesNotMatch(plan(due), /TEMP B-TREE/);
  assert.match(
    plan(`select 1 from parley_tasks where queue = 'q' and owner = '' and share = 'a' and open = 1`),
    /parley_tasks_open/,
  );
  assert.match(plan(`select id from parley_tasks where expires <= 5`), /parley_tasks_expires/);
  handle.close();
});

test('a runtime without node:sqlite is told what to hand over', (t) => {
  t.mock.method(process, 'getBuiltinModule', () => undefined);
  assert.throws(
    () => sqliteTasks('tasks.db'),
    /no node:sqlite.*22\.13.*better-sqlite3.*sqliteTasks\(new Database\(path\)\)/,
  );
});

test('what is no database is a mistake', () => {
  for (const wrong of [undefined, 5, {}, null])
    assert.throws(() => sqliteTasks(wrong as never), { name: 'TypeError', message: /path of a file, or a handle/ });
});
