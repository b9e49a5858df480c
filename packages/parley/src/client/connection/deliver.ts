import { runOnAbort } from '../../jsonrpc/run-on-abort.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { isTransient } from '../../jsonrpc/transient.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { maxAskedMs } from './backoff.ts';

/** The pause after the first failure; it doubles with every further one. */
const pauseMs = 250;
const maxPauseMs = 10_000;
/** Time limit of one try. A peer has nothing to do before it acknowledges an answer. */
export const tryMs = 15_000;

/** Options of delivering a message. */
export interface Delivery {
  /** Sends it once. */
  send(signal: AbortSignal): Promise<void>;
  /** Tells whether it is still to be sent, after so many tries. */
  lives(tries: number): boolean;
  /** Ends the pauses. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends an answer until the peer has taken it. The peer depends on it, and accepts it once however often it arrives.
 * Throws permanent failures, and the last failure once the question is over.
 */
export async function deliver({ send, lives, signal }: Delivery): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await inTime(tryMs, send, 'closed');
    } catch (error) {
      if (!isTransient(error) || !lives(tries)) throw error;
      const asked = error instanceof ConnectionError ? (error.retryAfterMs ?? 0) : 0;
      const own = Math.min(maxPauseMs, pauseMs * 2 ** (tries - 1));
      await passed(Math.max(Math.min(maxAskedMs, asked), own), signal);
      if (!lives(tries)) throw error;
    }
  }
}

/** Runs a send with a time limit, whether or not the transport observes the signal. 0 and Infinity mean no limit. */
export async function inTime(
  ms: number,
  send: Delivery['send'],
  reason: 'closed' | 'timeout' = 'timeout',
): Promise<void> {
  const limit = new AbortController();
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = after(ms === 0 ? Infinity : ms, () => {
      reject(new ConnectionError(reason, `a message was not taken within ${Math.round(ms)} ms`));
      limit.abort();
    });
  });
  try {
    await Promise.race([send(limit.signal), late]);
  } finally {
    cancel();
  }
}

function passed(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      cancel();
      unlistened?.();
      resolve();
    };
    const cancel = after(ms, over);
    const unlistened = signal && runOnAbort(signal, over);
    if (signal?.aborted === true) over();
  });
}
