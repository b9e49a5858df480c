import type { Fetch, FetchRequest } from '../../../jsonrpc/fetch.ts';
import { refuseUnknown, type Names } from '../../../options/known-names.ts';
import { refuseNoNumber } from '../../../options/known-values.ts';
import type { ConnectionSettings, TlsOptions } from './connection-settings.ts';
import { NodeOrigin } from './connections.ts';
import { NodeExchange, type Directions } from './exchange.ts';

/** Options of `nodeFetch`: the making and keeping of connections; everything has a default. */
export interface NodeFetchOptions {
  /**
   * The most connections to one origin at once; no limit by default. Further requests wait. Every event stream takes
   * one while it is open.
   */
  readonly maxConnections?: number;
  /**
   * Time for which an unused connection is kept, in milliseconds; 30 seconds, or less if the server says so. Kept
   * connections do not keep the process alive.
   */
  readonly idleTimeoutMs?: number;
  /** Time that a connection may take to be made, in milliseconds; 10 seconds. */
  readonly connectTimeoutMs?: number;
  /** TLS options: trusted authorities, and the client's certificate. */
  readonly tls?: TlsOptions;
}

const optionNames: Names<NodeFetchOptions> = { maxConnections: 1, idleTimeoutMs: 1, connectTimeoutMs: 1, tls: 1 };

/** A `fetch` over connections that it keeps. */
export interface NodeFetch extends Fetch {
  /** Closes the connections that have no request now; the next request makes a new one. */
  close(): void;
}

/**
 * Makes a `fetch` for clients on Node, with its own connections. It takes a fraction of the time of the global one, and
 * sets no time limit on silent streams. Make one and give it to all clients, so that they share its connections.
 *
 * It follows no redirects and uses no proxy. A request that failed on a kept connection is sent again on another one if
 * the server cannot have acted on it, or if its method makes that harmless (GET, DELETE). A POST that may have arrived
 * is never repeated.
 *
 * It loads `undici`, which is CommonJS, on the first request. A bundle of ES modules for Node must leave that package
 * out, or define `require` (`createRequire` of `node:module`), as for any package of its kind.
 *
 * @throws TypeError for unknown options, times that are not numbers, and fewer than one connection.
 *
 * @example const fetch = nodeFetch(); const client = await connect('http://127.0.0.1:3000/mcp', { fetch });
 */
export function nodeFetch(options: NodeFetchOptions = {}): NodeFetch {
  refuseUnknown('nodeFetch', options, optionNames);
  const { maxConnections, idleTimeoutMs, connectTimeoutMs } = options;
  for (const [name, value] of Object.entries({ maxConnections, idleTimeoutMs, connectTimeoutMs }))
    refuseNoNumber(name, value);
  if (maxConnections !== undefined && maxConnections < 1)
    throw new TypeError(`maxConnections must be at least 1, not ${maxConnections}: nothing could be sent`);
  const origins = new Origins(options);
  const send: Fetch = (url, request) =>
    new Promise((resolve, reject) => {
      request.signal.throwIfAborted();
      void new NodeExchange(origins.directionsOf(url, request), request, { resolve, reject });
    });
  return Object.assign(send, { close: () => origins.closeIdle() });
}

/** Headers that frame a message or control its connection. Callers must not set them. */
const framing: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

interface Target {
  readonly url: string;
  readonly origin: NodeOrigin;
  readonly path: string;
}

/** The origins that there are connections to. */
class Origins {
  readonly #settings: ConnectionSettings;
  readonly #origins = new Map<string, NodeOrigin>();
  /** A client sends most of its requests to one URL. */
  #last: Target | undefined;

  constructor({
    maxConnections = Infinity,
    idleTimeoutMs = 30_000,
    connectTimeoutMs = 10_000,
    tls = {},
  }: NodeFetchOptions) {
    this.#settings = { maxConnections, idleTimeoutMs, connectTimeoutMs, tls };
  }

  /** @throws TypeError for a request that cannot be sent. */
  directionsOf(url: string, request: FetchRequest): Directions {
    const { origin, path } = this.#last?.url === url ? this.#last : (this.#last = this.#targetOf(url));
    const headers: string[] = [];
    let codings = 'gzip, br';
    for (const name of Object.keys(request.headers)) {
      const value = request.headers[name] ?? '';
      const lower = name.toLowerCase();
      if (framing.has(lower)) throw new TypeError(`the header ${lower} is not for callers to set`);
      if (lower === 'accept-encoding') codings = value;
      else headers.push(name, value);
    }
    headers.push('accept-encoding', codings);
    return { origin, path, headers };
  }

  closeIdle(): void {
    for (const origin of this.#origins.values()) origin.closeIdle();
  }

  #targetOf(url: string): Target {
    const { protocol, origin, pathname, search, username, password } = new URL(url);
    if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${protocol} is not spoken here`);
    if (username !== '' || password !== '') throw new TypeError('a URL must not have credentials in it');
    return { url, origin: this.#originOf(origin), path: pathname + search };
  }

  #originOf(url: string): NodeOrigin {
    const known = this.#origins.get(url);
    if (known !== undefined) return known;
    const origin = new NodeOrigin(url, this.#settings, () => {
      this.#origins.delete(url);
      if (this.#last?.origin === origin) this.#last = undefined;
    });
    this.#origins.set(url, origin);
    return origin;
  }
}
