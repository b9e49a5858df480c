import { hashOf } from '../../connection/hash.ts';
import { maxRemembered, type ReportedMessages } from './reported-messages.ts';

/**
 * The log messages that were sent while the handler had a given number of answers, as hashes. A handler that runs again
 * repeats them, except for the messages of its side effects, which do not run again.
 */
export interface Stage {
  readonly repeated: readonly string[];
  readonly inEffects: readonly string[];
  /** Number of sent messages besides the remembered ones. */
  readonly more: number;
}

interface Growing extends Stage {
  readonly repeated: string[];
  readonly inEffects: string[];
  more: number;
}

/**
 * Distinguishes log messages that an earlier run of a conversation sent from new ones.
 *
 * A message that comes with the same number of answers as before comes from the same place of the handler. It was sent
 * already, whatever its text. A message that comes later than before, from a handler that asks in parallel, is
 * recognized by its text.
 */
export class Reports {
  readonly #sent: Growing[];
  readonly #expected: Growing[];
  #answers = 0;
  #effects = 0;
  #remembered: number;

  /**
   * @param earlier The messages that earlier runs sent, by the number of answers that the handler had.
   * @param said The messages that a first run sent before its first question.
   */
  constructor(earlier: readonly Stage[], said?: ReportedMessages) {
    const sent = said === undefined ? earlier : [stageOf(said)];
    this.#sent = sent.map(growing);
    this.#expected = earlier.map(growing);
    this.#remembered = sent.reduce((sum, { repeated, inEffects }) => sum + repeated.length + inEffects.length, 0);
  }

  /** Messages that were sent, by all runs. */
  get sent(): readonly Stage[] {
    return this.#sent;
  }

  /** Records that the handler got one more answer. */
  answered(): void {
    this.#answers++;
  }

  /** Runs a side effect. Later runs do not repeat the messages that it logs. */
  async during<T>(effect: () => T | Promise<T>): Promise<T> {
    this.#effects++;
    try {
      return await effect();
    } finally {
      this.#effects--;
    }
  }

  /** Tells whether a message is new and must be sent. It remembers the message. */
  isNew(text: string): boolean {
    const hash = hashOf(text);
    if (this.#repeats(hash)) return false;
    while (this.#sent.length <= this.#answers) this.#sent.push({ repeated: [], inEffects: [], more: 0 });
    const stage = this.#sent[this.#answers];
    if (stage === undefined) return true;
    if (this.#remembered >= maxRemembered) stage.more++;
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

function stageOf({ texts, more }: ReportedMessages): Stage {
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
