/** Writes a pattern as the states of an automaton (Thompson, 1968). */

import { Beyond, type PatternPart, type Anchor } from './parse.ts';

/** A state: what must be there to go on, and to where. */
export interface AutomatonState {
  /** The set that the next character is taken from, by its number; nothing is taken without it. */
  readonly set?: number;
  /** Condition on the place. */
  readonly place?: Anchor;
  /** Search from this place on or back, by its number, and whether it must find something. */
  readonly look?: { readonly number: number; readonly wanted: boolean };
  /** States in which it goes on; nowhere where the whole pattern was found. */
  readonly next: readonly number[];
}

/** A pattern to be looked for in one direction. */
export interface Program {
  readonly states: readonly AutomatonState[];
  readonly first: number;
  /** True when it is read from its end, as what is looked ahead for is. */
  readonly backward: boolean;
}

/** A pattern, and what it looks ahead and behind for, each after what it needs. */
export interface Programs {
  readonly main: Program;
  readonly looks: readonly Program[];
  /** The pieces of the pattern that stand for sets of characters. */
  readonly sets: readonly string[];
  /** The number of all states. */
  readonly size: number;
}

/** Limit of looks around in a pattern: each takes a bit of a number. */
const maxLooks = 16;

/** Limit of parts that are written for each state that there may be. */
const writtenOfEachState = 8;

/**
 * Writes a pattern as programs. What is repeated is written out.
 *
 * @throws Beyond when there would be more states than `most`, or too much to look around for.
 */
export function toPrograms(part: PatternPart, most: number): Programs {
  const writer = new Writer(most);
  const main = writer.program(part, false);
  return { main, looks: writer.looks, sets: [...writer.sets.keys()], size: writer.size };
}

class Writer {
  readonly looks: Program[] = [];
  readonly sets = new Map<string, number>();
  size = 0;
  #written = 0;
  readonly #most: number;
  readonly #numbers = new Map<PatternPart, number>();

  constructor(most: number) {
    this.#most = most;
  }

  program(part: PatternPart, backward: boolean): Program {
    const states: AutomatonState[] = [];
    const add = (state: AutomatonState): number => {
      this.#count();
      return states.push(state) - 1;
    };
    /** Writes a part in front of the state where it goes on. */
    const write = (one: PatternPart, next: number): number => {
      this.#write();
      switch (one.kind) {
        case 'one':
          return add({ set: this.#set(one.source), next: [next] });
        case 'at':
          return add({ place: one.place, next: [next] });
        case 'look':
          return add({ look: this.#look(one), next: [next] });
        case 'any':
          return add({ next: one.parts.map((other) => write(other, next)) });
        case 'all': {
          const order = backward ? one.parts : one.parts.toReversed();
          return order.reduce((after, other) => write(other, after), next);
        }
        case 'repeat':
          return repeat(one, next);
      }
    };
    const repeat = ({ part: one, least, most }: PatternPart & { readonly kind: 'repeat' }, next: number): number => {
      let entry = next;
      let copies = least;
      if (most === Number.POSITIVE_INFINITY) {
        const ways = [next];
        const loop = add({ next: ways });
        const body = write(one, loop);
        ways.push(body);
        entry = least === 0 ? loop : body;
        copies = Math.max(least - 1, 0);
      } else for (let extra = most - least; extra > 0; extra--) entry = add({ next: [write(one, entry), next] });
      for (; copies > 0; copies--) {
        const before = this.size;
        entry = write(one, entry);
        // What is empty costs something too.
        if (this.size === before) this.#count();
      }
      return entry;
    };
    const last = add({ next: [] });
    return { states, first: write(part, last), backward };
  }

  /** Work of what takes no state, such as an empty group, which is work all the same where it is repeated. */
  #write(): void {
    if (++this.#written > this.#most * writtenOfEachState)
      throw new Beyond('so much that is repeated', { isSize: true });
  }

  #count(): void {
    if (++this.size > this.#most) throw new Beyond(`a pattern with more than ${this.#most} states`, { isSize: true });
  }

  #set(source: string): number {
    const number = this.sets.get(source) ?? this.sets.size;
    this.sets.set(source, number);
    return number;
  }

  #look({ part, behind, negative }: PatternPart & { readonly kind: 'look' }): NonNullable<AutomatonState['look']> {
    // What is repeated comes here more than once.
    let number = this.#numbers.get(part);
    if (number === undefined) {
      const program = this.program(part, !behind);
      if (this.looks.length >= maxLooks) throw new Beyond('so much lookaround', { isSize: true });
      number = this.looks.push(program) - 1;
      this.#numbers.set(part, number);
    }
    return { number, wanted: !negative };
  }
}
