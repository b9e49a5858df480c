import { hashOf } from '../../../connection/hash.ts';
import { mostRemembered, type Said } from '../said.ts';

/**
 * The log messages that were sent while a number of questions were answered, as hashes of their words. A handler that
 * runs again says them again, but for what its side effects said, which do not run again.
 */
export interface Stage {
  readonly repeated: readonly string[];
  readonly inEffects: readonly string[];
  /** Number of those that were sent beside those that are remembered. */
  readonly more: number;
}

interface Growing extends Stage {
  readonly repeated: string[];
  readonly inEffects: string[];
  more: number;
}

/**
 * Tells log messages that an earlier run of a conversation sent from new ones.
 *
 * What is said with as many questions answered as before stands at the same place of the handler, and was sent, in
 * whatever words. What is said later than before, by a handler that asks side by side, is known by its words.
 */
export class Reports {
  readonly #sent: Growing[];
  readonly #expected: Growing[];
  #answers = 0;
  #effects = 0;
  #remembered: number;

  /**
   * @param earlier What earlier runs sent, by the number of answers that the handler had.
   * @param said What a first run sent before it asked.
   */
  constructor(earlier: readonly Stage[], said?: Said) {
    const sent = said === undefined ? earlier : [stageOf(said)];
    this.#sent = sent.map(growing);
    this.#expected = earlier.map(growing);
    this.#remembered = sent.reduce((sum, { repeated, inEffects }) => sum + repeated.length + inEffects.length, 0);
  }

  /** Reports that were sent, by all runs. */
  get sent(): readonly Stage[] {
    return this.#sent;
  }

  /** The handler got one more answer. */
  answered(): void {
    this.#answers++;
  }

  /** Runs a side effect: what is said meanwhile is not said by later runs. */
  async during<T>(effect: () => T | Promise<T>): Promise<T> {
    this.#effects++;
    try {
      return await effect();
    } finally {
      this.#effects--;
    }
  }

  /** Tells whether a message is new, and is to be sent; it is remembered then. */
  isNew(text: string): boolean {
    const hash = hashOf(text);
    if (this.#repeats(hash)) return false;
    while (this.#sent.length <= this.#answers) this.#sent.push({ repeated: [], inEffects: [], more: 0 });
    const stage = this.#sent[this.#answers];
    if (stage === undefined) return true;
    if (this.#remembered >= mostRemembered) stage.more++;
    else (this.#effects > 0 ? stage.inEffects : stage.repeated).push(hash);
    this.#remembered++;
    return true;
  }

  #repeats(hash: string): boolean {
    const here = this.#expected[this.#answers];
    if (here !== undefined && (take(here.repeated, hash) || take(here.inEffects, hash))) return true;
    if (this.#expected.some(({ repeated }) => take(repeated, hash))) return true;
    if (here === undefined) return false;
    return here.repeated.shift() !== undefined || here.more-- > 0;
  }
}

function stageOf({ texts, more }: Said): Stage {
  return { repeated: texts.map(hashOf), inEffects: [], more };
}

function growing({ repeated, inEffects, more }: Stage): Growing {
  return { repeated: [...repeated], inEffects: [...inEffects], more };
}

function take(hashes: string[], hash: string): boolean {
  const at = hashes.indexOf(hash);
  if (at >= 0) hashes.splice(at, 1);
  return at >= 0;
}
