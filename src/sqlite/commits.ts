import type { SqliteHandle } from './handle.ts';

/** One change that waits for its commit. */
interface Change {
  /** Makes the change; gives what settles its promise once it is on the disk. */
  make(): () => void;
  reject(reason: unknown): void;
}

/** Commits changes: those of one turn together, since a commit waits for the disk, and it costs the same for one and for many. */
export class Commits {
  readonly #handle: SqliteHandle;
  #changes: Change[] = [];

  constructor(handle: SqliteHandle) {
    this.#handle = handle;
  }

  /** Makes a change, alone in the database, and resolves with what it gave once it is on the disk. One that throws undoes no other. */
  add<Result>(change: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      const make = (): (() => void) => {
        const result = change();
        return () => resolve(result);
      };
      if (this.#changes.push({ make, reject }) === 1) setImmediate(() => this.commit());
    });
  }

  /** Commits what waits, now. */
  commit(): void {
    const changes = this.#changes;
    this.#changes = [];
    if (changes.length === 0) return;
    try {
      this.#handle.exec('begin immediate');
    } catch (error) {
      for (const { reject } of changes) reject(error);
      return;
    }
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
      for (const { reject } of changes) reject(error);
      return;
    }
    for (const settle of outcomes) settle();
  }
}

/** Undoes what was begun. */
export function rollBack(handle: SqliteHandle): void {
  try {
    handle.exec('rollback');
  } catch {
    // SQLite did so by itself, as where the disk is full.
  }
}
