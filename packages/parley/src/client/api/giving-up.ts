import { ConnectionError } from '../../jsonrpc/transport.ts';

/** Options of a request that may be given up. */
interface Abortable {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs work that its caller may abort. It then rejects with the reason of the signal, as `fetch` does. An `AbortError`
 * and a `TimeoutError` keep their names.
 */
export function givingUp<T>(options: Abortable | undefined, work: () => Promise<T>): Promise<T> {
  const signal = options?.signal;
  return signal === undefined ? work() : untilAborted(signal, work);
}

/** Does this for work with several steps. */
export async function* givingUpSteps<T>(
  options: Abortable | undefined,
  steps: AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  for (;;) {
    const step = await givingUp(options, () => steps.next());
    if (step.done === true) return;
    yield step.value;
  }
}

async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    const own = error instanceof ConnectionError && error.reason === 'aborted';
    if (own) signal.throwIfAborted();
    throw error;
  }
}
