import { monotonicNow } from '../jsonrpc/timeout.ts';

/** Reading of both clocks: the monotonic clock may stop while the machine sleeps, and the wall clock may be set back. */
export interface ClockReading {
  readonly monotonic: number;
  readonly wall: number;
}

/** Reads both clocks. */
export function readClocks(wall: () => number): ClockReading {
  return { monotonic: monotonicNow(), wall: wall() };
}

/** A lease as its holder knows it: it begins before the store is asked for it, so it never ends later than in the store. */
export class Lease {
  readonly #leaseTtlMs: number;
  readonly #wall: () => number;
  #since: ClockReading;

  constructor(leaseTtlMs: number, wall: () => number, since: ClockReading = readClocks(wall)) {
    this.#leaseTtlMs = leaseTtlMs;
    this.#wall = wall;
    this.#since = since;
  }

  /** The store renewed the lease; it was asked when the clocks stood at `since`. */
  renewed(since: ClockReading): void {
    if (since.monotonic >= this.#since.monotonic) this.#since = since;
  }

  /** Tells whether the lease may have ended, by either clock. */
  get mayHaveEnded(): boolean {
    const { monotonic, wall } = readClocks(this.#wall);
    return Math.max(monotonic - this.#since.monotonic, wall - this.#since.wall) >= this.#leaseTtlMs;
  }
}
