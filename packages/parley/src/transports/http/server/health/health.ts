import type { HealthPaths } from '../exchanges/options.ts';
import type { Store } from '../../../../storage/store.ts';
import type { HttpContext } from '../exchanges/context.ts';
import type { HttpReply, IncomingRequest } from '../exchanges/universal.ts';
import { answerBrowser } from './browser-page.ts';

const headers = { 'Cache-Control': 'no-store' };

/** Reason why requests should go elsewhere. It does not name the store's address, since the answer is public. */
type NotReady = 'the server is shutting down' | 'the store is full' | 'the store cannot be used';

/** Time for which the store's last state is reused, in milliseconds. */
const believedMs = 5_000;

/**
 * Answers health checks of a platform, from any caller. The answer has only the state of this process, in one line of
 * JSON if it is not ready. Platforms use an IP address, so neither Host nor Origin is checked.
 */
export class Health {
  readonly #paths: HealthPaths;
  readonly #context: HttpContext;
  #unusable: NotReady | undefined | Promise<NotReady | undefined>;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(paths: HealthPaths, context: HttpContext) {
    this.#paths = paths;
    this.#context = context;
  }

  /** @returns False if it is not a health check. */
  answers(request: IncomingRequest, reply: HttpReply): boolean {
    const { live, ready } = this.#paths;
    const { path, method } = request;
    if (path !== live && path !== ready) return false;
    if (method !== 'GET' && method !== 'HEAD') reply.send(405, undefined, { ...headers, Allow: 'GET, HEAD' });
    else if (path === live) reply.send(200, undefined, headers);
    else this.#sayReady(reply, method === 'HEAD');
    return true;
  }

  #sayReady(reply: HttpReply, isHead: boolean): void {
    const { store } = this.#context.endpoint;
    const unusable = store === undefined ? undefined : this.#isUnusable(store);
    const say = (now: NotReady | undefined): void => {
      const why = this.#context.course.ready ? now : 'the server is shutting down';
      if (why === undefined) return reply.send(200, undefined, headers);
      const body = isHead ? undefined : JSON.stringify({ ready: false, why });
      reply.send(503, body, { ...headers, 'Retry-After': '1' });
    };
    if (unusable instanceof Promise) void unusable.then(say);
    else say(unusable);
  }

  /** All who ask meanwhile wait for one look. */
  #isUnusable(store: Store): NotReady | undefined | Promise<NotReady | undefined> {
    const { now } = this.#context.settings;
    if (now() - this.#checkedAt < believedMs) return this.#unusable;
    this.#checkedAt = now();
    const looked = look(store);
    this.#unusable = looked;
    if (looked instanceof Promise) void looked.then((unusable) => (this.#unusable = unusable));
    return this.#unusable;
  }
}

/** A store ends each call within 2 seconds. Its failure is reported where it is used. */
function look(store: Store): NotReady | undefined | Promise<NotReady | undefined> {
  try {
    const checked = store.check();
    if (checked === undefined) return undefined;
    return Promise.resolve(checked).then(() => undefined, reasonOf);
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): NotReady {
  // Compares the field only: the class is loaded with the store.
  const { reason } = (error ?? {}) as { readonly reason?: unknown };
  return reason === 'full' ? 'the store is full' : 'the store cannot be used';
}

/** Tells whether a person opened the address in a browser. Clients ask for JSON or event streams. */
export function wantsPage(request: IncomingRequest): boolean {
  const accept = request.method === 'GET' ? (request.header('accept') ?? '') : '';
  return accept.includes('text/html') && !/event-stream|json/.test(accept);
}

/** Shows the user the page that explains the address. */
export function showPage(request: IncomingRequest, reply: HttpReply): void {
  answerBrowser(request, reply);
}
