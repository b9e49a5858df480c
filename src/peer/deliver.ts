import { after } from '../jsonrpc/timeout.ts';
import { isTransient } from '../jsonrpc/transient.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';

/** The pause after the first failure; it doubles with every further one. */
const pauseMs = 250;
const longestPauseMs = 10_000;
/** How long one try may take before the next: whoever takes an answer has nothing to do before saying so. */
const tryMs = 15_000;

/** How a message is delivered. */
export interface Delivery {
  /** Sends it once. */
  send(signal: AbortSignal): Promise<void>;
  /** Whether it is still to be sent, after so many tries. */
  lives(tries: number): boolean;
}

/**
 * Sends an answer until the peer has taken it: the peer waits for nothing else, and takes it once however often it
 * comes. What fails for good, or lives no more, is thrown.
 */
export async function deliver({ send, lives }: Delivery): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryOnce(send);
    } catch (error) {
      if (!isTransient(error) || !lives(tries)) throw error;
      const asked = error instanceof ConnectionError ? (error.retryAfterMs ?? 0) : 0;
      await passed(Math.max(asked, Math.min(longestPauseMs, pauseMs * 2 ** Math.min(tries - 1, 10))));
      if (!lives(tries)) throw error;
    }
  }
}

/** Waits no longer than the time of one try, whether or not the transport heeds the signal. */
async function tryOnce(send: Delivery['send']): Promise<void> {
  const limit = new AbortController();
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = after(tryMs, () => {
      reject(new ConnectionError('closed', `an answer was not taken within ${tryMs} ms`));
      limit.abort();
    });
  });
  try {
    await Promise.race([send(limit.signal), late]);
  } finally {
    cancel();
  }
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => void after(ms, resolve));
}
