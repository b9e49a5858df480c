import type * as Passing from './passing.ts';

let loaded: typeof Passing | undefined;

/** Runs with what lets messages pass middleware, which is loaded by the first that passes some. */
export function throughClientMiddleware<T>(run: (late: typeof Passing) => T | PromiseLike<T>): T | PromiseLike<T> {
  return loaded === undefined ? import('./passing.ts').then((late) => run((loaded = late))) : run(loaded);
}
