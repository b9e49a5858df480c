/** Limit of requests that wait for what somebody else says of their tokens. */

import { AuthorizationError } from '../common/errors.ts';
import { OutOfReach } from './problem.ts';

/** The most that wait at once. Each takes a place of a request, which are to be left to those whose tokens are known. */
const mostWaiting = 500;

/** Counts who waits for one that verifies tokens. */
export class Waits {
  #waiting = 0;

  /** @throws OutOfReach where too many wait already. */
  check(): void {
    if (this.#waiting >= mostWaiting)
      throw new OutOfReach(new AuthorizationError('server-error', 'too many access tokens wait to be verified'));
  }

  /**
   * Waits for an answer.
   *
   * @throws OutOfReach where too many wait already.
   */
  async within<T>(answer: Promise<T>): Promise<T> {
    // Where nobody waits for it, nobody is to hear how it ends.
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
