import type { Middleware } from './middleware.ts';

/** Middleware and its method; `undefined` means all methods. */
export interface Used {
  readonly method: string | undefined;
  readonly middleware: Middleware;
}

/**
 * The middleware of one server, client or bridge, the outermost first. The first message that passes through some loads
 * the code that runs it.
 */
export class MiddlewareStack {
  readonly #own: Used[] = [];
  #outer: MiddlewareStack | undefined;

  /** Tells whether there is any: without, nothing is slower. */
  get used(): boolean {
    return this.#own.length > 0 || this.#outer?.used === true;
  }

  /** All middleware. None is ever removed, so the number identifies a state. */
  get all(): readonly Used[] {
    return this.#outer === undefined ? this.#own : [...this.#outer.all, ...this.#own];
  }

  /** Puts that of another chain around this one. */
  within(outer: MiddlewareStack): void {
    this.#outer = outer;
  }

  /** @throws TypeError if it is not a function, or the method name is invalid. */
  use(first: string | Middleware, second?: Middleware): void {
    const [method, middleware] = typeof first === 'string' ? [first, second] : [undefined, first];
    if (typeof middleware !== 'function' || method === '')
      throw new TypeError('use takes a function, or the name of a method and a function');
    this.#own.push({ method, middleware });
  }
}
