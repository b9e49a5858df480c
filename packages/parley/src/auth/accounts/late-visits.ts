/** Visits that no request waits for any more. Their clients are notified when they are complete. */

/** Limit for one user. Beyond it, the oldest is dropped, and its client is not notified. */
const most = 10;

/** The late visits of all persons at one third party. */
export class LateVisits {
  readonly #closed: AbortSignal;
  readonly #of = new Map<string, Set<AbortController>>();

  /** @param closed Ends all of them. */
  constructor(closed: AbortSignal) {
    this.#closed = closed;
  }

  /** Begins to wait for one. Its failure is not reported. */
  add(principal: string, wait: (signal: AbortSignal) => Promise<void>): void {
    const mine = this.#of.get(principal) ?? new Set();
    this.#of.set(principal, mine);
    const ending = new AbortController();
    mine.add(ending);
    const [oldest] = mine;
    if (mine.size > most && oldest !== undefined) {
      mine.delete(oldest);
      oldest.abort();
    }
    const over = (): void => {
      mine.delete(ending);
      if (mine.size === 0 && this.#of.get(principal) === mine) this.#of.delete(principal);
    };
    wait(AbortSignal.any([this.#closed, ending.signal])).then(over, over);
  }
}
