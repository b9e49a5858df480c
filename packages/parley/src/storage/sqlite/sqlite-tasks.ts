import type { StoredTask, TaskClaim, TaskLease, TaskOwner, TaskStore } from '../tasks.ts';
import { wholeMs, wholeMsOrNull } from '../task-times.ts';
import { patience, retried, type BusyPatience } from './busy.ts';
import { Commits } from './commits.ts';
import { numberOf, openDatabase, type SqliteHandle, type SqliteStatement } from './handle.ts';
import { prepareDatabase, sqliteStatements, type StatementName } from './statements.ts';

/** Tasks in a database of SQLite. */
export interface SqliteTasks extends TaskStore {
  /** Commits pending changes, and closes the database if the store opened it. Closing it twice is fine. */
  close(): void;
}

/**
 * Stores tasks in a database of SQLite, in the table `parley_tasks`, which it creates. Processes of one machine share
 * them by opening the same file. A resolved change is on the disk. All changes of one turn are one commit.
 *
 * It has no bus: waiting code polls.
 *
 * @param database Path of a file, which `node:sqlite` opens; or a handle of `node:sqlite` or better-sqlite3 that no
 *   other code uses for transactions. Its
 * journal becomes a write-ahead log and `synchronous` is full. While another process writes, the store retries for the
 * handle's own
 * `busy_timeout` (2 s if it is 0), and the event loop runs: `busy_timeout` becomes 5 ms.
 * @throws Error if the runtime has no `node:sqlite`, or the database cannot be opened.
 */
export function sqliteTasks(database: string | SqliteHandle): SqliteTasks {
  const isPath = typeof database === 'string';
  if (!isPath && typeof database?.prepare !== 'function')
    throw new TypeError('sqliteTasks needs the path of a file, or a handle of node:sqlite or better-sqlite3');
  const handle = isPath ? openDatabase(database) : database;
  try {
    return new SqliteTaskStore(handle, isPath, patience(prepareDatabase(handle)));
  } catch (error) {
    if (isPath) handle.close();
    throw error;
  }
}

class SqliteTaskStore implements SqliteTasks {
  readonly #handle: SqliteHandle;
  readonly #commits: Commits;
  readonly #run: Readonly<Record<StatementName, SqliteStatement>>;
  readonly #closes: boolean;
  readonly #patience: BusyPatience;
  #closed = false;

  constructor(handle: SqliteHandle, closes: boolean, patient: BusyPatience) {
    this.#handle = handle;
    this.#closes = closes;
    this.#patience = patient;
    this.#commits = new Commits(handle, patient);
    const prepared = Object.entries(sqliteStatements).map(([name, sql]) => [name, handle.prepare(sql)]);
    // The names are those of `sqliteStatements`.
    this.#run = Object.fromEntries(prepared) as Record<StatementName, SqliteStatement>;
  }

  add(task: StoredTask, most: number): Promise<'added' | 'known' | 'full' | 'no-room'> {
    const { id, queue, owner, share, version, epoch, open, text } = task;
    return this.#commits.add(() => {
      if (numberOf(this.#run.isThere.get(id)) > 0) return 'known';
      const refusal = open ? this.#refusal(task, most) : undefined;
      if (refusal !== undefined) return refusal;
      const times = [wholeMsOrNull(task.dueInMs), wholeMsOrNull(task.expiresInMs)];
      this.#run.add.run(id, queue, owner, share ?? null, version, epoch, Number(open), ...times, text);
      return 'added';
    });
  }

  #refusal({ queue, owner, share }: StoredTask, most: number): 'full' | 'no-room' | undefined {
    const open = numberOf(this.#run.countOpen.get(queue, owner, most));
    if (open >= most) return 'full';
    if (share === undefined) return undefined;
    const maxOfShare = Math.max(1, most - open);
    const ofShare = numberOf(this.#run.countShare.get(queue, owner, share, maxOfShare));
    return ofShare < maxOfShare ? undefined : 'no-room';
  }

  async get(id: string): Promise<StoredTask | undefined> {
    const row = await retried(() => this.#run.get.get(id), this.#patience);
    return row === undefined || row === null ? undefined : taskOf(row);
  }

  swap(task: StoredTask): Promise<boolean> {
    const { id, version, epoch, open, dueInMs, text } = task;
    const times = [Number(dueInMs === 'keep'), wholeMsOrNull(dueInMs), wholeMsOrNull(task.expiresInMs)];
    return this.#commits.add(
      () => Number(this.#run.swap.run(version, epoch, Number(open), ...times, text, id, version - 1).changes) > 0,
    );
  }

  claim(queue: string, { node, forMs, most }: TaskClaim): Promise<readonly StoredTask[]> {
    return this.#commits.add(() =>
      this.#run.claim.all(wholeMs(forMs), node, queue, most, queue, most, most).map(taskOf),
    );
  }

  renew(leases: readonly TaskLease[], forMs: number): Promise<readonly string[]> {
    const ms = wholeMs(forMs);
    return this.#commits.add(() => {
      const lost = leases.filter(({ id, epoch }) => Number(this.#run.renew.run(ms, id, epoch).changes) === 0);
      return lost.map(({ id }) => id);
    });
  }

  async list({ queue, owner }: TaskOwner, after: string | undefined, most: number): Promise<readonly StoredTask[]> {
    const rows = await retried(() => this.#run.list.all(queue, owner, after ?? '', most), this.#patience);
    return rows.map(taskOf);
  }

  sweep(most: number): Promise<number> {
    return this.#commits.add(() => Number(this.#run.sweep.run(most).changes));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#commits.finish();
    if (this.#closes) this.#handle.close();
    else this.#handle.exec(`pragma busy_timeout = ${this.#patience.forMs}`);
  }
}

/** Row that a statement gives: the columns of `taskColumns`. */
interface TaskRow {
  readonly id: string;
  readonly queue: string;
  readonly owner: string;
  readonly version: number;
  readonly epoch: number;
  readonly open: number;
  readonly due_in: number | null;
  readonly expires_in: number | null;
  readonly text: string;
}

function taskOf(row: unknown): StoredTask {
  // The statements fix the columns, and the table their types.
  const { open, due_in, expires_in, ...task } = row as TaskRow;
  return {
    ...task,
    open: open === 1,
    ...(due_in === null ? {} : { dueInMs: due_in }),
    ...(expires_in === null ? {} : { expiresInMs: expires_in }),
  };
}
