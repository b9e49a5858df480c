/** What came of many schedules, in numbers. */

import type { Outcome } from './schedule.ts';

/** Adds up. */
export class Tally {
  schedules = 0;
  readonly #sums = new Map<string, number>();
  readonly #began = process.hrtime.bigint();

  add({ counts }: Outcome): void {
    this.schedules++;
    for (const [name, sum] of Object.entries(counts)) this.#sums.set(name, (this.#sums.get(name) ?? 0) + sum);
  }

  /** Seconds since it began. */
  get seconds(): number {
    return Number(process.hrtime.bigint() - this.#began) / 1e9;
  }

  words(): string {
    const counted = [...this.#sums].map(([name, sum]) => `${sum} ${name}`).join(', ');
    return `${this.schedules} schedules; ${counted}; ${(this.schedules / this.seconds).toFixed(0)} a second`;
  }
}
