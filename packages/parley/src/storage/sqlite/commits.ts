import { isBusy, whileBusy, type BusyPatience } from './busy.ts';
import type { SqliteHandle } from './handle.ts';

/** One change that waits for its commit. */
interface Change {
  /** Time at which it was asked for. */
  readonly at: number;
  /** Makes the change; gives what settles its promise once it is on the disk. */
  make(): () => void;
  reject(reason: unknown): void;
}

/**
 * Commits changes, those of one turn together: a commit waits for the disk, and costs the same for one change and for
 * many.
 */
export class Commits {
  readonly #handle: SqliteHandle;
  readonly #patience: BusyPatience;
  #changes: Change[] = [];

  constructor(handle: SqliteHandle, patience: BusyPatience) {
    this.#handle = handle;
    this.#patience = patience;
  }

  /**
   * Makes a change within a transaction, and resolves with its result once it is on the disk. A change that throws
   * undoes no other.
   */
  add<Result>(change: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      const make = (): (() => void) => {
        const result = change();
        return () => resolve(result);
      };
      const at = this.#patience.now();
      if (this.#changes.push({ at, make, reject }) === 1) setImmediate(() => this.#attempt());
    });
  }

  /** Commits what waits, now. Another process that has the database is waited for, while this thread stands still. */
  finish(): void {
    if (this.#changes.length === 0) return;
    try {
      whileBusy(this.#patience.forMs, () => this.#handle.exec('begin immediate'));
    } catch (error) {
      return this.#reject(this.#changes.splice(0), error);
    }
    this.#commit();
  }

  /** Commits what waits, or tries again while another process has the database. */
  #attempt(): void {
    if (this.#changes.length === 0) return;
    try {
      this.#handle.exec('begin immediate');
    } catch (error) {
      return this.#failed(error);
    }
    this.#commit();
  }

  #failed(error: unknown): void {
    const { forMs, now, later } = this.#patience;
    const since = now() - forMs;
    const overdue = isBusy(error) ? this.#changes.filter(({ at }) => at <= since) : this.#changes;
    this.#changes = this.#changes.filter((change) => !overdue.includes(change));
    this.#reject(overdue, error);
    if (this.#changes.length > 0) later(() => this.#attempt());
  }

  #reject(changes: readonly Change[], error: unknown): void {
    for (const { reject } of changes) reject(error);
  }

  #commit(): void {
    const changes = this.#changes.splice(0);
    const outcomes = changes.map(({ make, reject }) => {
      try {
        return make();
      } catch (error) {
        return () => reject(error);
      }
    });
    try {
      this.#handle.exec('commit');
    } catch (error) {
      rollBack(this.#handle);
      return this.#reject(changes, error);
    }
    for (const settle of outcomes) settle();
  }
}

/** Rolls back an open transaction. */
export function rollBack(handle: SqliteHandle): void {
  try {
    handle.exec('rollback');
  } catch {
    // SQLite has rolled back by itself, for example because the disk is full.
  }
}
