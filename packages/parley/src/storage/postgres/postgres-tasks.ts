import { refuseUnknown, type Names } from '../../options/known-names.ts';
import { refuseOther } from '../../options/known-values.ts';
import type { StoredTask, TaskClaim, TaskLease, TaskOwner, TaskStore } from '../tasks.ts';
import { wholeMs, wholeMsOrNull } from '../task-times.ts';
import { withClient, type PostgresPool, type PostgresResult } from './pool.ts';
import { PostgresBus } from './postgres-bus.ts';
import { postgresStatements, postgresTasksSchema } from './statements.ts';

/** Options of a store of tasks in PostgreSQL. */
export interface PostgresTasksOptions {
  /** Makes the table and its indexes at the first use, where they are not there; true. They are `postgresTasksSchema`. */
  readonly migrate?: boolean;
}

const optionNames: Names<PostgresTasksOptions> = { migrate: 1 };

/**
 * Stores tasks in the table `parley_tasks` of PostgreSQL 12 or later. A resolved change is as durable as a commit of
 * the database, which by default is on the disk.
 *
 * The owner of the pool closes it. One of its connections listens while the bus has a subscriber, and an owner close to
 * a limit takes one for a moment. A pooler in between must provide whole transactions and, for the bus, whole sessions.
 *
 * @param pool A pool of `pg`, which should have at least three connections, and a listener of `error`, as every such
 *   pool.
 * @throws TypeError for a value that is not a pool, and for unknown or invalid options.
 */
export function postgresTasks(pool: PostgresPool, options: PostgresTasksOptions = {}): TaskStore {
  refuseUnknown('postgresTasks', options, optionNames);
  const { migrate = true } = options;
  refuseOther('boolean', 'migrate', migrate);
  if (typeof pool?.query !== 'function' || typeof pool.connect !== 'function')
    throw new TypeError('postgresTasks needs a pool of pg, new Pool({ … })');
  return new PostgresTaskStore(pool, migrate);
}

/**
 * Number of open tasks below a limit from which on tasks are added one after the other. Concurrent additions do not see
 * each other. While the limit is further away than the number of concurrent additions, none of them can exceed it.
 */
const near = 64;

/**
 * The longest owner that is stored unchanged: an index takes rows of some 2,700 bytes, and a character takes up to four
 * of them.
 */
const maxOwnerLength = 500;

/** Prefix of a hashed owner. */
const hashed = 'sha256:';

/** The stored form of an owner: its hash, if it is too long for an index or looks like a hash. */
async function indexed(owner: string): Promise<string> {
  if (owner.length <= maxOwnerLength && !owner.startsWith(hashed)) return owner;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(owner));
  return `${hashed}${Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

class PostgresTaskStore implements TaskStore {
  readonly bus: PostgresBus;
  readonly #pool: PostgresPool;
  #ready: Promise<unknown> | undefined;

  constructor(pool: PostgresPool, migrate: boolean) {
    this.#pool = pool;
    this.bus = new PostgresBus(pool);
    if (!migrate) this.#ready = Promise.resolve();
  }

  async add(task: StoredTask, most: number): Promise<'added' | 'known' | 'full' | 'no-room'> {
    const { id, queue, version, epoch, open, text } = task;
    const owner = await indexed(task.owner);
    const share = task.share === undefined ? null : await indexed(task.share);
    const times = [wholeMsOrNull(task.dueInMs), wholeMsOrNull(task.expiresInMs)];
    const values = [id, queue, owner, version, epoch, open, ...times, text, share];
    if (!open || most > near) {
      const { rowCount } = await this.#query(postgresStatements.add, [...values, most - near, near]);
      if (rowCount === 1) return 'added';
    }
    await this.#migrated();
    return await withClient(this.#pool, async (client) => {
      await client.query(postgresStatements.begin);
      await client.query(postgresStatements.lockOwner, [JSON.stringify([queue, owner])]);
      const added = await client.query(postgresStatements.add, [...values, most, 0]);
      const known = added.rowCount === 1 ? added : await client.query(postgresStatements.isThere, [id]);
      await client.query('commit');
      if (added.rowCount === 1) return 'added';
      if (known.rowCount === 1) return 'known';
      return share === null ? 'full' : 'no-room';
    });
  }

  async get(id: string): Promise<StoredTask | undefined> {
    const { rows } = await this.#query(postgresStatements.get, [id]);
    return rows.length === 0 ? undefined : taskOf(rows[0]);
  }

  async swap(task: StoredTask): Promise<boolean> {
    const { id, version, epoch, open, dueInMs, text } = task;
    const times = [dueInMs === 'keep', wholeMsOrNull(dueInMs), wholeMsOrNull(task.expiresInMs)];
    const { rowCount } = await this.#query(postgresStatements.swap, [id, version, epoch, open, ...times, text]);
    return rowCount === 1;
  }

  async claim(queue: string, { node, forMs, most }: TaskClaim): Promise<readonly StoredTask[]> {
    const { rows } = await this.#query(postgresStatements.claim, [queue, wholeMs(forMs), node, most]);
    return rows.map(taskOf);
  }

  async renew(leases: readonly TaskLease[], forMs: number): Promise<readonly string[]> {
    const ids = leases.map(({ id }) => id);
    if (ids.length === 0) return [];
    const { rows } = await this.#query(postgresStatements.renew, [
      ids,
      leases.map(({ epoch }) => epoch),
      wholeMs(forMs),
    ]);
    // The statement gives ids.
    const renewed = new Set(rows.map((row) => (row as { readonly id: string }).id));
    return ids.filter((id) => !renewed.has(id));
  }

  async list({ queue, owner }: TaskOwner, after: string | undefined, most: number): Promise<readonly StoredTask[]> {
    const values = [queue, await indexed(owner), after ?? '', most];
    const { rows } = await this.#query(postgresStatements.list, values);
    return rows.map((row) => ({ ...taskOf(row), owner }));
  }

  async sweep(most: number): Promise<number> {
    return (await this.#query(postgresStatements.sweep, [most])).rowCount ?? 0;
  }

  async #query(text: string, values: unknown[]): Promise<PostgresResult> {
    await this.#migrated();
    return await this.#pool.query(text, values);
  }

  /** Makes the table, once. If that fails, the next caller tries again. */
  async #migrated(): Promise<void> {
    this.#ready ??= this.#make().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    await this.#ready;
  }

  async #make(): Promise<void> {
    const { rowCount } = await this.#pool.query(postgresStatements.isMade);
    if (rowCount === 0) await this.#pool.query(postgresTasksSchema);
  }
}

/** Row that a statement gives. */
interface TaskRow extends Omit<StoredTask, 'dueInMs' | 'expiresInMs'> {
  readonly due_in: number;
  readonly never_due: boolean;
  readonly expires_in: number | null;
}

function taskOf(row: unknown): StoredTask {
  // The statements fix the columns, and the table their types.
  const { due_in, never_due, expires_in, ...task } = row as TaskRow;
  return {
    ...task,
    ...(never_due ? {} : { dueInMs: due_in }),
    ...(expires_in === null ? {} : { expiresInMs: expires_in }),
  };
}
