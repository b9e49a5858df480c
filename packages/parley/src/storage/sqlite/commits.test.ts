import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { retried, type BusyPatience } from './busy.ts';
import { Commits } from './commits.ts';
import { sqliteTasks } from './sqlite-tasks.ts';

interface Locked {
  readonly writer: DatabaseSync;
  readonly handle: DatabaseSync;
  readonly patience: BusyPatience;
  readonly pauses: (() => void)[];
  clock: number;
}

/** A database that another connection has locked, and a clock that stands still. */
function locked(t: TestContext): Locked {
  const folder = mkdtempSync(join(tmpdir(), 'parley-sqlite-'));
  const file = join(folder, 'tasks.db');
  const [writer, handle] = [new DatabaseSync(file), new DatabaseSync(file)];
  t.after(() => {
    for (const each of [writer, handle]) each.close();
    rmSync(folder, { recursive: true, force: true });
  });
  writer.exec('pragma journal_mode = wal; create table changes (name text); begin immediate');
  const pauses: (() => void)[] = [];
  const patience = { forMs: 2_000, now: () => here.clock, later: (run: () => void) => void pauses.push(run) };
  const here: Locked = { writer, handle, pauses, clock: 0, patience };
  return here;
}

test('a change waits for another process without holding up the event loop', async (t) => {
  const { writer, handle, patience, pauses } = locked(t);
  const commits = new Commits(handle, patience);
  const change = commits.add(() => handle.exec("insert into changes values ('a')"));
  await setImmediate();
  assert.equal(pauses.length, 1);
  pauses.shift()?.();
  assert.equal(pauses.length, 1);
  writer.exec('commit');
  pauses.shift()?.();
  await change;
  assert.equal(handle.prepare('select count(*) as n from changes').get()?.['n'], 1);
  assert.equal(pauses.length, 0);
});

test('a change is rejected once it has waited for its time, and a later one goes on', async (t) => {
  const here = locked(t);
  const { writer, handle, patience, pauses } = here;
  const commits = new Commits(handle, patience);
  const first = commits.add(() => 'first');
  await setImmediate();
  here.clock = 1_999;
  const second = commits.add(() => 'second');
  pauses.shift()?.();
  here.clock = 2_000;
  pauses.shift()?.();
  await assert.rejects(first, /locked/);
  writer.exec('commit');
  pauses.shift()?.();
  assert.equal(await second, 'second');
});

test('changes that wait are committed when the store closes', async (t) => {
  const { writer, handle, patience, pauses } = locked(t);
  const commits = new Commits(handle, patience);
  const change = commits.add(() => 'kept');
  await setImmediate();
  writer.exec('commit');
  commits.finish();
  assert.equal(await change, 'kept');
  pauses.shift()?.();
});

test('a read tries again while a database is busy, and other errors reject at once', async () => {
  let tries = 0;
  const patience: BusyPatience = { forMs: 10, now: () => 0, later: (run) => run() };
  const busy = (): string => {
    if (++tries < 3) throw Object.assign(new Error('locked'), { errcode: 5 });
    return 'read';
  };
  assert.equal(await retried(busy, patience), 'read');
  const broken = (): never => {
    tries++;
    throw new Error('no disk');
  };
  await assert.rejects(retried(broken, patience), /no disk/);
  assert.equal(tries, 4);
});

test('SQLite itself waits 5 ms while a store has the handle, and as before after it', (t) => {
  const handle = new DatabaseSync(':memory:', { timeout: 300 });
  t.after(() => handle.close());
  const waits = (): unknown => handle.prepare('pragma busy_timeout').get()?.['timeout'];
  const store = sqliteTasks(handle);
  assert.equal(waits(), 5);
  store.close();
  assert.equal(waits(), 300);
});
