/** The events of the streams of sessions, stored before they are sent, so that any process can continue a stream. */

import type { MaybePromise } from './maybe-promise.ts';

/** One event of a stream, as it is read. */
export interface StoredEvent {
  /** Its place on the stream: the first event is number 1, and every later one counts one up. */
  readonly number: number;
  /** The text of the event; it may be empty. */
  readonly data: string;
}

/** Rest of a stream: what followed one of its events. */
export interface StreamTail {
  /** The events, in order, without a gap; empty if that event was the newest. */
  readonly events: readonly StoredEvent[];
  /** True when nothing comes after them: the last one was appended as the last. */
  readonly complete: boolean;
  /** Text that its first writer gave about the stream. */
  readonly about: string;
}

/** Writer of a stream. Appends may be begun without waiting for those before; they are done in the order in which they were begun. */
export interface StreamWriter {
  /**
   * Name by which the writer continues after a failed append. Passed to `write`, it makes only this writer the writer
   * again.
   */
  readonly mark: string;
  /**
   * Stores the next event. When it has resolved, any process can read the event.
   *
   * A failed append is the last one of its writer. Later ones fail in the same way, so that a stream never has a gap.
   * Earlier events stay.
   *
   * @param last True for the last event: the stream is complete, and cannot be written any more.
   * @returns Its number: one more than that of the previous event, whichever writer stored that.
   * @throws StoreError `fenced` if there is another writer, the stream is complete, or its log was cleared; otherwise
   * `full` or
   * `unavailable`.
   */
  append(data: string, last?: boolean): MaybePromise<number>;
}

/**
 * The streams of one session. A store keeps a limited number of events and characters of each session. Beyond it, the
 * oldest events are dropped, never the newest one, and numbers continue.
 *
 * A stream that was not written for the store's event lifetime is gone, as if it had never existed. Its writer may
 * continue with its numbers. Only then may a fenced writer write again. To keep a writer out for longer, use a record.
 */
export interface StreamLog {
  /**
   * Makes the caller the only writer of a stream, from now on. Appends of the previous writer, also those under way,
   * fail as `fenced` or get earlier numbers. An unknown stream begins with number 1, or after the last event that the
   * mark knows as stored.
   *
   * @param about Description of the stream for readers, such as the request that it answers. A known stream keeps its
   * first description.
   * @param mark Mark of a writer that continues after a failed append. A late duplicate of that append is fenced. If
   *   the answer to this call is lost, repeat it with the
   * same mark. By default the caller counts as a new writer. A store that may receive a call late must ensure that the
   * late call
   * fences no later writer.
   * @throws StoreError `fenced` if the stream is complete, or another writer came since the mark was issued; otherwise
   * `full`, `too-large` (`about` has up to 65,536 characters) or
   * `unavailable`.
   */
  write(stream: string, about: string, mark?: string): MaybePromise<StreamWriter>;
  /**
   * Reads the events after another one.
   *
   * @param after Number of that event; 0 for all.
   * @returns `undefined` if the stream is not known, has no such event yet, or a later event is no longer stored: the
   * result is
   * complete, or there is none.
   * @throws StoreError `unavailable`.
   */
  read(stream: string, after: number): MaybePromise<StreamTail | undefined>;
  /**
   * Removes every stream: the session is over. The writers that this log made are fenced. If a writer of another
   * process appends later, its stream begins again, with its next number, and expires.
   *
   * @throws StoreError `unavailable`.
   */
  clear(): MaybePromise<void>;
}

/** The logs of sessions. */
export interface StreamLogs {
  /** Opens the log of one session, without a call to the store. Two logs of one session are equivalent. */
  open(session: string): StreamLog;
}
