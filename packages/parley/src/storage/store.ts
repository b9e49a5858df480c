import type { CountingBus } from './bus.ts';
import type { Limits } from './limits.ts';
import type { NowOrLater } from './now-or-later.ts';
import type { Records } from './records.ts';
import type { StreamLogs } from './stream-log.ts';
import type { TaskStore } from './tasks.ts';

/**
 * Place where the processes of one service keep what one of them cannot know alone: records that expire, the events of streams, texts from one
 * process to the others, and measures of how often somebody may ask. `memoryStore` makes one for a single process.
 *
 * - A store may be used from the moment it is made. Where it answers at once nothing waits for it, which the type `NowOrLater` says.
 * - Every call ends within 2 seconds (a text on the bus within 5), and a failure is a `StoreError`, thrown or rejected. Who calls need set no clock.
 * - Keys, names of sessions and of streams, and channels are well-formed text of 1 to 2,048 characters; they may be secrets, and no store writes them
 *   where others than the owners of the store can read them. Keys of records, sessions and channels are spaces of their own.
 * - Texts are well-formed and come back character for character. Who reads one checks it like what a peer sent.
 * - Times are durations, counted by the clock of the store; the clocks of processes are never compared.
 *
 * `testStore` of `parley-mcp/testing` is the tests of all this.
 */
export interface Store {
  /** Small texts that expire. */
  readonly records: Records;
  /** The events of the streams of sessions, each kept before it is sent. */
  readonly events: StreamLogs;
  /** Texts to whoever listens now, in any process. */
  readonly bus: CountingBus;
  /** Measures of how often somebody may ask. */
  readonly limits: Limits;
  /** Tasks, where the store keeps them; those of one process are kept in its memory else. */
  readonly tasks?: TaskStore;
  /** True where several processes see the same; false for a store of this process alone. */
  readonly shared: boolean;
  /**
   * Finds out whether the store can be used now.
   *
   * @throws StoreError when it cannot, saying why.
   */
  check(): NowOrLater<void>;
  /**
   * Ends subscriptions and connections; what is kept stays, where it is kept elsewhere. Clients of an engine that were handed over stay open.
   * Closing twice is fine; what is called after it may fail as `unavailable`.
   */
  close(): NowOrLater<void>;
}

/**
 * Reason why a store did not do what it was asked:
 *
 * - `unavailable`: it was not reached, did not answer in time, or was closed. What was asked may have been done or not.
 * - `fenced`: somebody else writes the stream now, or it is complete. Nothing was changed.
 * - `full`: it has no room. Nothing was changed.
 * - `too-large`: the text is longer than the store takes. Nothing was changed.
 */
export type StoreErrorReason = 'unavailable' | 'fenced' | 'full' | 'too-large';

/** Failure of a store; `reason` says what it means for who asked. */
export class StoreError extends Error {
  readonly reason: StoreErrorReason;

  /** @param message What failed and with what; no key or text that is kept, since those may be secrets. */
  constructor(reason: StoreErrorReason, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StoreError';
    this.reason = reason;
  }
}
