import { after } from '../../../../../jsonrpc/timeout.ts';
import { StoreError } from '../../../../../storage/store.ts';
import type { StoredEvent, StreamLog, StreamWriter } from '../../../../../storage/stream-log.ts';

/**
 * Time for finding out whether a failed append was stored, and pause between two tries, in milliseconds. A failover of
 * the engine takes less.
 */
const limitMs = 5_000;
const pauseMs = 250;

/** Parts of the events of one stream. */
export interface KeptEventsParts {
  readonly name: string;
  readonly log: StreamLog;
  /** Text about the stream. */
  readonly about: string;
  /** The previous writer, if this process continues its stream. */
  readonly writer?: { readonly writer: StreamWriter; readonly last: number } | undefined;
  now(): number;
}

/**
 * The events of one stream, stored by its writer. After a failed append it is unknown whether the event was stored: it
 * may still arrive. So this process becomes a new writer, which late events cannot overtake. Then it reads what is
 * stored and appends the missing events. Newer events come after them.
 */
export class StoredEvents {
  readonly #parts: KeptEventsParts;
  #writer: Promise<StreamWriter> | undefined;
  /** The newest writer, whose mark is read when needed. */
  #latest: StreamWriter | undefined;
  /** Number of the last event that is known to be stored. */
  #last: number;
  /** Settles when the append that was begun last is over. */
  #before: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** True from an append that failed until nothing waits any more: one comes after the other then. */
  #isInTurns = false;
  /** Time of the first failure of those. */
  #failedAt = 0;
  /** True if a new writer is needed. */
  #isLost = false;
  /** Events that turned out to be stored. */
  #found: StoredEvent[] = [];
  /** The reason why an event could not be stored. After a gap, nothing is stored. */
  #failure: unknown;

  constructor(parts: KeptEventsParts) {
    this.#parts = parts;
    this.#writer = parts.writer && Promise.resolve(parts.writer.writer);
    this.#latest = parts.writer?.writer;
    this.#last = parts.writer?.last ?? 0;
  }

  /**
   * Stores the next event.
   *
   * @returns Its number.
   * @throws StoreError `fenced` if another process writes the stream, or the reason why storing failed. The event may
   * be stored all the same. Later ones fail in the same way.
   */
  append(data: string, last: boolean): Promise<number> {
    const kept = this.#append(data, last, this.#before);
    this.#before = kept.catch((cause: unknown) => (this.#failure ??= cause));
    return kept;
  }

  /** Another process writes the stream from now on: this one neither searches nor stores. */
  stop(): void {
    this.#failure ??= foreign();
  }

  async #append(data: string, last: boolean, before: Promise<unknown>): Promise<number> {
    this.#waiting++;
    try {
      if (!this.#isInTurns && this.#failure === undefined)
        try {
          return (this.#last = await (await this.#written()).append(data, last));
        } catch (cause) {
          if (!isUnknown(cause)) throw cause;
          this.#failed();
        }
      // Those before may fail after this one.
      await before;
      if (this.#failure !== undefined) throw this.#failure as Error;
      return (this.#last = await this.#insist(data, last));
    } finally {
      if (--this.#waiting === 0) this.#isInTurns = false;
    }
  }

  #failed(): void {
    this.#isLost = true;
    if (this.#isInTurns) return;
    this.#isInTurns = true;
    this.#failedAt = this.#parts.now();
  }

  async #insist(data: string, last: boolean): Promise<number> {
    const { now } = this.#parts;
    for (;;)
      try {
        if (this.#isLost) await this.#settle();
        const found = this.#found.shift();
        if (found !== undefined && found.data === data) return found.number;
        if (found !== undefined) throw foreign();
        const writer = await this.#written();
        this.#unlessStopped();
        return await writer.append(data, last);
      } catch (cause) {
        if (!isUnknown(cause) || now() - this.#failedAt >= limitMs) throw cause;
        this.#failed();
        await new Promise<void>((resolve) => void after(pauseMs, resolve, true));
        this.#unlessStopped();
      }
  }

  /** Becomes the writer again, unless another process is by now, and finds the stored events. */
  async #settle(): Promise<void> {
    const { log, name } = this.#parts;
    // If the stream is complete, this or another process completed it. An attempt to append more fails.
    const writer = await this.#write().catch(unlessFenced);
    const rest = await log.read(name, this.#last);
    if (rest === undefined) throw new StoreError('full', 'events of the stream are no longer stored');
    this.#writer = writer === undefined ? undefined : Promise.resolve(writer);
    this.#found = [...rest.events];
    this.#isLost = false;
  }

  #unlessStopped(): void {
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  async #written(): Promise<StreamWriter> {
    return await (this.#writer ??= this.#write());
  }

  async #write(): Promise<StreamWriter> {
    const { log, name, about } = this.#parts;
    return (this.#latest = await log.write(name, about, this.#latest?.mark));
  }
}

function foreign(): StoreError {
  return new StoreError('fenced', 'another process writes the stream');
}

/** Tells whether something that failed may have been done. */
function isUnknown(cause: unknown): boolean {
  return cause instanceof StoreError && cause.reason === 'unavailable';
}

/** Tells whether another process writes the stream. */
export function isFenced(cause: unknown): boolean {
  return cause instanceof StoreError && cause.reason === 'fenced';
}

/** Returns nothing if another process writes the stream or it is complete. */
export function unlessFenced(cause: unknown): undefined {
  if (!isFenced(cause)) throw cause;
}
