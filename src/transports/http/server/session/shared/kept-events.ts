import { after } from '../../../../../jsonrpc/timeout.ts';
import { StoreError } from '../../../../../storage/store.ts';
import type { KeptEvent, StreamLog, StreamWriter } from '../../../../../storage/stream-log.ts';

/** Time in which it is found out whether an event is kept whose append failed, and pause between two tries, in milliseconds. An engine that fails over takes less. */
const patienceMs = 5_000;
const pauseMs = 250;

/** Parts of the events of one stream. */
export interface KeptEventsParts {
  readonly name: string;
  readonly log: StreamLog;
  /** Text about the stream. */
  readonly about: string;
  /** Somebody who wrote it before, where it goes on here. */
  readonly writer?: { readonly writer: StreamWriter; readonly last: number } | undefined;
  now(): number;
}

/**
 * The events of one stream as its writer keeps them. Where an append fails nobody knows whether the event is kept: what is late may still arrive. So somebody
 * becomes the writer anew, whom that cannot overtake, looks what there is, and appends what is missing. What comes meanwhile comes after it.
 */
export class KeptEvents {
  readonly #parts: KeptEventsParts;
  #writer: Promise<StreamWriter> | undefined;
  /** The writer that was made last, whose mark is asked for when it is needed. */
  #latest: StreamWriter | undefined;
  /** Number of the last event that is known to be kept. */
  #last: number;
  /** Settles when the append that was begun last is over. */
  #before: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** True from an append that failed until nothing waits any more: one comes after the other then. */
  #isInTurns = false;
  /** Time of the first failure of those. */
  #failedAt = 0;
  /** True where the writer is to be made anew. */
  #isLost = false;
  /** Events that turned out to be kept. */
  #found: KeptEvent[] = [];
  /** Reason why one could not be kept: nothing is kept after a hole. */
  #failure: unknown;

  constructor(parts: KeptEventsParts) {
    this.#parts = parts;
    this.#writer = parts.writer && Promise.resolve(parts.writer.writer);
    this.#latest = parts.writer?.writer;
    this.#last = parts.writer?.last ?? 0;
  }

  /**
   * Keeps the next event.
   *
   * @returns Its number.
   * @throws StoreError `fenced` when somebody else writes the stream, or why it cannot be kept: it may be kept all the same. Later ones fail alike.
   */
  append(data: string, last: boolean): Promise<number> {
    const kept = this.#append(data, last, this.#before);
    this.#before = kept.catch((cause: unknown) => (this.#failure ??= cause));
    return kept;
  }

  /** Another process writes the stream from now on: nothing is sought or kept any more. */
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
        if (!isUnknown(cause) || now() - this.#failedAt >= patienceMs) throw cause;
        this.#failed();
        await new Promise<void>((resolve) => void after(pauseMs, resolve, true));
        this.#unlessStopped();
      }
  }

  /** Goes on as the writer, where nobody else is it by now, and finds what was kept. */
  async #settle(): Promise<void> {
    const { log, name } = this.#parts;
    // A stream that is complete is so by what was appended here, or by another process: who wants to append more hears that.
    const writer = await this.#write().catch(unlessFenced);
    const rest = await log.read(name, this.#last);
    if (rest === undefined) throw new StoreError('full', 'events of the stream are no longer kept');
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
  return new StoreError('fenced', 'somebody else writes the stream');
}

/** Tells whether something that failed may have been done. */
function isUnknown(cause: unknown): boolean {
  return cause instanceof StoreError && cause.reason === 'unavailable';
}

/** Tells whether somebody else writes the stream. */
export function isFenced(cause: unknown): boolean {
  return cause instanceof StoreError && cause.reason === 'fenced';
}

/** Nothing, where somebody else writes the stream or it is complete. */
export function unlessFenced(cause: unknown): undefined {
  if (!isFenced(cause)) throw cause;
}
