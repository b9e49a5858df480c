import type { RequestId } from '../../../../jsonrpc/message.ts';
import type { Records } from '../../../../store/records.ts';
import { answeredIn } from './about-stream.ts';

/** The least time for which it is kept, in milliseconds: no log keeps a stream for longer that nobody writes. */
const shortestMs = 10 * 60_000;

/** Place of what is kept of a batch. */
export interface BatchRecordPlace {
  readonly records: Records;
  readonly session: string;
  readonly stream: string;
  /** The requests of the batch, as whoever goes on with its stream knows them. */
  readonly requests: readonly RequestId[];
}

/** Ways of who writes the stream. */
export interface BatchRecordWays {
  /** Time for which it is kept, in milliseconds. */
  readonly ttlMs: number;
  now(): number;
  /** Hears, once, why it could not be kept. */
  failed(cause: unknown): void;
}

/**
 * The requests of a batch that were answered on its stream, kept beside the log of that: the log drops its oldest events, and who goes on with the stream in the
 * place of a process that is gone would answer those once more whose responses are among them.
 */
export class BatchRecord {
  readonly #place: BatchRecordPlace;
  readonly #ways: BatchRecordWays;
  readonly #ttlMs: number;
  readonly #answered = new Set<number>();
  #keptAt = 0;
  #isFailed = false;

  constructor(place: BatchRecordPlace, ways: BatchRecordWays) {
    this.#place = place;
    this.#ways = ways;
    this.#ttlMs = Math.max(shortestMs, ways.ttlMs);
  }

  /** Takes in an event that the log has by now. It never rejects. */
  async note(data: string): Promise<void> {
    const { requests, records } = this.#place;
    const before = this.#answered.size;
    for (const id of answeredIn([data]))
      for (const [at, one] of requests.entries()) if (one === id) this.#answered.add(at);
    const now = this.#ways.now();
    const isDue = before > 0 && now - this.#keptAt >= this.#ttlMs / 4;
    if (this.#answered.size === before && !isDue) return;
    this.#keptAt = now;
    try {
      await records.put(keyOf(this.#place), JSON.stringify([...this.#answered]), this.#ttlMs);
    } catch (cause) {
      if (!this.#isFailed) this.#ways.failed(cause);
      this.#isFailed = true;
    }
  }

  /** Forgets it, once the stream is complete. It never rejects; what stays goes by itself. */
  async forget(): Promise<void> {
    if (this.#answered.size > 0) await forgetBatch(this.#place);
  }
}

/** The requests of a batch that were answered on its stream, as its writer kept it. */
export async function answeredBefore(place: BatchRecordPlace): Promise<readonly RequestId[]> {
  const kept = await place.records.get(keyOf(place));
  const places: unknown = kept === undefined ? [] : JSON.parse(kept.text);
  return Array.isArray(places) ? place.requests.filter((_, at) => places.includes(at)) : [];
}

/** Forgets what is kept of a batch. It never rejects; what stays goes by itself. */
export async function forgetBatch(place: BatchRecordPlace): Promise<void> {
  await Promise.resolve()
    .then(() => place.records.delete(keyOf(place)))
    .catch(() => undefined);
}

function keyOf({ session, stream }: BatchRecordPlace): string {
  return `answered ${session} ${stream}`;
}
