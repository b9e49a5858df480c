import { soon } from './timeout.ts';

/** Duration of a slice. */
const sliceMs = 3;
/** Number of steps between two looks at the clock: a few are never parted. */
const lookSteps = 16;
/** Limit of steps of a slice: what a step leaves behind is done in the same turn, and not measured here. */
const sliceSteps = 64;
/** The same where each step ends something, which leaves more behind. */
const endSteps = 16;

/**
 * Does what is to be done for very many, in slices between which everything else has its turn. Pieces of work are done one
 * after the other, each in its order, so that everybody hears of them in one order.
 */
export class Slices {
  readonly #waiting = new Map<string, () => Iterator<unknown>>();
  readonly #steps: number;
  #work: Iterator<unknown> | undefined;

  /** @param steps The most steps of a slice. */
  constructor(steps: number = sliceSteps) {
    this.#steps = steps;
  }

  /**
   * Does a piece of work: at once, as far as one slice goes, where nothing else is being done.
   *
   * @param key Names it: what waits under the same name already is not done twice.
   * @param begin Makes its steps, when it begins.
   */
  add(key: string, begin: () => Iterator<unknown>): void {
    if (!this.#waiting.has(key)) this.#waiting.set(key, begin);
    if (this.#work === undefined) this.#slice();
  }

  readonly #slice = (): void => {
    let until: number | undefined;
    try {
      for (let step = 1; step <= this.#steps && this.#step(); step++) {
        // Most work is one step, and Node takes milliseconds to load the clock.
        if (until === undefined && this.#isBusy) until = performance.now() + sliceMs;
        if (step % lookSteps === 0 && until !== undefined && performance.now() >= until) break;
      }
    } finally {
      this.#work ??= this.#next();
      if (this.#work !== undefined) soon(this.#slice);
    }
  };

  /** Tells whether there are more steps, as far as is known. */
  get #isBusy(): boolean {
    return this.#work !== undefined || this.#waiting.size > 0;
  }

  /** Does one step; false when there is none left. */
  #step(): boolean {
    const work = (this.#work ??= this.#next());
    if (work === undefined) return false;
    // A step that fails ends its work.
    this.#work = undefined;
    if (work.next().done !== true) this.#work = work;
    return true;
  }

  #next(): Iterator<unknown> | undefined {
    for (const [key, begin] of this.#waiting) {
      this.#waiting.delete(key);
      return begin();
    }
    return undefined;
  }
}

/**
 * Ends each of very many that are there now, in slices.
 *
 * @returns Resolves when all is done; rejects with the error of the first that fails, and does nothing with the rest.
 */
export function eachInSlices<T>(items: Iterable<T>, run: (item: T) => void): Promise<void> {
  const all = [...items];
  return new Promise((resolve, reject) => {
    new Slices(endSteps).add('each', function* () {
      try {
        for (const item of all) {
          run(item);
          yield;
        }
        resolve();
      } catch (cause) {
        reject(cause);
      }
    });
  });
}
