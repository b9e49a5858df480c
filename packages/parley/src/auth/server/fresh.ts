/** Something fetched that is kept for a while, and for longer when it cannot be fetched again. */

import { AuthorizationError } from '../common/errors.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { OutOfReach } from './problem.ts';
import { Waits } from './waits.ts';

const minute = 60_000;
/** Time for which it is used without asking again. */
const freshMs = 10 * minute;
/** Time for which it is used while nobody answers. */
const staleMs = 24 * 60 * minute;
/** Time that passes at least before it is fetched again, because somebody wants what is not in it, or because it failed. */
const pauseMs = 30_000;
const firstPauseMs = 5000;
/** Time after which nobody joins a wait any more: requests that wait take the places of those that need not. */
const patienceMs = 1000;

/** A fetch that is under way. */
interface Pending<T> {
  readonly value: Promise<T>;
  /** Resolves when it takes long; never, when it does not. */
  readonly slow: Promise<void>;
  isSlow: boolean;
}

/** A value that is fetched by one request at a time. */
export class Fresh<T> {
  readonly #load: () => Promise<T>;
  readonly #now: () => number;
  readonly #onFailure: (cause: unknown) => void;
  #value: T | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #failure: OutOfReach | undefined;
  #pending: Pending<T> | undefined;
  readonly #waits: Waits = new Waits();

  /** @param onFailure Hears why it could not be fetched, also where an older value does. */
  constructor(load: () => Promise<T>, now: () => number, onFailure: (cause: unknown) => void) {
    this.#load = load;
    this.#now = now;
    this.#onFailure = onFailure;
  }

  /**
   * The value: at once while it is fresh, or after it failed to be fetched lately; an older one where the fetch takes long.
   *
   * @throws OutOfReach when there is none that may be used.
   */
  get(): T | Promise<T> {
    const now = this.#now();
    // The clock was set back: how old it is nobody knows any more.
    if (this.#loadedAt > now) this.#loadedAt = now - freshMs;
    const age = now - this.#loadedAt;
    if (this.#value !== undefined && age < freshMs) return this.#value;
    const usable = this.#value !== undefined && age < staleMs ? this.#value : undefined;
    const failure = this.#lately(now, usable === undefined ? firstPauseMs : pauseMs) ? this.#failure : undefined;
    const isAwaited = this.#pending !== undefined && (this.#pending.isSlow || this.#failure !== undefined);
    if (usable !== undefined) return failure !== undefined || isAwaited ? usable : this.#sooner(usable);
    if (failure !== undefined) throw failure;
    return this.#fetch();
  }

  /**
   * A value that is newer than this one; the same, where it was fetched a moment ago.
   *
   * @throws OutOfReach when it cannot be fetched: what is not in this one may be in that.
   */
  async renewed(than: T): Promise<T> {
    if (this.#value !== undefined && this.#value !== than) return this.#value;
    if (!this.#lately(this.#now(), pauseMs)) return await this.#fetch();
    if (this.#failure !== undefined) throw this.#failure;
    return than;
  }

  /** Tells whether it was tried within some time, and nobody tries now. */
  #lately(now: number, ms: number): boolean {
    const since = now - this.#triedAt;
    return this.#pending === undefined && since >= 0 && since < ms;
  }

  /** The value that is fetched, or the one that there is, where that takes long or fails. */
  async #sooner(usable: T): Promise<T> {
    const pending = (this.#pending ??= this.#begin());
    try {
      return (await Promise.race([pending.value, pending.slow])) ?? usable;
    } catch {
      return usable;
    }
  }

  /** @throws OutOfReach when it cannot be fetched, and at once where others wait for it for long already, or too many do. */
  async #fetch(): Promise<T> {
    if (this.#pending?.isSlow === true) throw new OutOfReach(takesLong());
    return await this.#waits.within((this.#pending ??= this.#begin()).value);
  }

  #begin(): Pending<T> {
    this.#triedAt = this.#now();
    let slow = (): void => {};
    const stop = after(patienceMs, () => slow());
    const pending: Pending<T> = {
      value: this.#loaded().finally(() => {
        stop();
        this.#pending = undefined;
      }),
      slow: new Promise((resolve) => {
        slow = () => {
          pending.isSlow = true;
          resolve();
        };
      }),
      isSlow: false,
    };
    return pending;
  }

  async #loaded(): Promise<T> {
    try {
      this.#value = await this.#load();
      this.#loadedAt = this.#now();
      this.#failure = undefined;
      return this.#value;
    } catch (cause) {
      this.#failure = new OutOfReach(cause);
      this.#onFailure(this.#failure.cause);
      throw this.#failure;
    }
  }
}

function takesLong(): AuthorizationError {
  return new AuthorizationError('server-error', 'the authorization server takes long to answer; try again later');
}
