import type { CountingBus } from './bus.ts';
import type { Limits } from './limits.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Records } from './records.ts';
import type { StreamLogs } from './stream-log.ts';
import type { TaskStore } from './tasks.ts';

/**
 * Shared data of the processes of one service: expiring records, the events of streams, a bus between processes, and
 * rate limits. `memoryStore` makes one for a single process.
 *
 * - A store may be used from the moment it is made. If it answers synchronously, callers do not wait, as the type
 *   `MaybePromise` says.
 * - Every call ends within 2 seconds (a text on the bus within 5). A failure is a `StoreError`, thrown or rejected.
 *   Callers need no time-out.
 * - Keys, names of sessions and of streams, and channels are well-formed text of 1 to 2,048 characters. They may be
 *   secrets: a store writes them only to places that its owners alone can read. Keys of records, sessions and channels
 *   are separate name spaces.
 * - Texts are well-formed and come back unchanged. A reader must validate one like data from a peer.
 * - Times are durations, measured by the clock of the store. The clocks of processes are never compared.
 *
 * `testStore` of `parley-mcp/testing` tests all of these rules.
 */
export interface Store {
  /** Small texts that expire. */
  readonly records: Records;
  /** The events of the streams of sessions, each stored before it is sent. */
  readonly events: StreamLogs;
  /** A bus to the current subscribers, in any process. */
  readonly bus: CountingBus;
  /** Rate limits. */
  readonly limits: Limits;
  /** Tasks, if the store supports them; otherwise each process keeps them in its memory. */
  readonly tasks?: TaskStore;
  /** True if several processes see the same data; false for a store of this process alone. */
  readonly shared: boolean;
  /**
   * Finds out whether the store can be used now.
   *
   * @throws StoreError when it cannot, saying why.
   */
  check(): MaybePromise<void>;
  /**
   * Ends subscriptions and connections. Data in an external engine stays. Clients of an engine that the user passed in
   * stay open. Closing twice is fine. Later calls may fail as `unavailable`.
   */
  close(): MaybePromise<void>;
}

/** Failure of a store; `reason` tells the caller what it means. */
export class StoreError extends Error {
  /**
   * Reason of the failure:
   *
   * - `unavailable`: it was not reached, did not answer in time, or was closed. The change may have happened or not.
   * - `fenced`: another writer has the stream now, or it is complete. Nothing was changed.
   * - `full`: it has no room. Nothing was changed.
   * - `too-large`: the text is longer than the store accepts. Nothing was changed.
   */
  readonly reason: 'unavailable' | 'fenced' | 'full' | 'too-large';

  /** @param message The failed operation and its cause, without any stored key or text, since those may be secrets. */
  constructor(reason: StoreError['reason'], message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StoreError';
    this.reason = reason;
  }
}
