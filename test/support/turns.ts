/** Waiting for what needs no time. */

import { stuckAfterMs } from './stuck.ts';

/** Lets everything run that waits for nothing but its turn. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 100; i++) await Promise.resolve();
}

/**
 * Waits until something is so, by the clock and not by turns: what another thread does, such as the sealing of a round, takes as
 * many turns of this one as the machine pleases. It needs no timer, so that tests may have theirs in hand.
 *
 * @throws Error when it never is.
 */
export async function until(done: () => boolean, what: string): Promise<void> {
  const giveUpAt = performance.now() + stuckAfterMs;
  while (!done()) {
    if (performance.now() > giveUpAt) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
