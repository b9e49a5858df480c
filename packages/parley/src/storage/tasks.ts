import type { Bus } from './bus.ts';

/**
 * One task as a store has it: an opaque text, and the fields that a store needs. A store does not know the contents of
 * the text, not even the status.
 */
export interface StoredTask {
  /** Unique name that cannot be guessed: 1 to 200 characters of ASCII, without blanks. It never changes. */
  readonly id: string;
  /**
   * Name of the server that does the work, since several may share a store. Claims, lists and counts apply to one
   * queue. It is well-formed text without U+0000, like `owner` and `text`, and never changes.
   */
  readonly queue: string;
  /** Owning principal; empty without one. It is compared exactly, within one queue, and never changes. */
  readonly owner: string;
  /**
   * Name under which a store counts the room of the task, if that is not `owner`: the address of a client without a
   * principal. It never changes, and need not be returned.
   */
  readonly share?: string;
  /** Number of changes, a whole number: 1 when it is added, one more with every swap and every claim. */
  readonly version: number;
  /**
   * Number of claims, an integer: 0 for a new, unclaimed task. Every claim increases it by one, by `claim` or by a swap
   * whose writer takes the task. A worker with an older epoch has lost the task.
   */
  readonly epoch: number;
  /** True until the task has ended. Only open tasks are counted and can be claimed; one that has ended is never open again. */
  readonly open: boolean;
  /**
   * Time from now until the task is due and can be claimed, in milliseconds; for a claimed task, the rest of its lease.
   * `'keep'` does not change it, so that a change does not undo a renewal; it means never if there is no earlier value.
   * Left out, the task is never due: it has ended, or waits for other input. A task that was read has the remaining
   * time, at least 0, and never `'keep'`.
   */
  readonly dueInMs?: number | 'keep' | undefined;
  /**
   * Time from now until the task expires, in milliseconds. Left out, `add` keeps it forever, and `swap` does not change
   * its expiry. An expiry cannot be removed again. A task that was read has the remaining time.
   */
  readonly expiresInMs?: number | undefined;
  /** The task itself, of any length; a store gives it back character for character. */
  readonly text: string;
}

/** Claim of tasks for one process. */
export interface TaskClaim {
  /** Names the process, for people who inspect the store. It is never compared. */
  readonly node: string;
  /** Time for which the process has the tasks without renewing, in milliseconds. */
  readonly forMs: number;
  /** The most tasks that it gets. */
  readonly most: number;
}

/** A lease: a task, and its epoch when it was claimed. */
export interface TaskLease {
  /** The id of the task. */
  readonly id: string;
  /** The number of the claim; a later claim has a greater one. */
  readonly epoch: number;
}

/** Owner of tasks, in one queue. */
export interface TaskOwner {
  /** The queue that the tasks are in. */
  readonly queue: string;
  /** The owner of the tasks. */
  readonly owner: string;
}

/**
 * Stores tasks, for one process or for several. Every method is atomic. Every process that shares the store may call it
 * at any time.
 *
 * Durations count from now on the clock of the store, the only one that decides: clocks of processes are never
 * compared. They may have fractions, but a store need only keep whole milliseconds. They may have any length; a store
 * may cut one that is longer than a century to a century. An expired task is gone in every method, whether or not it
 * was swept.
 *
 * A resolved call is as durable as the store can make it. A rejected one may have happened or not: a repeated `add`
 * then gets `known`, a repeated `swap` gets false. `taskStoreContract` of `parley-mcp/testing` tests all of these
 * rules.
 */
export interface TaskStore {
  /**
   * Adds a task.
   *
   * @param most Number of open tasks that its owner may have in its queue, including this one. The tasks of one `share`
   *   may be one, or as many as they
   * leave free of that number before this one is added.
   * @returns `known` if a task with this id exists; it is not changed. `full` if the owner has that many already.
   * `no-room` if the store has no room, or none for this owner (stores that do not distinguish them return `full`).
   */
  add(task: StoredTask, most: number): Promise<'added' | 'known' | 'full' | 'no-room'>;
  /** Reads a task; `undefined` if there is none. */
  get(id: string): Promise<StoredTask | undefined>;
  /**
   * Replaces a task by its next version. If several write the same version, one succeeds.
   *
   * @returns False, without a change, if the stored version is not `task.version - 1`, or there is none. The epoch is
   * written, not compared.
   */
  swap(task: StoredTask): Promise<boolean>;
  /**
   * Claims tasks of a queue that are open and due: each is now due when the claim ends, with `version` and `epoch`
   * increased by one. Tasks that were claimed before come first, since they were begun. Within both kinds, those that
   * were due the longest come first. Two claims never get the same task.
   *
   * @returns The updated tasks, in no order; empty if none is due.
   */
  claim(queue: string, by: TaskClaim): Promise<readonly StoredTask[]>;
  /**
   * Renews leases: each task is now due in `forMs`, if it is open, has this epoch, and has a due time. A task that is
   * due already, and that no other process took, is renewed too. Versions stay.
   *
   * @returns The ids of the lost leases.
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
   * Removes the remains of expired tasks. Any process may do so at any time.
   *
   * @param most Number of tasks to remove at once.
   * @returns Number of removed tasks; `most` if there may be more.
   */
  sweep(most: number): Promise<number>;
  /**
   * Notifies processes of changed tasks, if the store supports that. It publishes nothing by itself. Texts have up to
   * 4,000 bytes. Without it, waiting code polls.
   */
  readonly bus?: Bus;
}
