/** Something fetched that is kept for a while, and for longer when it cannot be fetched again. */

import { OutOfReach } from './problem.ts';

const minute = 60_000;
/** Time for which it is used without asking again. */
const freshMs = 10 * minute;
/** Time for which it is used while nobody answers. */
const staleMs = 24 * 60 * minute;
/** Time that passes at least before it is fetched again, because somebody wants what is not in it, or because it failed. */
const pauseMs = 30_000;
const firstPauseMs = 5000;

/** A value that is fetched by one request at a time. */
export class Fresh<T> {
  readonly #load: () => Promise<T>;
  readonly #now: () => number;
  #value: T | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #pending: Promise<T> | undefined;

  constructor(load: () => Promise<T>, now: () => number) {
    this.#load = load;
    this.#now = now;
  }

  /**
   * The value: at once while it is fresh, or after it failed to be fetched lately.
   *
   * @throws OutOfReach when there is none that may be used.
   */
  get(): T | Promise<T> {
    const now = this.#now();
    const age = now - this.#loadedAt;
    if (this.#value !== undefined && age >= 0 && age < freshMs) return this.#value;
    const usable = this.#value !== undefined && age < staleMs ? this.#value : undefined;
    if (this.#failure !== undefined) {
      const paused = now - this.#triedAt < (usable === undefined ? firstPauseMs : pauseMs);
      if (usable !== undefined && (paused || this.#pending !== undefined)) return usable;
      if (paused && this.#pending === undefined) throw new OutOfReach(this.#failure);
    }
    return usable === undefined ? this.#fetch() : this.#fetch().catch(() => usable);
  }

  /** A value that is newer than this one; the same, where it was fetched a moment ago or cannot be. */
  renewed(than: T): Promise<T> {
    if (this.#value !== undefined && this.#value !== than) return Promise.resolve(this.#value);
    if (this.#now() - this.#triedAt < pauseMs && this.#pending === undefined) return Promise.resolve(than);
    return this.#fetch().catch(() => than);
  }

  #fetch(): Promise<T> {
    this.#triedAt = this.#now();
    this.#pending ??= this.#load()
      .then(
        (value) => {
          this.#value = value;
          this.#loadedAt = this.#now();
          this.#failure = undefined;
          return value;
        },
        (cause: unknown) => {
          this.#failure = cause;
          throw new OutOfReach(cause);
        },
      )
      .finally(() => (this.#pending = undefined));
    return this.#pending;
  }
}
