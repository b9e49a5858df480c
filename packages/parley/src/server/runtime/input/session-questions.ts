/** The code that only asking the client of a session needs. `requesting.ts` loads it on demand. */

export { askOnce, LiveRequester } from './live-requester.ts';
export { connectionOf } from './question.ts';
