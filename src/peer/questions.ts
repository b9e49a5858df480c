/** Everything that only those need who ask a client; `asking.ts` loads it for them. */

export { Outgoing } from './outgoing.ts';
export { continueInSession, firstRun, runInRounds } from './rounds.ts';
export { askOnce, SessionAsker } from './session-asker.ts';
