import type { SessionChange } from '../../../../server/runtime/session-record.ts';
import type { ParsedNotification, ParsedResponse } from '../../../../server/runtime/parsed-message.ts';
import type { Message, RequestId } from '../../../../jsonrpc/message.ts';
import type { LongStreams } from './stream.ts';

/** The other processes that serve a session, for its replica here; left out if there are none. */
export interface Elsewhere {
  /** Beginning of the ids of questions that are asked here, by which their answers find the way back. */
  readonly idsBegin: string;
  /** Records a change by the client. */
  changed(change: SessionChange): void;
  /** Waits until every process can read the change, or writing it failed. */
  saved(): Promise<void> | undefined;
  /** Number of times that a change could not be written down. */
  readonly failures: number;
  /** The streams of the session, in the way of its revision. */
  streams(resumption: 'event-ids' | 'polling'): LongStreams;
  /** Waits until the messages on streams are stored and written. */
  flushed(): Promise<unknown>;
  /**
   * Forwards a message that may belong to another process.
   *
   * @param runs Tells whether a request runs here.
   * @returns True if it does not belong to this process.
   */
  pass(judged: ParsedNotification | ParsedResponse, runs: (id: RequestId) => boolean): boolean;
  /** Takes a message that belongs to no request, and for which no stream is open here; false when it is to wait here. */
  deliver(json: string, message: Message): boolean;
  /** The stream for what belongs to no request is open here now. */
  listening(): void;
}
