import type { ResponseMessage } from '../../jsonrpc/message.ts';
import type { Revision } from '../../protocol/revision.ts';

/**
 * Answers a request of the peer, before or after the revision is negotiated. Over HTTP a lost answer is sent again,
 * with growing pauses, as long as the peer may wait for it: until the signal is aborted, the connection ends, or none
 * of our requests is under way.
 *
 * @returns Settles when the peer has the answer or the tries ended. It never rejects.
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
  /** Our request in whose exchange the question came. If it is known, only that request sees the cause. */
  readonly request?: number | undefined;
}
