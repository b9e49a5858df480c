/** Waiting for what needs no time. */

/** Lets everything run that waits for nothing but its turn. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 100; i++) await Promise.resolve();
}

/** Far more than anything takes that is not stuck, on a loaded machine too. */
const patienceMs = 20_000;

/**
 * Waits until something is so, by the clock and not by turns: what another thread does, such as the sealing of a round, takes as
 * many turns of this one as the machine pleases. It needs no timer, so that tests may have theirs in hand.
 *
 * @throws Error when it never is.
 */
export async function until(done: () => boolean, what: string): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (!done()) {
    if (performance.now() > giveUpAt) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
