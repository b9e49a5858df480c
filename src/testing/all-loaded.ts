/**
 * Parts that servers and clients load when they need them first. Loaded before, they keep the first call of a test from waiting for a file, which no clock
 * of the test's own moves.
 */

import { loadedOnce } from '../mistakes/loaded-once.ts';

/** Loads all of it, once in a process. */
export const allLoaded: () => Promise<unknown> = loadedOnce(() =>
  Promise.all([
    import('../schema/json-schema.ts'),
    import('../schema/usable.ts'),
    import('../host/input/as-task.ts'),
    import('../host/input/questions.ts'),
    import('../host/middleware/passing.ts'),
    import('../server/guide.ts'),
    import('../server/mount/through.ts'),
    import('../server/offer/offered.ts'),
    import('../server/rates/rates.ts'),
    import('../server/shared/changes.ts'),
    import('../server/tasks/load.ts'),
    import('../client/input/input.ts'),
    import('../client/middleware/passing.ts'),
    import('../client/subscriptions/subscriptions.ts'),
    import('../client/tasks/client-tasks.ts'),
    import('../client/tasks/hosted.ts'),
  ]),
);
