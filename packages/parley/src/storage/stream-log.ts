/** The events of the streams of sessions, kept before they are sent, so that any process can go on with a stream. */

import type { NowOrLater } from './now-or-later.ts';

/** One event of a stream, as it is read. */
export interface KeptEvent {
  /** Its place on the stream: the first event is number 1, and every later one counts one up. */
  readonly number: number;
  /** The text of the event; it may be empty. */
  readonly data: string;
}

/** Rest of a stream: what followed one of its events. */
export interface StreamRest {
  /** The events, in order, without a gap; none when that event was the newest. */
  readonly events: readonly KeptEvent[];
  /** True when nothing comes after them: the last one was appended as the last. */
  readonly complete: boolean;
  /** Text that its first writer gave about the stream. */
  readonly about: string;
}

/** Writer of a stream. Appends may be begun without waiting for those before; they are done in the order in which they were begun. */
export interface StreamWriter {
  /** Name by which he goes on after an append that failed, asked for then: given to `write`, it makes nobody the writer but him. */
  readonly mark: string;
  /**
   * Keeps the next event. When it has ended, any process can read it.
   *
   * An append that fails is the last of its writer: those after it fail alike, so that a stream never has a hole. What was kept before stays.
   *
   * @param last True when it is the last event: the stream is complete, and nobody writes it any more.
   * @returns Its number: one more than that of the event before, whoever wrote that.
   * @throws StoreError `fenced` when somebody else became the writer, when the stream is complete, or when its log was cleared; else `full` or
   *   `unavailable`.
   */
  append(data: string, last?: boolean): NowOrLater<number>;
}

/**
 * The streams of one session. A store keeps a bounded number of events and characters of each session: what is over goes, oldest first and up to
 * the newest event, and numbers count on all the same.
 *
 * A stream that nobody wrote for the time that the store keeps events is gone, as if it had never been. Its writer may go on, and its numbers with
 * him; only then may somebody who had been fenced write again. Who must keep writers out for longer has a record for it.
 */
export interface StreamLog {
  /**
   * Makes somebody the only writer of a stream, from now on: appends of the one before, also those under way, fail as `fenced` or are numbered before
   * his. A stream that is not known begins, with number 1, or after the last event that the mark says was kept.
   *
   * @param about What readers want to know of the stream, such as the request that it answers; of a stream that is known already, what was said
   *   first stays.
   * @param mark Mark of a writer who goes on, since an append of his failed; what is late of that is fenced. Where the answer to this is lost, the same
   *   mark does it again. By default the writer is another one, whoever wrote it before; a store that may not hear of one sees to it that what is late of it
   *   fences nobody who asked after it.
   * @throws StoreError `fenced` when the stream is complete, or somebody else became its writer since the mark was given; else `full`, `too-large` (`about` has up to 65,536 characters) or
   *   `unavailable`.
   */
  write(stream: string, about: string, mark?: string): NowOrLater<StreamWriter>;
  /**
   * Reads what followed an event.
   *
   * @param after Number of that event; 0 for all.
   * @returns `undefined` when the stream is not known, when it has no such event yet, or when something that followed is no longer kept: what is read
   *   is whole, or nothing.
   * @throws StoreError `unavailable`.
   */
  read(stream: string, after: number): NowOrLater<StreamRest | undefined>;
  /**
   * Forgets every stream: the session is over. The writers that this log made are fenced. One of another process that appends afterwards begins his stream
   * anew, with his next number, and it expires.
   *
   * @throws StoreError `unavailable`.
   */
  clear(): NowOrLater<void>;
}

/** The logs of sessions. */
export interface StreamLogs {
  /** Opens the log of one session, which asks nothing of the store; two that are opened for one session are the same. */
  open(session: string): StreamLog;
}
