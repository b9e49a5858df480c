/** A fetched value that is cached for a while, and longer if it cannot be fetched again. */

import { AuthorizationError } from '../common/errors.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { OutOfReach } from './problem.ts';
import { Waits } from './waits.ts';

const minute = 60_000;
/** Time for which it is used without asking again. */
const freshMs = 10 * minute;
/** Time for which it is used while the source does not answer. */
const staleMs = 24 * 60 * minute;
/** Shortest time before it is fetched again, because a caller misses something in it, or because it failed. */
const pauseMs = 30_000;
const firstPauseMs = 5000;
/** Time after which callers no longer join a wait: waiting requests take the places of others. */
const limitMs = 1000;

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

  /** @param onFailure Receives the reason of a failed fetch, also if an older value is used. */
  constructor(load: () => Promise<T>, now: () => number, onFailure: (cause: unknown) => void) {
    this.#load = load;
    this.#now = now;
    this.#onFailure = onFailure;
  }

  /**
   * The value: at once while it is fresh, or after a recent failed fetch; an older one if the fetch takes long.
   *
   * @throws OutOfReach if there is no usable one.
   */
  get(): T | Promise<T> {
    const now = this.#now();
    // The clock was set back, so its age is unknown.
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
   * A newer value than this one; the same, if it was fetched a moment ago.
   *
   * @throws OutOfReach if it cannot be fetched: a newer one may contain what is missing.
   */
  async renewed(than: T): Promise<T> {
    if (this.#value !== undefined && this.#value !== than) return this.#value;
    if (!this.#lately(this.#now(), pauseMs)) return await this.#fetch();
    if (this.#failure !== undefined) throw this.#failure;
    return than;
  }

  /** Tells whether it was tried within some time, and no try is running. */
  #lately(now: number, ms: number): boolean {
    const since = now - this.#triedAt;
    return this.#pending === undefined && since >= 0 && since < ms;
  }

  /** The fetched value, or the existing one if the fetch takes long or fails. */
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
    const stop = after(limitMs, () => slow());
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
