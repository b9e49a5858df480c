/**
 * Reads a text letter by letter, in all states at once that a pattern can be in. Each set of states that occurs is made
 * once and remembered, with where each letter leads: so a step is mostly a look into a list. No text takes more than its
 * letters times the states.
 */

import type { Letter } from './alphabet.ts';
import type { Anchor } from './parse.ts';
import type { Program, AutomatonState } from './program.ts';

/** Pays for what comes next; `spend` throws when nothing is left. */
export interface SearchBudget {
  spend(steps: number): void;
}

/** Text that there is to read. */
export interface ScannedText {
  readonly letters: readonly Letter[];
  /** Searches around each place that succeed there, the end included, as bits; nothing where the pattern has none. */
  readonly around: Uint16Array | undefined;
}

/** Character behind a place, as far as a program may ask for it. */
type Behind = 'nothing' | 'word' | 'other';

/** States that a program is in together. */
interface Together {
  readonly states: readonly number[];
  readonly behind: Behind;
  /** By the number of the next letter and what is around. */
  readonly steps: Map<number, ScanStep>;
}

/** Step that the next letter takes. */
interface ScanStep {
  /** True when the program came to its end before that letter. */
  readonly found: boolean;
  readonly to: Together;
}

/** A place, seen by a program that reads to it. */
interface View {
  readonly behind: Behind;
  readonly ahead: Letter | undefined;
  readonly around: number;
}

/** Limits of states that are remembered: for each state of the program, and in any case. */
const rememberedOfEach = 64;
const rememberedAlways = 1000;

/** Price of a remembered set beside its states. */
const ofEachSet = 16;

const lettersOfOneStep = 64;
/** States of a set that was not met before: to sort and to name it costs more than to visit them. */
const statesOfOneStep = 2;

/** Looks for a program in texts. */
export class Scan {
  readonly #program: Program;
  readonly #asksForWords: boolean;
  /** In which round a state was last visited. */
  readonly #visited: Uint32Array;
  #round = 0;
  #remembered = new Map<string, Together>();
  #held = 0;

  constructor(program: Program) {
    this.#program = program;
    this.#asksForWords = program.states.some(({ place }) => place === '\\b' || place === '\\B');
    this.#visited = new Uint32Array(program.states.length);
  }

  /**
   * Reads a text until the answer is yes.
   *
   * @param found Told of each place where a way through the program ends, in the order of reading.
   */
  read({ letters, around }: ScannedText, searchBudget: SearchBudget, found: (place: number) => boolean): boolean {
    const { backward } = this.#program;
    const { length } = letters;
    let now = this.#together([], 'nothing');
    for (let read = 0; read <= length; read++) {
      if (read % lettersOfOneStep === 0) searchBudget.spend(1);
      const place = backward ? length - read : read;
      // Before the first letter and behind the last there is none.
      const ahead = letters[backward ? place - 1 : place];
      const bits = around === undefined ? 0 : (around[place] ?? 0);
      const key = (ahead === undefined ? 0 : ahead.number) * 0x1_0000 + bits;
      let step = now.steps.get(key);
      if (step === undefined) {
        step = this.#step(now, { behind: now.behind, ahead, around: bits }, searchBudget);
        now.steps.set(key, step);
      }
      if (step.found && found(place)) return true;
      now = step.to;
    }
    return false;
  }

  #step(now: Together, view: View, searchBudget: SearchBudget): ScanStep {
    const { states, first } = this.#program;
    const round = this.#nextRound();
    // A way may begin at every place.
    const open = [first, ...now.states];
    const to = new Set<number>();
    let found = false;
    let count = 0;
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      if (this.#visited[number] === round) continue;
      this.#visited[number] = round;
      count++;
      const state = states[number];
      if (state === undefined) continue;
      if (state.next.length === 0) found = true;
      if (state.set === undefined) {
        if (this.#isOpen(state, view)) open.push(...state.next);
      } else if (view.ahead?.isIn[state.set] === true) for (const next of state.next) to.add(next);
    }
    searchBudget.spend(count / statesOfOneStep);
    const behind = this.#asksForWords && view.ahead?.isWord === true ? 'word' : 'other';
    this.#held += 2;
    return { found, to: this.#together([...to], behind) };
  }

  #isOpen({ place, look }: AutomatonState, view: View): boolean {
    if (look !== undefined) return ((view.around >> look.number) & 1) === (look.wanted ? 1 : 0);
    return place === undefined || this.#isAt(place, view);
  }

  #isAt(place: Anchor, { behind, ahead }: View): boolean {
    const { backward } = this.#program;
    switch (place) {
      case '^':
        return backward ? ahead === undefined : behind === 'nothing';
      case '$':
        return backward ? behind === 'nothing' : ahead === undefined;
      case '\\b':
        return (behind === 'word') !== (ahead?.isWord === true);
      case '\\B':
        return (behind === 'word') === (ahead?.isWord === true);
    }
  }

  #nextRound(): number {
    // Numbers of rounds come again after 2³², where what is left of them must not count.
    if (++this.#round === 2 ** 32) {
      this.#visited.fill(0);
      this.#round = 1;
    }
    return this.#round;
  }

  #together(given: readonly number[], behind: Behind): Together {
    const states = given.toSorted((one, other) => one - other);
    const key = `${behind} ${states.join()}`;
    const known = this.#remembered.get(key);
    if (known !== undefined) return known;
    if (this.#held > rememberedAlways + rememberedOfEach * this.#visited.length) {
      this.#remembered = new Map();
      this.#held = 0;
    }
    const made: Together = { states, behind, steps: new Map() };
    this.#remembered.set(key, made);
    this.#held += states.length + ofEachSet;
    return made;
  }
}
