import type * as Passing from './passing.ts';

let loaded: typeof Passing | undefined;

/** Runs with the code that sends messages through middleware. The first message loads it. */
export function throughHostMiddleware<T>(run: (late: typeof Passing) => T | PromiseLike<T>): T | PromiseLike<T> {
  return loaded === undefined ? import('./passing.ts').then((late) => run((loaded = late))) : run(loaded);
}
