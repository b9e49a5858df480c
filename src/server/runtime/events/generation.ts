import type { Records } from '../../../storage/records.ts';

/** Key of the record that shows whether what was kept is still there. */
const key = 'generation of the store';
/** Time for which it lives after a look, in milliseconds: a month. */
const ttlMs = 2_592_000_000;

/** Finds out whether a store has lost what it kept: a record of it, which all processes share, has another text then. */
export class StoreGeneration {
  readonly #records: Records;
  readonly #emptied: () => void;
  #known: string | undefined;
  #looking: Promise<void> | undefined;

  /** @param emptied Hears that what was kept is gone. */
  constructor(records: Records, emptied: () => void) {
    this.#records = records;
    this.#emptied = emptied;
  }

  /** Looks; all who ask meanwhile wait for one look. It never rejects: that a store cannot be used is told elsewhere. */
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
