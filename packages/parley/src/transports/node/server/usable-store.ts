import { after, monotonicNow } from '../../../jsonrpc/timeout.ts';
import type { RequestHandler } from '../../../server/runtime/request-handler.ts';

/** Pause between two tries, in milliseconds. */
const pauseMs = 250;

/** Means of waiting for a store. */
export interface StoreWait {
  /** Time after which an unreachable store is an error, in milliseconds. */
  readonly readyTimeoutMs: number;
  /** Called once while waiting for the store. */
  onError(error: Error): void;
  now?(): number;
}

/**
 * Resolves as soon as a store can be used. A store that starts later than this process is retried. A permanent failure
 * is an error at once.
 *
 * @throws The error of the last try.
 */
export async function usableStore(
  store: Pick<NonNullable<RequestHandler['store']>, 'check'>,
  { readyTimeoutMs, onError, now = monotonicNow }: StoreWait,
): Promise<void> {
  for (const since = now(), tries = { waits: 0 }; ;) {
    try {
      return await store.check();
    } catch (cause) {
      if (!isAway(cause) || now() - since + pauseMs > readyTimeoutMs) throw cause;
      if (tries.waits++ === 0)
        onError(new Error(`the store cannot be used yet; it has ${readyTimeoutMs} ms (readyTimeoutMs)`, { cause }));
      await new Promise<void>((resolve) => void after(pauseMs, resolve, true));
    }
  }
}

/** Tells whether an error may pass: the client of a database threw it. An error of the store itself, such as of its settings, has no cause. */
function isAway(error: unknown): boolean {
  const { reason, cause } = (error ?? {}) as { readonly reason?: unknown; readonly cause?: unknown };
  return reason === 'unavailable' && cause !== undefined;
}
