/** Rows that the page holds: there may be many, so that they stand in one list alone, where a number finds its row. */

import type { RowView } from '../../view.ts';

/** Most rows that are held. */
const most = 40_000;

/** Rows in the order of their numbers. */
export class HeldRows {
  #ordered: RowView[] = [];

  /** All of them, until they change. */
  get all(): readonly RowView[] {
    return this.#ordered;
  }

  /** The row with a number. */
  at(n: number | undefined): RowView | undefined {
    return n === undefined ? undefined : this.#ordered[indexOfRow(this.#ordered, n)];
  }

  /** Adds new or changed rows. Beyond the limit, the oldest are dropped. */
  take(rows: readonly RowView[]): void {
    const fresh = new Map<number, RowView>();
    for (const one of rows) {
      const at = indexOfRow(this.#ordered, one.n);
      if (at === -1) fresh.set(one.n, one);
      else this.#ordered[at] = one;
    }
    let last = this.#ordered.at(-1)?.n ?? 0;
    let isSorted = true;
    for (const one of fresh.values()) {
      isSorted &&= one.n > last;
      last = one.n;
      this.#ordered.push(one);
    }
    // Changed rows may arrive after newer ones.
    if (!isSorted) this.#ordered.sort((one, another) => one.n - another.n);
    this.#ordered.splice(0, Math.max(this.#ordered.length - most, 0));
  }

  /** Forgets rows. */
  forget(is: (one: RowView) => boolean): void {
    this.#ordered = this.#ordered.filter((one) => !is(one));
  }
}

/** Index of the row with a number; -1 where there is none. */
export function indexOfRow(rows: readonly RowView[], n: number): number {
  let [low, high] = [0, rows.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const number = rows[middle]?.n ?? 0;
    if (number === n) return middle;
    if (number < n) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
