/** Waiting for what needs no time. */

import { stuckAfterMs } from './stuck.ts';

/** Lets everything run that waits for nothing but its turn. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 100; i++) await Promise.resolve();
}

/** Not that of a test, which may have the clock in hand. */
const { setTimeout } = globalThis;

/** How many times `until` looks at once, before it looks less and less often. */
const eager = 20;

/**
 * Waits until something is so: what another thread or process does takes as many turns of this one as the machine pleases. It looks
 * at every turn at first, and later every 20 ms, so that it does not take the processor from what it waits for. Clocks of tests do not stop it.
 *
 * @throws Error when it never is.
 */
export async function until(done: () => boolean, what: string = String(done)): Promise<void> {
  const giveUpAt = performance.now() + stuckAfterMs;
  for (let tries = 0; !done(); tries++) {
    if (performance.now() > giveUpAt) throw new Error(`never: ${what}`);
    await new Promise<void>((resolve) => {
      if (tries < eager) setImmediate(resolve);
      else setTimeout(resolve, Math.min(20, tries - eager + 1));
    });
  }
}

/** Waits until something is so, and lets time pass by the clock of the test before each look. */
export async function passing(done: () => boolean, tick: () => void): Promise<void> {
  await until(() => {
    if (done()) return true;
    tick();
    return false;
  }, String(done));
}
