import type { Bench } from '../../harness/bench.ts';
import type { RawExchange } from '../../harness/exchange.ts';
import { isEventStream } from '../../harness/manner.ts';
import type { Prober } from '../../harness/prober.ts';

/** Longest life of a stream that nobody ends, in times of `quietMs`. */
const longest = 100;

/**
 * Does something while streams of GET are open, and hears them for a moment longer.
 *
 * @param count Number of the streams.
 * @returns What it gave, and the streams that the server opened.
 */
export async function besideStreams<Done>(
  bench: Bench,
  { speaker, count }: { readonly speaker: Prober; readonly count: number },
  run: () => Promise<Done>,
): Promise<{ readonly done: Done; readonly streams: readonly RawExchange[] }> {
  const over = new AbortController();
  const waitTimeoutMs = longest * bench.quietMs;
  let heads = 0;
  let areOpen = (): void => {};
  const open = new Promise<void>((resolve) => (areOpen = resolve));
  const begun = (): void => void (++heads === count && areOpen());
  const fetched = Array.from({ length: count }, () =>
    speaker.fetch('GET', { waitTimeoutMs, stop: over.signal, begun }),
  );
  const opening = Promise.all(fetched);
  // Nobody waits for it yet when a run is cut short.
  opening.catch(() => undefined);
  try {
    // Some servers send the head of a stream with its first event.
    await Promise.race([open, opening, speaker.rest(3 * bench.quietMs)]);
    const done = await run();
    await speaker.rest(bench.quietMs);
    over.abort();
    const all = await opening;
    return { done, streams: all.filter((one): one is RawExchange => one?.status === 200 && isEventStream(one)) };
  } finally {
    over.abort();
  }
}
