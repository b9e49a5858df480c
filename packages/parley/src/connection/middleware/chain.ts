import type { Middleware } from './middleware.ts';

/** Middleware, and the method that it is for; `undefined` stands for all. */
export interface Used {
  readonly method: string | undefined;
  readonly middleware: Middleware;
}

/** The middleware of one server, client or bridge, the outermost first. What runs it is loaded by the first message that passes some. */
export class Chain {
  readonly #own: Used[] = [];
  #outer: Chain | undefined;

  /** Tells whether there is any: without, nothing is slower. */
  get used(): boolean {
    return this.#own.length > 0 || this.#outer?.used === true;
  }

  /** All of it. Nothing is taken away ever, so that their number tells one state from another. */
  get all(): readonly Used[] {
    return this.#outer === undefined ? this.#own : [...this.#outer.all, ...this.#own];
  }

  /** Puts that of another chain around this one. */
  within(outer: Chain): void {
    this.#outer = outer;
  }

  /** @throws TypeError for what is no function, or no name of a method. */
  use(first: string | Middleware, second?: Middleware): void {
    const [method, middleware] = typeof first === 'string' ? [first, second] : [undefined, first];
    if (typeof middleware !== 'function' || method === '')
      throw new TypeError('use takes a function, or the name of a method and a function');
    this.#own.push({ method, middleware });
  }
}
