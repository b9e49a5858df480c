import type { Store } from '../../../store/store.ts';
import type { HttpContext } from '../context.ts';
import type { HttpReply, HttpRequest } from '../universal.ts';

/** The paths at which a platform asks how a server is. They are apart from that of the endpoint. */
export interface HealthPaths {
  /** Path that answers 200 as long as this process takes turns at all, such as `/livez`; who hears nothing may start it anew. */
  readonly live?: string;
  /**
   * Path that answers 200 while new requests are taken, such as `/readyz`. It is 503 from the moment that `close` begins, and while the store of the server
   * cannot be used, which is found out anew when it is asked 5 seconds later or more: a balancer sends its requests elsewhere then.
   */
  readonly ready?: string;
}

const headers = { 'Cache-Control': 'no-store' };

/** Time for which it is believed what a store said, in milliseconds. */
const believedMs = 5_000;

/**
 * Answers the questions of a platform, without a body and to everybody: the answer says nothing but how this process is, and who asks
 * knows it by an address, so that neither Host nor Origin is looked at.
 */
export class Health {
  readonly #paths: HealthPaths;
  readonly #context: HttpContext;
  #usable: boolean | Promise<boolean> = true;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(paths: HealthPaths, context: HttpContext) {
    this.#paths = paths;
    this.#context = context;
  }

  /** @returns False for a request that asks something else. */
  answers(request: HttpRequest, reply: HttpReply): boolean {
    const { live, ready } = this.#paths;
    const { path, method } = request;
    if (path !== live && path !== ready) return false;
    if (method !== 'GET' && method !== 'HEAD') reply.send(405, undefined, { ...headers, Allow: 'GET, HEAD' });
    else if (path === live) reply.send(200, undefined, headers);
    else this.#sayReady(reply);
    return true;
  }

  #sayReady(reply: HttpReply): void {
    const { store } = this.#context.endpoint;
    const usable = store === undefined || this.#isUsable(store);
    if (usable instanceof Promise) void usable.then((now) => this.#send(now, reply));
    else this.#send(usable, reply);
  }

  #send(usable: boolean, reply: HttpReply): void {
    if (usable && this.#context.course.ready) reply.send(200, undefined, headers);
    else reply.send(503, undefined, { ...headers, 'Retry-After': '1' });
  }

  /** All who ask meanwhile wait for one look. */
  #isUsable(store: Store): boolean | Promise<boolean> {
    const { now } = this.#context.settings;
    if (now() - this.#checkedAt < believedMs) return this.#usable;
    this.#checkedAt = now();
    const looked = look(store);
    this.#usable = looked;
    if (looked instanceof Promise) void looked.then((usable) => (this.#usable = usable));
    return this.#usable;
  }
}

/** A store ends each call within 2 seconds; why it cannot be used is told where it is used. */
function look(store: Store): boolean | Promise<boolean> {
  try {
    const checked = store.check();
    if (checked === undefined) return true;
    return Promise.resolve(checked).then(
      () => true,
      () => false,
    );
  } catch {
    return false;
  }
}
