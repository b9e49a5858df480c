import { digestOf } from './digest.ts';

/**
 * The log messages that were sent while a number of questions were answered, as digests. A handler that runs again says
 * them again, but for what its side effects said, which do not run again.
 */
export interface Stage {
  readonly repeated: readonly string[];
  readonly inEffects: readonly string[];
  /** How many were sent beside those that are remembered. */
  readonly more: number;
}

/** How many messages of one conversation are remembered; of more, only the number is. */
const mostRemembered = 1000;

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

  /** @param sent What earlier runs sent, by the number of answers that the handler had. */
  constructor(sent: readonly Stage[] = []) {
    this.#sent = sent.map(growing);
    this.#expected = sent.map(growing);
    this.#remembered = sent.reduce((sum, { repeated, inEffects }) => sum + repeated.length + inEffects.length, 0);
  }

  /** What was sent, by all runs. */
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

  /** Whether a message is new, and is to be sent; it is remembered then. */
  isNew(message: readonly unknown[]): boolean {
    const digest = digestOfAny(message);
    if (this.#repeats(digest)) return false;
    while (this.#sent.length <= this.#answers) this.#sent.push({ repeated: [], inEffects: [], more: 0 });
    const stage = this.#sent[this.#answers];
    if (stage === undefined) return true;
    if (this.#remembered >= mostRemembered) stage.more++;
    else (this.#effects > 0 ? stage.inEffects : stage.repeated).push(digest);
    this.#remembered++;
    return true;
  }

  #repeats(digest: string): boolean {
    const here = this.#expected[this.#answers];
    if (here !== undefined && (take(here.repeated, digest) || take(here.inEffects, digest))) return true;
    if (this.#expected.some(({ repeated }) => take(repeated, digest))) return true;
    if (here === undefined) return false;
    return here.repeated.shift() !== undefined || here.more-- > 0;
  }
}

interface Growing extends Stage {
  readonly repeated: string[];
  readonly inEffects: string[];
  more: number;
}

function growing({ repeated, inEffects, more }: Stage): Growing {
  return { repeated: [...repeated], inEffects: [...inEffects], more };
}

function take(digests: string[], digest: string): boolean {
  const at = digests.indexOf(digest);
  if (at >= 0) digests.splice(at, 1);
  return at >= 0;
}

/** Of what has no JSON text, such as a cycle, only the place is known. */
function digestOfAny(message: readonly unknown[]): string {
  try {
    return digestOf(message);
  } catch {
    return '';
  }
}
