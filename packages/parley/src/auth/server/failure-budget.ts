/** Limit of refused tokens that an address may send before it must wait. */

import { networkOf } from '../common/address.ts';
import type { FailureLimit } from './options.ts';

/** Limit of addresses that are measured at once; the one that failed longest ago is forgotten first. */
const maxAddresses = 10_000;

interface Bucket {
  left: number;
  at: number;
}

/** Buckets of failures, by address. */
export class FailureBudget {
  readonly #limit: FailureLimit;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: FailureLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Tells whether an address had too many recent failures. An unknown one had none. */
  isSpent(address: string | undefined): boolean {
    const bucket = address === undefined ? undefined : this.#buckets.get(networkOf(address));
    return bucket !== undefined && this.#left(bucket) < 1;
  }

  /** Counts a failure. */
  failed(address: string | undefined): void {
    if (address === undefined) return;
    const network = networkOf(address);
    const bucket = this.#buckets.get(network) ?? { left: this.#limit.burst, at: this.#now() };
    bucket.left = Math.max(0, this.#left(bucket) - 1);
    bucket.at = this.#now();
    this.#buckets.delete(network);
    this.#buckets.set(network, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > maxAddresses && oldest !== undefined) this.#buckets.delete(oldest);
  }

  #left(bucket: Bucket): number {
    const { burst, perSecond } = this.#limit;
    const now = this.#now();
    // A clock that was set back must not block an address until it has caught up.
    bucket.at = Math.min(bucket.at, now);
    return Math.min(burst, bucket.left + ((now - bucket.at) * perSecond) / 1000);
  }
}
