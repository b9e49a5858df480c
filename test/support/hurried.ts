/** Waits that last less: for tests that show what comes after a wait, and not how long it is. */

import type { TestContext } from 'node:test';

const times = 20;

/**
 * Lets timers of less than `belowMs` take a twentieth of their time until the test is over. Longer ones end what hangs, and stay as they are: a
 * slow machine is no failure. Clocks go on as they do, so that it suits what waits by timers alone.
 */
export function hurried(t: Pick<TestContext, 'mock'>, belowMs = 10_000): void {
  const { setTimeout } = globalThis;
  const faster = (run: () => void, ms: number = 0, ...given: []): unknown =>
    setTimeout(run, ms < belowMs ? ms / times : ms, ...given);
  t.mock.method(globalThis, 'setTimeout', faster as typeof setTimeout);
}
