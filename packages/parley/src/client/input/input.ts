/** The code that only clients need whose server asks for input. `inputs.ts` loads it on demand. */

export { answerRequest } from './answering.ts';
export { createRounds } from './rounds.ts';
