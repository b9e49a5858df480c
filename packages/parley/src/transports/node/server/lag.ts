import type { Admission } from '../../http/server/handler.ts';
import { after, monotonicNow } from '../../../jsonrpc/timeout.ts';

/** Interval between two clock checks, in milliseconds. */
const lookMs = 100;

/** The largest share of new requests that is refused: some go on finding out that it is better. */
const maxRefused = 0.95;

/** Weight of the newest measurement: a single slow turn is no load. */
const newest = 0.4;

/**
 * Refuses a growing share of new requests while turns of the event loop come late, so that those which are admitted are answered in time. From
 * the limit on the share grows with the lag: a quarter at twice the limit, half at three times.
 */
export class LagAdmission implements Admission {
  readonly #maxLagMs: number;
  readonly #random: () => number;
  readonly #now: () => number;
  #due: number;
  #lagMs = 0;
  #cancel: () => void;

  /** @param maxLagMs Lag up to which everything is admitted, in milliseconds. */
  constructor(maxLagMs: number, { random = Math.random, now = monotonicNow }: LagSources = {}) {
    this.#maxLagMs = maxLagMs;
    this.#random = random;
    this.#now = now;
    this.#due = now() + lookMs;
    this.#cancel = after(lookMs, this.#look);
  }

  admits(): boolean {
    // A turn that is under way and late is known before the look that it holds up.
    const lag = Math.max(this.#lagMs, newest * (this.#now() - this.#due));
    return this.#random() >= shareOf(lag, this.#maxLagMs);
  }

  /** Stops measuring. */
  close(): void {
    this.#cancel();
  }

  readonly #look = (): void => {
    const now = this.#now();
    this.#lagMs += newest * (Math.max(0, now - this.#due) - this.#lagMs);
    this.#due = now + lookMs;
    this.#cancel = after(lookMs, this.#look);
  };
}

/** Sources of time and chance, for tests. */
export interface LagSources {
  readonly random?: () => number;
  readonly now?: () => number;
}

/** The share of new requests that is refused at a lag. */
export function shareOf(lagMs: number, maxLagMs: number): number {
  if (lagMs <= maxLagMs) return 0;
  return Math.min(maxRefused, (lagMs - maxLagMs) / (4 * Math.max(1, maxLagMs)));
}
