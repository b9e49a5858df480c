/**
 * Parts that servers and clients load when they need them first. Loaded before, they keep the first call of a test from waiting for a file, which no clock
 * of the test's own moves.
 */

import { loadedOnce } from '../options/loaded-once.ts';

/** Loads all of it, once in a process. */
export const allLoaded: () => Promise<unknown> = loadedOnce(async () => {
  // One after the other: where Jest runs ES modules, modules that import the same and are loaded at once fail each other.
  await import('../schema/json-schema.ts');
  await import('../schema/usable/lost-digits.ts');
  await import('../schema/usable/usable.ts');
  await import('../server/runtime/input/as-task.ts');
  await import('../server/runtime/input/session-questions.ts');
  await import('../server/runtime/input/handler-rounds.ts');
  await import('../server/runtime/middleware/passing.ts');
  await import('../server/mount/through.ts');
  await import('../server/parts/offered.ts');
  await import('../server/parts/seldom-used.ts');
  await import('../server/rates/rates.ts');
  await import('../server/processes/changes.ts');
  await import('../server/tasks/load.ts');
  await import('../client/input/input.ts');
  await import('../client/middleware/passing.ts');
  await import('../client/subscriptions/subscriptions.ts');
  await import('../client/tasks/client-tasks.ts');
  await import('../client/tasks/client-side-tasks.ts');
});
