import type { Bus } from './bus.ts';

/**
 * One task as a store has it: an opaque text, and beside it what a store needs to know. What the text says, the status among it, no store
 * knows.
 */
export interface StoredTask {
  /** Name that nobody else gives to a task, and that nobody guesses: 1 to 200 characters of ASCII, without blanks. It never changes. */
  readonly id: string;
  /**
   * Name of the server whose work it is, since several may share a store. Who claims, lists and counts does so within one queue. It is
   * well-formed text without U+0000, as `owner` and `text` are, and never changes.
   */
  readonly queue: string;
  /** Principal whose task it is; empty for nobody's. It is compared as it is, within one queue, and never changes. */
  readonly owner: string;
  /**
   * Name under which a store counts what the task takes, where that is not `owner`: the address of a client without a principal. It never changes, and
   * need not be given back.
   */
  readonly share?: string;
  /** Number of changes, a whole number: 1 when it is added, one more with every swap and every claim. */
  readonly version: number;
  /**
   * Number of claims, a whole number: 0 when it is added and nobody has it. Every claim makes it one more, be it by `claim`, or by a swap whose
   * writer takes the task for himself. Who works under an older one has lost the task.
   */
  readonly epoch: number;
  /** True until the task has ended. Only open tasks are counted and can be claimed; one that has ended is never open again. */
  readonly open: boolean;
  /**
   * Time from now until the task is due, which is when it can be claimed, in milliseconds: for one that somebody has, the rest of his lease.
   * `'keep'` leaves it as it is, so that a change does not undo a renewal, and means never where nothing is kept yet. Left out, the task is never
   * due: it has ended, or waits for somebody else. What was read has the time that is left, at least 0, and no `'keep'`.
   */
  readonly dueInMs?: number | 'keep' | undefined;
  /**
   * Time from now until the task is gone, in milliseconds. Left out, `add` keeps it without end, and `swap` leaves its end as it is; there is no
   * way back to none. What was read has the time that is left.
   */
  readonly expiresInMs?: number | undefined;
  /** The task itself, of any length; a store gives it back character for character. */
  readonly text: string;
}

/** Claim of tasks for one process. */
export interface TaskClaim {
  /** Names the process, for whoever looks into the store; nothing compares it. */
  readonly node: string;
  /** Time for which the process has the tasks without renewing, in milliseconds. */
  readonly forMs: number;
  /** The most tasks that it gets. */
  readonly most: number;
}

/** Lease that somebody has: a task, and its epoch when it was claimed. */
export interface TaskLease {
  readonly id: string;
  readonly epoch: number;
}

/** Owner of tasks, in one queue. */
export interface TaskOwner {
  readonly queue: string;
  readonly owner: string;
}

/**
 * Keeps tasks, for one process or for several. Every method is atomic, and may be called at any time by anybody who shares the store.
 *
 * Durations count from now on the clock of the store, the only one that decides: clocks of processes are never compared. They may have
 * fractions, of which a store need not keep more than whole milliseconds, and be as long as one likes; a store may take one that is longer than a
 * century for a century. A task whose time has come is gone in every method, whether or not it was swept.
 *
 * What resolved is as durable as the store can make it. What rejected may have happened or not: who adds again is told `known`, who swaps
 * again gets false. `taskStoreContract` of `parley-mcp/testing` is the tests of all this.
 */
export interface TaskStore {
  /**
   * Adds a task.
   *
   * @param most Number of open tasks that its owner may have in its queue, this one among them. The tasks of one `share` may be one, or as many as they
   *   leave free of that number before this one is added.
   * @returns `known` when a task with this id is there, whatever it is, which stays as it was; `full` when the owner has that many already;
   *   `no-room` when the store has no room, or none for this owner (`full` says so too, in stores that do not tell the two apart).
   */
  add(task: StoredTask, most: number): Promise<'added' | 'known' | 'full' | 'no-room'>;
  /** Reads a task; `undefined` when there is none. */
  get(id: string): Promise<StoredTask | undefined>;
  /**
   * Replaces a task by its next version; of several who write the same version one is first.
   *
   * @returns False when another version than `task.version - 1` is there, or none; nothing is changed then. The epoch is written, and not compared.
   */
  swap(task: StoredTask): Promise<boolean>;
  /**
   * Claims tasks of a queue that are open and due: each is from now on due when the claim ends, with one more `version` and `epoch`. Those that somebody
   * had before come first, since they were begun, and within both kinds those that are due the longest. Two claims never get the same.
   *
   * @returns The tasks as they are now, in no order; none when nothing is due.
   */
  claim(queue: string, by: TaskClaim): Promise<readonly StoredTask[]>;
  /**
   * Renews leases: each task is from now on due in `forMs`, where it is open, has this epoch, and would be due at some time. One that is due already,
   * and that nobody else took, is renewed too. Versions stay.
   *
   * @returns The ids of those that were lost.
   */
  renew(leases: readonly TaskLease[], forMs: number): Promise<readonly string[]>;
  /**
   * Lists tasks of an owner, those that ended too, in the order of their ids.
   *
   * @param after The last id of the page before, which need not be there any more; `undefined` for the first page.
   * @param most Number of tasks of a page; a page with fewer is the last.
   */
  list(of: TaskOwner, after: string | undefined, most: number): Promise<readonly StoredTask[]>;
  /**
   * Removes what is left of tasks that are gone. Any process may do so at any time.
   *
   * @param most Number of tasks that are removed at once.
   * @returns Number of those that were; `most` when there may be more.
   */
  sweep(most: number): Promise<number>;
  /**
   * Tells processes that a task changed, where the store can: it publishes nothing by itself. Texts have up to 4,000 bytes. Without it who waits
   * asks from time to time.
   */
  readonly bus?: Bus;
}
