/** Limit of requests that wait for the verification of their tokens by other servers. */

import { AuthorizationError } from '../common/errors.ts';
import { OutOfReach } from './problem.ts';

/** Limit of waiting requests. Each takes a place that requests with known tokens need. */
const maxWaiting = 500;

/** Counts who waits for one that verifies tokens. */
export class Waits {
  #waiting = 0;

  /** @throws OutOfReach where too many wait already. */
  check(): void {
    if (this.#waiting >= maxWaiting)
      throw new OutOfReach(new AuthorizationError('server-error', 'too many access tokens wait to be verified'));
  }

  /**
   * Waits for an answer.
   *
   * @throws OutOfReach where too many wait already.
   */
  async within<T>(answer: Promise<T>): Promise<T> {
    // If it is no longer awaited, its rejection is ignored.
    answer.catch(() => {});
    this.check();
    this.#waiting++;
    try {
      return await answer;
    } finally {
      this.#waiting--;
    }
  }
}
