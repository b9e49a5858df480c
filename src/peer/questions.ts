/** Everything that only those need who ask a client; `asking.ts` loads it for them. */

export { Outgoing } from './outgoing.ts';
export { continueInSession, runInRounds, takeOver } from './rounds.ts';
export { askOnce, SessionAsker } from './session-asker.ts';
