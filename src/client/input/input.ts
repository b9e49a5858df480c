/** Everything that only clients need whose server asks for input; `inputs.ts` loads it for them. */

export { answerRequest } from './answering.ts';
export { createRounds } from './rounds.ts';
