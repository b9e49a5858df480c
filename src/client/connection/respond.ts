import type { ResponseMessage } from '../../jsonrpc/message.ts';
import type { Revision } from '../../protocol/revision.ts';

/**
 * Answers a request of the peer, in a revision or before one is settled. An answer that is lost on the way over HTTP is
 * sent again, with growing pauses, as long as the peer may wait for it: until the signal is aborted, the connection
 * ends, or none of our requests is under way.
 *
 * @returns Settled when the peer has the answer or it was given up; never rejects.
 */
export type Respond = (
  message: ResponseMessage,
  revision: Revision | undefined,
  options?: RespondOptions,
) => Promise<void>;

/** Circumstances of an answer to the peer. */
export interface RespondOptions {
  /** Gives the answer up. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Reason why the answer is an error. It stays here, as the cause of the errors that requests under way are answered
   * with.
   */
  readonly cause?: unknown;
  /** The request of ours in whose exchange the question came: where that is known, the cause is its alone. */
  readonly request?: number | undefined;
}
