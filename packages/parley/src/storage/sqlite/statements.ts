import { whileBusy } from './busy.ts';
import { rollBack } from './commits.ts';
import { numberOf, type SqliteHandle } from './handle.ts';

/** Milliseconds since 1970 by the clock of the machine, as SQLite reads it, once in a statement. */
const now = "cast((julianday('now') - 2440587.5) * 86400000 as integer)";

/** Condition that a task has not expired. */
const live = `(expires is null or expires > ${now})`;

const taskColumns = `id, queue, owner, version, epoch, open, text, max(0, due - ${now}) as due_in, expires - ${now} as expires_in`;

const schema = `
create table if not exists parley_tasks (
  id text primary key not null,
  queue text not null,
  owner text not null,
  share text,
  version integer not null,
  epoch integer not null,
  open integer not null,
  due integer,
  expires integer,
  node text,
  text text not null
);
create index if not exists parley_tasks_due on parley_tasks (queue, epoch = 0, due) where open = 1 and due is not null;
create index if not exists parley_tasks_owner on parley_tasks (queue, owner, id);
create index if not exists parley_tasks_open on parley_tasks (queue, owner, share, expires) where open = 1;
create index if not exists parley_tasks_expires on parley_tasks (expires) where expires is not null;
`;

/**
 * Due tasks, either those that were never claimed or the others. Each kind is a range of the index, so that running
 * leases are not scanned.
 */
function dueUpTo(fresh: 0 | 1): string {
  return `select id, due, ${fresh} as fresh from parley_tasks
    where queue = ? and (epoch = 0) = ${fresh} and open = 1 and due is not null and due <= ${now} and ${live} order by due limit ?`;
}

/** Names of the statements of the store. */
export type StatementName =
  | 'isThere'
  | 'countOpen'
  | 'countShare'
  | 'add'
  | 'get'
  | 'swap'
  | 'claim'
  | 'renew'
  | 'list'
  | 'sweep';

/** Statements of the store; each is prepared once. */
export const sqliteStatements: Readonly<Record<StatementName, string>> = {
  isThere: `select count(*) from parley_tasks where id = ? and ${live}`,
  countOpen: `select count(*) from (select 1 from parley_tasks where queue = ? and owner = ? and open = 1 and ${live} limit ?)`,
  countShare: `select count(*) from (select 1 from parley_tasks where queue = ? and owner = ? and share = ? and open = 1 and ${live} limit ?)`,
  add: `insert or replace into parley_tasks (id, queue, owner, share, version, epoch, open, due, expires, text)
    values (?, ?, ?, ?, ?, ?, ?, ${now} + ?, ${now} + ?, ?)`,
  get: `select ${taskColumns} from parley_tasks where id = ? and ${live}`,
  swap: `update parley_tasks set version = ?, epoch = ?, open = ?, due = case ? when 1 then due else ${now} + ? end,
    expires = coalesce(${now} + ?, expires), text = ? where id = ? and version = ? and ${live}`,
  claim: `update parley_tasks set version = version + 1, epoch = epoch + 1, due = ${now} + ?, node = ? where id in
    (select id from (select * from (${dueUpTo(0)}) union all select * from (${dueUpTo(1)})) order by fresh, due limit ?)
    returning ${taskColumns}`,
  renew: `update parley_tasks set due = ${now} + ? where id = ? and epoch = ? and open = 1 and due is not null and ${live}`,
  list: `select ${taskColumns} from parley_tasks where queue = ? and owner = ? and id > ? and ${live} order by id limit ?`,
  sweep: `delete from parley_tasks where id in (select id from parley_tasks where expires <= ${now} limit ?)`,
};

/** Time that SQLite itself waits for another process, while the event loop stands still: a commit of that process takes no longer as a rule. */
const standstillMs = 5;

/**
 * Makes the table if it does not exist, and makes commits durable. A database that has the table is not written, so
 * this waits for no other process.
 *
 * @returns Time to wait for other processes, in milliseconds.
 */
export function prepareDatabase(handle: SqliteHandle): number {
  if (numberOf(handle.prepare('pragma busy_timeout').get()) === 0) handle.exec('pragma busy_timeout = 2000');
  const waitsMs = numberOf(handle.prepare('pragma busy_timeout').get());
  whileBusy(waitsMs, () => handle.exec('pragma journal_mode = wal; pragma synchronous = full;'));
  // It is made last, and together with the others.
  const last = "select count(*) from sqlite_master where name = 'parley_tasks_expires'";
  const isMade = (): boolean => numberOf(handle.prepare(last).get()) > 0;
  if (!whileBusy(waitsMs, isMade)) whileBusy(waitsMs, () => makeTable(handle));
  handle.exec(`pragma busy_timeout = ${standstillMs}`);
  return waitsMs;
}

function makeTable(handle: SqliteHandle): void {
  handle.exec('begin immediate');
  try {
    handle.exec(`${schema} commit;`);
  } catch (error) {
    rollBack(handle);
    throw error;
  }
}
