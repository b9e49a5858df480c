/** Limit of requests that wait. */
const maxWaiting = 100;

/**
 * Requests of a server that arrive after it answered `initialize`, and before the client knows that
 * `notifications/initialized` was taken. Over HTTP+SSE the server may ask on its stream before it answers that POST.
 */
export class EarlyRequests {
  #isOpen = false;
  readonly #waiting: (() => void)[] = [];

  /** Begins to keep requests: the server answered `initialize`. */
  begin(): void {
    this.#isOpen = true;
  }

  /** Keeps a request until the revision is settled. @returns False if it must be answered at once. */
  keeps(method: string, run: () => void): boolean {
    if (!this.#isOpen || method === 'ping' || this.#waiting.length >= maxWaiting) return false;
    this.#waiting.push(run);
    return true;
  }

  /** Runs what waits: the revision is settled. */
  end(): void {
    this.#isOpen = false;
    for (const run of this.#waiting.splice(0)) run();
  }
}
