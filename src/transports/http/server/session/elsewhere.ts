import type { SessionChange } from '../../../../server/runtime/session-record.ts';
import type { JudgedNotification, JudgedResponse } from '../../../../server/runtime/judged.ts';
import type { Message, RequestId } from '../../../../jsonrpc/message.ts';
import type { LastingStreams } from './stream.ts';

/** The other processes that serve a session, as its copy here has them. Without any there is nothing in its place. */
export interface Elsewhere {
  /** Beginning of the ids of questions that are asked here, by which their answers find the way back. */
  readonly idsBegin: string;
  /** Writes down what the client changed. */
  changed(change: SessionChange): void;
  /** Waits until every process can know what was changed, as far as that could be written down. */
  saved(): Promise<void> | undefined;
  /** Number of times that a change could not be written down. */
  readonly failures: number;
  /** The streams of the session, in the way of its revision. */
  streams(resumption: 'event-ids' | 'polling'): LastingStreams;
  /** Waits until what was sent on streams is kept and written. */
  flushed(): Promise<unknown>;
  /**
   * Passes on what may be for another process.
   *
   * @param runs Tells whether a request runs here.
   * @returns True when it is for nobody here.
   */
  pass(judged: JudgedNotification | JudgedResponse, runs: (id: RequestId) => boolean): boolean;
  /** Takes a message that belongs to no request, and for which no stream is open here; false when it is to wait here. */
  deliver(json: string, message: Message): boolean;
  /** The stream for what belongs to no request is open here now. */
  listening(): void;
}
