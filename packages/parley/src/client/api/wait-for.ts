import { runOnAbort } from '../../jsonrpc/run-on-abort.ts';
import { after, settledWithin } from '../../jsonrpc/timeout.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { aborted } from '../../connection/pending.ts';

/** Limits that end a wait before its time. */
export interface WaitLimits {
  readonly method: string;
  /** The awaited state: `answered`, by default, or `taken`. */
  readonly until?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** 0, Infinity and `undefined` mean no limit. */
  readonly ms?: number | undefined;
}

/**
 * Waits for work that other callers wait for too. An abort does not end the work, and its failure is then ignored here.
 */
export async function waitFor(
  work: Promise<unknown>,
  { method, until = 'answered', signal, ms = 0 }: WaitLimits,
): Promise<void> {
  if (signal?.aborted === true) {
    // An unhandled rejection would end the process.
    work.catch(() => undefined);
    throw aborted(method, signal);
  }
  let release = (): void => {};
  const givenUp = new Promise<never>((_, reject) => {
    const unlistened = signal && runOnAbort(signal, () => reject(aborted(method, signal)));
    const cancel = after(ms === 0 ? Infinity : ms, () =>
      reject(new ConnectionError('timeout', `${method} was not ${until} within ${Math.round(ms)} ms`)),
    );
    release = () => {
      cancel();
      unlistened?.();
    };
  });
  try {
    await Promise.race([work, givenUp]);
  } finally {
    release();
  }
}

/** Waits until something is settled, for a limited time, or until a signal is aborted. The process lives that long. */
export async function settledOrAborted(
  ms: number,
  work: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (signal === undefined) return await settledWithin(ms, work);
  let unlistened = (): void => {};
  const abort = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else unlistened = runOnAbort(signal, resolve);
  });
  try {
    return await settledWithin(ms, Promise.race([work, abort]));
  } finally {
    unlistened();
  }
}
