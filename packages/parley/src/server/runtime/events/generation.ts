import type { Records } from '../../../storage/records.ts';

/** Key of the record that shows whether stored data is still there. */
const key = 'generation of the store';
/** Lifetime of the record after each look, in milliseconds: a month. */
const ttlMs = 2_592_000_000;

/** Detects that a store has lost its data. A record that all processes share then has a different text. */
export class StoreGeneration {
  readonly #records: Records;
  readonly #emptied: () => void;
  #known: string | undefined;
  #looking: Promise<void> | undefined;

  /** @param emptied Called when the stored data is gone. */
  constructor(records: Records, emptied: () => void) {
    this.#records = records;
    this.#emptied = emptied;
  }

  /**
   * Reads the record. Concurrent callers share one read. It never rejects: a store that fails is reported elsewhere.
   */
  async look(): Promise<void> {
    await (this.#looking ??= this.#look()
      .catch(() => undefined)
      .finally(() => (this.#looking = undefined)));
  }

  async #look(): Promise<void> {
    let kept = await this.#records.get(key);
    if (kept === undefined) {
      await this.#records.add(key, crypto.randomUUID(), ttlMs);
      kept = await this.#records.get(key);
    } else await this.#records.touch(key, ttlMs);
    if (kept === undefined) return;
    const isOther = this.#known !== undefined && this.#known !== kept.text;
    this.#known = kept.text;
    if (isOther) this.#emptied();
  }
}
