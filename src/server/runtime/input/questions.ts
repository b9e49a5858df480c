/** Everything that only those need who ask a client; `asking.ts` loads it for them. */

export { continueByHand, firstRun, runRounds } from './by-rounds.ts';
export { askOnce, AskerByRequests } from './by-requests.ts';
export { connectionOf } from './question.ts';
