/** The code that only asking a client needs. `asking.ts` loads it on demand. */

export { continueManual, firstRun, runRounds } from './handler-rounds.ts';
export { askOnce, LiveRequester } from './live-requester.ts';
export { connectionOf } from './question.ts';
