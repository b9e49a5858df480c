import { monotonicNow } from '../../jsonrpc/timeout.ts';
import { kindOfOwner } from '../../auth/common/owner.ts';
import { McpError } from '../../protocol/error.ts';

/** Numbers of processes that may be started within a minute. */
export interface StartLimits {
  /** For one owner. */
  readonly own: number;
  /** For all together. */
  readonly all: number;
}

const minuteMs = 60_000;

/** Starts that are left, which come back with time. */
interface Bucket {
  left: number;
  at: number;
}

/**
 * Limits how often processes are started. The limit of connections does not cover that: a client that declares
 * different capabilities with each call needs a new process each time, and an idle one is closed for it.
 */
export class StartLimit {
  readonly #limits: StartLimits;
  readonly #now: () => number;
  readonly #all: Bucket;
  /** By owner, the least recently used first. */
  readonly #own = new Map<string, Bucket>();

  constructor(limits: StartLimits, now: () => number = monotonicNow) {
    this.#limits = limits;
    this.#now = now;
    this.#all = { left: limits.all, at: now() };
  }

  /** @throws McpError busy when an owner, or all together, may start no process now. */
  requireOne(owner: string | undefined): void {
    const { own, all } = this.#limits;
    this.#refill(this.#all, all);
    if (this.#all.left < 1) throw tooMany(this.#all, all, 'all clients');
    if (owner === undefined) return;
    const bucket = this.#of(owner);
    if (bucket.left < 1) throw tooMany(bucket, own, `one ${kindOfOwner(owner)}`);
  }

  /**
   * Counts the start of a process.
   *
   * @throws McpError busy if the limit is reached.
   */
  take(owner: string | undefined): void {
    this.requireOne(owner);
    this.#all.left--;
    if (owner !== undefined) this.#of(owner).left--;
  }

  #of(owner: string): Bucket {
    const { own } = this.#limits;
    const bucket = this.#own.get(owner) ?? { left: own, at: this.#now() };
    this.#refill(bucket, own);
    this.#own.delete(owner);
    this.#own.set(owner, bucket);
    // After a minute a bucket is full again, and can be dropped.
    for (const [other, { at }] of this.#own) {
      if (this.#now() - at < minuteMs) break;
      this.#own.delete(other);
    }
    return bucket;
  }

  #refill(bucket: Bucket, most: number): void {
    const now = this.#now();
    bucket.left = Math.min(most, bucket.left + ((now - bucket.at) / minuteMs) * most);
    bucket.at = now;
  }
}

/** The refusal names the time of the next start. */
function tooMany({ left }: Bucket, most: number, whom: string): McpError {
  const message = `the bridge has started ${most} processes for ${whom} within a minute; try again later`;
  return new McpError('busy', message, { data: { retryAfterMs: Math.round(((1 - left) / most) * minuteMs) } });
}
