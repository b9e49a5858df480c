/** Time of the server, once in a statement. */
const now = 'statement_timestamp()';

/** Condition that a task has not expired. */
const live = `(expires is null or expires > ${now})`;

const columns = `id, queue, owner, version, epoch, open, text,
  greatest(0, extract(epoch from due - ${now}) * 1000)::float8 as due_in, due is null as never_due,
  (extract(epoch from expires - ${now}) * 1000)::float8 as expires_in`;

/** SQL for a time that many milliseconds from now; a null parameter means never. */
function inMs(parameter: string): string {
  return `${now} + ${parameter}::float8 * interval '1 millisecond'`;
}

/**
 * The table and indexes that the store makes, for who makes them otherwise (`migrate: false`). Running it again changes nothing; it is several
 * statements without parameters.
 */
export const postgresTasksSchema: string = `
select pg_advisory_xact_lock(hashtextextended('parley_tasks', 0));
create table if not exists parley_tasks (
  id text collate "C" primary key,
  queue text not null,
  owner text not null,
  share text,
  version integer not null,
  epoch integer not null,
  open boolean not null,
  due timestamptz,
  expires timestamptz,
  node text,
  text text not null
);
create index if not exists parley_tasks_due on parley_tasks (queue, (epoch = 0), due) where open and due is not null;
create index if not exists parley_tasks_owner on parley_tasks (queue, owner, id);
create index if not exists parley_tasks_open on parley_tasks (queue, owner, share) where open;
create index if not exists parley_tasks_expires on parley_tasks (expires) where expires is not null;
`;

const insert = `insert into parley_tasks as kept (id, queue, owner, version, epoch, open, due, expires, text, share)
  select $1, $2, $3, $4::int, $5::int, $6::boolean, ${inMs('$7')}, ${inMs('$8')}, $9, $10`;

/** Number of open tasks of an owner, or of a share of it, of which no more are counted than matter. */
function openUpTo(most: string, of = ''): string {
  return `(select count(*) from (
    select 1 from parley_tasks where queue = $2 and owner = $3 ${of} and open and ${live} limit ${most}) as counted)`;
}

/** Condition that there is room: of all open tasks of an owner, a share has no more than it leaves free. */
const hasRoom = `(select counted.open < $11::bigint and ($10::text is null
    or ${openUpTo('$11::bigint', 'and share = $10::text')} + $12::bigint < greatest(1, $11::bigint - counted.open))
  from (select ${openUpTo('$11::bigint')} as open) as counted)`;

/** An expired task is replaced. A live one stays. */
const overExpired = `on conflict (id) do update set queue = excluded.queue, owner = excluded.owner, share = excluded.share, version = excluded.version,
    epoch = excluded.epoch, open = excluded.open, due = excluded.due, expires = excluded.expires, node = null, text = excluded.text
  where kept.expires <= ${now}`;

/** Names of the statements of the store. */
type PostgresStatementName =
  | 'isMade'
  | 'begin'
  | 'add'
  | 'isThere'
  | 'lockOwner'
  | 'get'
  | 'swap'
  | 'claim'
  | 'renew'
  | 'list'
  | 'sweep';

/** Statements of the store. */
export const postgresStatements: Readonly<Record<PostgresStatementName, string>> = {
  // The index is made last, in the same transaction. Making an existing one would wait for every writing transaction.
  isMade: `select 1 where to_regclass('parley_tasks_expires') is not null`,
  // A process that stands still within a transaction blocks others for at most this time.
  begin: `begin isolation level read committed; set local idle_in_transaction_session_timeout = 2000; set local lock_timeout = 5000`,
  add: `${insert} where not $6::boolean or ${hasRoom} ${overExpired}`,
  isThere: `select 1 from parley_tasks where id = $1 and ${live}`,
  lockOwner: `select pg_advisory_xact_lock(hashtextextended($1, 1))`,
  get: `select ${columns} from parley_tasks where id = $1 and ${live}`,
  swap: `update parley_tasks set version = $2::int, epoch = $3, open = $4, text = $8,
      due = case when $5::boolean then due else ${inMs('$6')} end, expires = coalesce(${inMs('$7')}, expires)
    where id = $1 and version = $2::int - 1 and ${live}`,
  claim: `update parley_tasks set version = version + 1, epoch = epoch + 1, due = ${inMs('$2')}, node = $3
    where id = any(array(
      select id from (values (false), (true)) as kind (fresh), lateral (
        select id, due from parley_tasks
        where queue = $1 and (epoch = 0) = fresh and open and due is not null and due <= ${now} and ${live}
        order by due limit $4 for update skip locked) as found
      order by fresh, due limit $4))
    returning ${columns}`,
  renew: `update parley_tasks as kept set due = ${inMs('$3')}
    from unnest($1::text[], $2::int[]) as lease (id, epoch)
    where kept.id = lease.id and kept.epoch = lease.epoch and open and due is not null and ${live}
    returning kept.id`,
  list: `select ${columns} from parley_tasks where queue = $1 and owner = $2 and id > $3 and ${live} order by id limit $4`,
  sweep: `delete from parley_tasks where id = any(array(
      select id from parley_tasks where expires <= ${now} limit $1 for update skip locked))`,
};
