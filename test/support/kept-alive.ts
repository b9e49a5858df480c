/** Counts the timers for which a process waits before it ends. */

import { createHook } from 'node:async_hooks';
import type { TestContext } from 'node:test';

/** Counts, at each call, the timers that were set since and that keep the process alive. */
export function keptAlive(t: TestContext): () => number {
  const timers = new Set<NodeJS.Timeout>();
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'Timeout') timers.add(resource as NodeJS.Timeout);
    },
  }).enable();
  t.after(() => hook.disable());
  // Node marks a timer that was cleared or has fired, and says so in no other way at once.
  const isOver = (timer: object): boolean => '_destroyed' in timer && timer._destroyed === true;
  return () => [...timers].filter((timer) => timer.hasRef() && !isOver(timer)).length;
}
