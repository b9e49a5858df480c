/** An exchange of the client over HTTP, and what its parts say of failures. */

import type { RequestId } from '../../jsonrpc/message.ts';
import { askedWaitMs } from '../../jsonrpc/retry-after.ts';
import { ConnectionError, type Receiver } from '../../jsonrpc/transport.ts';
import type { FetchResponse } from './fetch.ts';
import { withoutSecrets } from './words.ts';

/** One POST that waits for what answers it. */
export interface PostExchange {
  /** The ids of its requests that have no response yet. */
  readonly waiting: Set<RequestId>;
  readonly receiver: Receiver;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Closes the response stream. */
  abort(): void;
  /** True when the request named a session, which a 404 then says is gone. */
  readonly inSession: boolean;
  /** The headers with which its last request was sent. */
  sent: Readonly<Record<string, string>>;
  /** URL that it goes to, for who reads of its failure. */
  readonly url: URL;
}

/** Content of a response that is no success. */
export interface Refusal {
  readonly failure: ConnectionError;
  /** The error message for the only request, where the body holds one. */
  readonly message: Readonly<Record<string, unknown>> | undefined;
  /** True when only a server of a stateless revision answers like this. */
  readonly stateless: boolean;
}

/** Length of a body that goes into an error, in bytes. */
export const shownBytes = 2_048;

/** Tells whether a refusal is about who asks: a 403 without a challenge may be about anything, a Host that is not allowed say. */
export function isUnauthorized(status: number, challenge: string | undefined): boolean {
  return status === 401 || (status === 403 && challenge !== undefined);
}

/** The challenges of a refusal, of however many header fields, as they may be written down. */
export async function challengeOf(
  { headers }: FetchResponse,
  { sent }: Pick<PostExchange, 'sent'>,
): Promise<{ readonly challenge?: string }> {
  const challenge = headers.get('www-authenticate');
  return challenge === null ? {} : { challenge: await withoutSecrets(challenge, sent) };
}

/** Error of the sender for a failure of reading. */
export function exchangeError(error: unknown, exchange: PostExchange): ConnectionError {
  if (exchange.signal.aborted) return new ConnectionError('aborted', 'the exchange was given up', { cause: error });
  if (error instanceof ConnectionError) return error;
  return new ConnectionError('closed', 'the response broke off', { cause: error });
}

/** Time that a response asks to wait before the next request, in milliseconds, where it says. */
export function retryAfter(response: FetchResponse): number | undefined {
  return askedWaitMs(response.headers.get('retry-after'));
}
