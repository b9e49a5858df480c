import type { Harness } from '../../harness/harness.ts';
import type { RawExchange } from '../../harness/exchange.ts';
import { isEventStream } from '../../harness/manner.ts';
import type { ProbeClient } from '../../harness/probe-client.ts';

/** Longest life of a stream that nobody ends, in times of `quietMs`. */
const longest = 100;

/**
 * Does something while streams of GET are open, and hears them for a moment longer.
 *
 * @param count Number of the streams.
 * @returns What it gave, and the streams that the server opened.
 */
export async function besideStreams<Done>(
  harness: Harness,
  { probeClient, count }: { readonly probeClient: ProbeClient; readonly count: number },
  run: () => Promise<Done>,
): Promise<{ readonly done: Done; readonly streams: readonly RawExchange[] }> {
  const over = new AbortController();
  const waitTimeoutMs = longest * harness.quietMs;
  let heads = 0;
  let areOpen = (): void => {};
  const open = new Promise<void>((resolve) => (areOpen = resolve));
  const begun = (): void => void (++heads === count && areOpen());
  const fetched = Array.from({ length: count }, () =>
    probeClient.fetch('GET', { waitTimeoutMs, stop: over.signal, begun }),
  );
  const opening = Promise.all(fetched);
  // Nobody waits for it yet when a run is cut short.
  opening.catch(() => undefined);
  try {
    // Some servers send the head of a stream with its first event.
    await Promise.race([open, opening, probeClient.rest(3 * harness.quietMs)]);
    const done = await run();
    await probeClient.rest(harness.quietMs);
    over.abort();
    const all = await opening;
    return { done, streams: all.filter((one): one is RawExchange => one?.status === 200 && isEventStream(one)) };
  } finally {
    over.abort();
  }
}
