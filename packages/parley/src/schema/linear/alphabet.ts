/** The characters of texts, by what a pattern tells apart. */

import type { SearchBudget } from './scan.ts';

/** Characters that are in the same sets of a pattern. */
export interface Letter {
  /** From 1 on. */
  readonly number: number;
  /** By the number of a set, whether they are in it. */
  readonly isIn: readonly boolean[];
  /** True when they are part of words, as `\b` has it. */
  readonly isWord: boolean;
}

/** Limit of characters that are remembered from one text to the next. */
const maxRemembered = 2000;

/** The first question to a set makes the platform build it. */
const costOfFirstQuestion = 16;

/** Number of characters that one step pays for: characters that were met before. */
const charactersOfOneStep = 64;

/**
 * The letters of a pattern. Which characters a piece of the pattern stands for is asked of the platform, once for each
 * character: so it means what it means in ECMAScript, and takes one step of its engine.
 */
export class Alphabet {
  readonly #sets: readonly RegExp[];
  readonly #unicode: boolean;
  readonly #met = new Map<number, Letter>();
  readonly #letters = new Map<string, Letter>();

  /** @param unicode Whether characters are code points, or units of UTF-16 as in the older syntax. */
  constructor(sets: readonly string[], unicode: boolean) {
    this.#unicode = unicode;
    this.#sets = sets.map((source) => new RegExp(`^${source}$`, unicode ? 'u' : ''));
  }

  /** Tells whether so many characters are remembered that it is time to begin anew. */
  get isFull(): boolean {
    return this.#met.size > maxRemembered;
  }

  /** Reads a text. */
  read(text: string, searchBudget: SearchBudget): readonly Letter[] {
    const letters: Letter[] = [];
    for (let at = 0; at < text.length; at++) {
      // The place is in the text.
      const code = this.#unicode ? (text.codePointAt(at) ?? 0) : text.charCodeAt(at);
      if (code > 0xffff) at++;
      if (letters.length % charactersOfOneStep === 0) searchBudget.spend(1);
      letters.push(this.#met.get(code) ?? this.#meet(code, searchBudget));
    }
    return letters;
  }

  #meet(code: number, searchBudget: SearchBudget): Letter {
    const character = String.fromCodePoint(code);
    const isIn = this.#sets.map((set) => {
      searchBudget.spend(this.#met.size === 0 ? costOfFirstQuestion : 1);
      return set.test(character);
    });
    const isWord = /^\w$/.test(character);
    const key = [...isIn, isWord].map(Number).join('');
    const letter = this.#letters.get(key) ?? { number: this.#letters.size + 1, isIn, isWord };
    this.#letters.set(key, letter);
    this.#met.set(code, letter);
    return letter;
  }
}
