/** Interval at which a task is asked for whose peer names none, and the shortest that is ever used, in milliseconds. */
const unsaidMs = 1000;
const shortestMs = 100;

/** Interval up to which nothing but the peer's own words makes it longer, in milliseconds. */
const slowestMs = 30_000;

/**
 * Pace at which a task of the peer is asked for: never faster than the peer says, slower while nothing changes, and never quite even,
 * so that those who began together do not go on together. (Spec 2025-11-25, Tasks, Getting Tasks.)
 */
export class PollPace {
  readonly #random: () => number;
  #state: unknown;
  #slower = 1;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /**
   * The time to wait before the next look, in milliseconds.
   *
   * @param told Interval that the peer names, in milliseconds, whatever it is.
   * @param state What it was seen as; where that is new, the pace is the told one again.
   */
  next(told: unknown, state: unknown): number {
    const base = typeof told === 'number' && Number.isFinite(told) ? Math.max(shortestMs, told) : unsaidMs;
    this.#slower = state === this.#state ? this.#slower * 1.5 : 1;
    this.#state = state;
    const slowed = Math.max(base, Math.min(base * this.#slower, slowestMs));
    return slowed * (1 + this.#random() * 0.1);
  }
}
