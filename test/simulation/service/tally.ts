/** What came of many schedules, in numbers. */

import type { Outcome } from './schedule.ts';
import { states, type State } from './states.ts';

/** Adds up. */
export class Tally {
  schedules = 0;
  readonly #sums = new Map<string, number>();
  /** In how many schedules each state was come to. */
  readonly #reached = new Map<State, number>();
  readonly #began = process.hrtime.bigint();

  add({ counts, states: reached }: Outcome): void {
    this.schedules++;
    for (const state of reached) this.#reached.set(state, (this.#reached.get(state) ?? 0) + 1);
    for (const [name, sum] of Object.entries(counts)) this.#sums.set(name, (this.#sums.get(name) ?? 0) + sum);
  }

  /** Seconds since it began. */
  get seconds(): number {
    return Number(process.hrtime.bigint() - this.#began) / 1e9;
  }

  /** A line for each state, the rarest first. */
  states(): readonly string[] {
    const counted = states.map((state) => [state, this.#reached.get(state) ?? 0] as const);
    return counted.toSorted(([, one], [, other]) => one - other).map(([state, count]) => `${count} times: ${state}`);
  }

  words(): string {
    const counted = [...this.#sums].map(([name, sum]) => `${sum} ${name}`).join(', ');
    return `${this.schedules} schedules; ${counted}; ${(this.schedules / this.seconds).toFixed(0)} a second`;
  }
}
