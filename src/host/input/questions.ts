/** Everything that only those need who ask a client; `asking.ts` loads it for them. */

export { Outgoing } from '../outgoing.ts';
export { continueInSession, firstRun, runInRounds } from './by-rounds.ts';
export { askOnce, AskerByRequests } from './by-requests.ts';
