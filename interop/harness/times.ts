/** How long things may take, in milliseconds: long, since machines are busy; nothing waits without need. */

/** One step of a plan. */
export const stepMs = 30_000;
/** What a step has to hear before it is over. */
export const heardInMs = 10_000;
/** A whole plan. */
export const planMs = 240_000;
/** A server of others until it serves. */
export const startMs = 60_000;
