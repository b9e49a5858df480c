/** Runs a limited number of jobs at once. Further jobs wait in order. */
export class LimitedWork {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Does something when it is its turn. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
