/** Looks for patterns of ECMAScript in time linear in the text. */

import { Alphabet } from './alphabet.ts';
import { parsePattern } from './parse.ts';
import { toPrograms, type Programs } from './program.ts';
import { Scan, type SearchBudget, type ScannedText } from './scan.ts';

/** A pattern that is looked for in time linear in the text. */
export interface LinearPattern {
  /** Number of its states: a text takes at most that many steps for each of its characters. */
  readonly size: number;
  /** Tells whether a text has a match. What the purse throws ends the search. */
  test(text: string, searchBudget: SearchBudget): boolean;
}

/**
 * Makes a pattern ready that the platform has accepted.
 *
 * @param unicode Whether it was accepted with the flag `u`; if not, it is in the older syntax.
 * @param most How many states it may have.
 * @throws Beyond for one with references to groups, with flags in it, or with too many states.
 */
export function linearPattern(source: string, unicode: boolean, most: number): LinearPattern {
  const programs = toPrograms(parsePattern(source, unicode), most);
  let search: Search | undefined;
  return {
    size: programs.size,
    test(text, searchBudget) {
      if (search === undefined || search.isFull) search = new Search(programs, unicode);
      return search.test(text, searchBudget);
    },
  };
}

class Search {
  readonly #alphabet: Alphabet;
  readonly #main: Scan;
  readonly #looks: readonly Scan[];

  constructor({ main, looks, sets }: Programs, unicode: boolean) {
    this.#alphabet = new Alphabet(sets, unicode);
    this.#main = new Scan(main);
    this.#looks = looks.map((program) => new Scan(program));
  }

  get isFull(): boolean {
    return this.#alphabet.isFull;
  }

  test(text: string, searchBudget: SearchBudget): boolean {
    const letters = this.#alphabet.read(text, searchBudget);
    const around = this.#looks.length === 0 ? undefined : new Uint16Array(letters.length + 1);
    const reading: ScannedText = { letters, around };
    for (const [number, look] of this.#looks.entries())
      look.read(reading, searchBudget, (place) => {
        if (around !== undefined) around[place] = (around[place] ?? 0) | (1 << number);
        return false;
      });
    return this.#main.read(reading, searchBudget, () => true);
  }
}
