/** The code that only asking a client needs. `asking.ts` loads it on demand. */

export { continueByHand, firstRun, runRounds } from './by-rounds.ts';
export { askOnce, AskerByRequests } from './by-requests.ts';
export { connectionOf } from './question.ts';
