import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { checkClosing, type ClosingTimes } from '../../http/server/health/closing.ts';
import { createHttpHandler, type HttpHandler } from '../../http/server/handler.ts';
import { defaults, limitOf, type HttpOptions } from '../../http/server/exchanges/options.ts';
import { harmless } from '../../../options/harmless.ts';
import { refuseUnknown, type Names } from '../../../options/known-names.ts';
import { refuseNoNumber, refuseOther } from '../../../options/known-values.ts';
import { shown } from '../../../options/shown.ts';
import { endpointOf, type RequestHandler, type Servable } from '../../../server/runtime/request-handler.ts';
import { settledWithin } from '../../../jsonrpc/timeout.ts';
import { boundHost, reachableName } from './address.ts';
import { LagAdmission } from './lag.ts';
import { usableStore } from './usable-store.ts';
import { stallMs } from './stalled.ts';
import { WriteBatch } from './write-batch.ts';
import { pageRoutes, type BrowserPages } from './page-routes.ts';
import { addressBehind, type AddressOf, type TrustedProxies } from './proxies/trusted-proxies.ts';
import { NodeReply } from './reply.ts';
import { NodeRequest } from './request.ts';
import { Responses } from './responses.ts';
import { socketsOf } from './sockets.ts';
import { answerUnreadable, beginRequest } from './unreadable.ts';

/** Options of serving on Node: those of HTTP everywhere, and those that need the connection. */
export interface NodeHttpOptions extends HttpOptions {
  /**
   * Proxies whose forwarding headers are trusted, so that limits and logs use the addresses of clients. By default none
   * is: each client has the address of its connection, and all clients behind a proxy have the proxy's.
   */
  readonly trustedProxies?: TrustedProxies;
}

const nodeHttpNames = {
  ...defaults,
  ...({ trustedProxies: 1 } satisfies Names<Omit<NodeHttpOptions, keyof HttpOptions>>),
};

/** A request as frameworks such as Fastify wrap Node's. The body is what they parsed. */
export interface WrappedRequest {
  /** The request of Node. */
  readonly raw: IncomingMessage;
  /** The body, if something has parsed it before. */
  readonly body?: unknown;
}

/** The reply to such a request. */
export interface WrappedReply {
  /** The response of Node. */
  readonly raw: ServerResponse;
  /** Tells the framework that the reply is handled elsewhere. */
  hijack?(): unknown;
}

/** A listener for Node's HTTP servers and the frameworks on top of them. */
export interface NodeHandler {
  /**
   * Answers a request of Node, Express, Connect and the like, or of Fastify. A body that the framework has read already
   * is taken from `request.body`. If it is missing there, the answer is 500 and says so.
   */
  (request: IncomingMessage | WrappedRequest, response: ServerResponse | WrappedReply): void;
  /** Stops serving, as `HttpHandler.close` does. */
  close(times?: ClosingTimes): Promise<void>;
}

/** Time that the last answers may take to be written, in two steps. */
const flushRoundMs = 25;
const flushMs = 475;

/**
 * Turns a server into a listener for `node:http`, Express, Connect and the like. The Host and Origin checks hold here
 * too: a server that is reached by another name than localhost needs `allowedHosts`.
 *
 * @example
 * app.all('/mcp', toNodeHandler(server, { allowedHosts: ['mcp.example.com'] }));
 */
export function toNodeHandler(served: Servable, options: NodeHttpOptions = {}): NodeHandler {
  refuseUnknown('serving over HTTP', options, nodeHttpNames);
  const { trustedProxies, ...http } = options;
  const addressOf = addressBehind(trustedProxies);
  const handler = createHttpHandler(served, http);
  const answer = listener(handler, http, { addressOf });
  const handle = (request: IncomingMessage | WrappedRequest, response: ServerResponse | WrappedReply): void =>
    answer(unwrapped(request), 'raw' in response ? taken(response) : response);
  return Object.assign(handle, { close: (times?: ClosingTimes) => handler.close(times) });
}

function unwrapped(request: IncomingMessage | WrappedRequest): IncomingMessage {
  if (!('raw' in request)) return request;
  return request.body === undefined || request.body === null
    ? request.raw
    : Object.assign(request.raw, { body: request.body });
}

function taken(reply: WrappedReply): ServerResponse {
  reply.hijack?.();
  return reply.raw;
}

/** Address, limits and options of `listen`. */
export interface ListenOptions extends NodeHttpOptions {
  /** 3000; 0 lets the system choose. */
  readonly port?: number;
  /** The address to bind to; 127.0.0.1, so that no other machine can connect. */
  readonly host?: string;
  /** The path of the endpoint; `/mcp`. */
  readonly path?: string;
  /** BrowserPages for browsers besides the endpoint, such as those of accounts; none by default. */
  readonly pages?: readonly BrowserPages[];
  /**
   * Time that the header of a request may take to arrive, in milliseconds; 10 seconds. 0 and `Infinity` set no limit.
   */
  readonly headersTimeoutMs?: number;
  /**
   * Time that a connection stays open without a request, in milliseconds; 60 seconds. A client that takes nothing of a
   * complete answer for so long is disconnected. 0 and `Infinity` set no limit.
   */
  readonly idleTimeoutMs?: number;
  /**
   * The most connections at once; 20000. `Infinity` sets no limit. One address may have as many as it leaves free,
   * unless it is one of `trustedProxies`.
   */
  readonly maxConnections?: number;
  /**
   * Limit of the event loop's delay in milliseconds, as a moving average; none by default. Above it, a growing share of
   * new requests gets 503 with `Retry-After`, so that the others are answered in time. Requests that continue a session
   * are accepted.
   */
  readonly maxLagMs?: number;
  /**
   * Time that the store of the server may take to become usable, in milliseconds; 10 seconds. It is tried again meanwhile, and 0 tries it once. A store that
   * can never be used, such as one with wrong settings, is an error at once.
   */
  readonly readyTimeoutMs?: number;
}

const optionNames: Readonly<Record<string, unknown>> = {
  ...nodeHttpNames,
  ...({
    port: 1,
    host: 1,
    pages: 1,
    headersTimeoutMs: 1,
    idleTimeoutMs: 1,
    maxConnections: 1,
    maxLagMs: 1,
    readyTimeoutMs: 1,
  } satisfies Names<Omit<ListenOptions, keyof NodeHttpOptions>>),
};

/** A server that listens. */
export interface Listening {
  /** The URL of the endpoint, as this machine reaches it: for a server on all interfaces that of loopback. */
  readonly url: string;
  /** The port that it listens on. */
  readonly port: number;
  /**
   * Keeps serving for `readyTimeoutMs` while `health.ready` answers 503. Then running requests have up to `drainTimeoutMs` to end,
   * and new ones get 503. Then it frees the port and ends the rest. Clients of running calls may still send answers,
   * cancel, and resume a broken stream. The MCP server itself stays open. Closing twice is fine; the times of the first
   * call apply.
   *
   * @throws TypeError, as a rejection, for times that are not numbers of at least 0; then nothing is closed.
   * @example process.once('SIGTERM', () => close({ readyTimeoutMs: 5_000, drainTimeoutMs: 30_000 }));
   */
  close(times?: ClosingTimes): Promise<void>;
}

/**
 * Serves a server over HTTP on a port of this machine.
 *
 * @throws TypeError for unknown or invalid options.
 * @throws Error if the address cannot be bound, with the address and the reason.
 * @throws StoreError if the store of the server cannot be used within `readyTimeoutMs`, with the reason. Nothing is served
 * before.
 * @example const { url, close } = await listen(server, { port: 3000 });
 */
export async function listen(served: Servable, options: ListenOptions = {}): Promise<Listening> {
  refuseUnknown('listen', options, optionNames);
  checkOptions(options);
  const {
    port = 3000,
    host = '127.0.0.1',
    pages = [],
    headersTimeoutMs,
    idleTimeoutMs = stallMs,
    maxConnections: _,
    maxLagMs = Infinity,
    readyTimeoutMs = 10_000,
    trustedProxies,
    ...http
  } = options;
  const addressOf = addressBehind(trustedProxies);
  const path = http.path ?? '/mcp';
  const { protection, behind, store, listeners } = endpointOf(served);
  if (protection === undefined)
    behind?.requireServable({ knowsCallers: http.authenticate !== undefined, names: [host] });
  // Otherwise the first client would discover it.
  if (store !== undefined) await usable(store, readyTimeoutMs, http.onError);
  const lag = maxLagMs === Infinity ? undefined : new LagAdmission(maxLagMs);
  const handler = createHttpHandler(served, { ...http, path, ...boundHost(host, options) }, lag);
  const headersTimeout = limitOf(headersTimeoutMs ?? 10_000);
  const bodyTimeout = limitOf(options.bodyTimeoutMs ?? defaults.bodyTimeoutMs);
  const batch = new WriteBatch(nodeLimitOf(limitOf(idleTimeoutMs)));
  const underWay = new Responses();
  const server = createServer(
    {
      headersTimeout: nodeLimitOf(headersTimeout),
      // Node enforces this for a body without a reader. A body that is read has its own limit.
      requestTimeout: nodeLimitOf(headersTimeout + bodyTimeout),
      keepAliveTimeout: batch.stallMs,
      connectionsCheckingInterval: 2000,
      // The guard rejects it with JSON.
      requireHostHeader: false,
      // Finds out about clients that vanished without a word, so that they do not hold on to their places.
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
    },
    beside(pages, { path, underWay, answer: listener(handler, http, { addressOf, batch }) }),
  );
  const sockets = socketsOf(server, { onWarning: listeners?.owner?.onWarning, ...options });
  const bound = await orClosed(bind(server, port, host), lag);
  server.on('error', harmless(options.onError ?? (() => undefined)));
  server.on('clientError', answerUnreadable);
  return {
    url: `http://${reachableName(host)}:${bound}${path}`,
    port: bound,
    close: async (times = {}) => {
      checkClosing(times);
      // A client that keeps its connection would come back to this process, although others accept new requests.
      server.off('request', endConnection).prependListener('request', endConnection);
      const { readyTimeoutMs = 0, drainTimeoutMs = http.drainTimeoutMs ?? defaults.drainTimeoutMs } = times;
      await close(server, [handler.close(times), underWay.end(readyTimeoutMs + drainTimeoutMs)], sockets.keys());
      lag?.close();
    },
  };
}

/** Waits until a store can be used. */
async function usable(
  store: NonNullable<RequestHandler['store']>,
  readyTimeoutMs: number,
  onError: ListenOptions['onError'] = () => undefined,
): Promise<void> {
  await usableStore(store, { readyTimeoutMs, onError: harmless(onError) });
}

function endConnection(_: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
}

/** Closes the resources of a server that could not be bound. */
async function orClosed(binding: Promise<number>, lag: { close(): void } | undefined): Promise<number> {
  try {
    return await binding;
  } catch (error) {
    lag?.close();
    throw error;
  }
}

/** BrowserPages are served at every path except the endpoint's. */
function beside(
  pages: readonly BrowserPages[],
  { path, underWay, answer }: { readonly path: string; readonly underWay: Responses; readonly answer: RequestListener },
): RequestListener {
  if (pages.length === 0) return answer;
  const routes = pageRoutes(...pages);
  return (request, response) => {
    const isEndpoint = request.url === path || request.url?.startsWith(`${path}?`) === true;
    if (isEndpoint) answer(request, response);
    else {
      const ended = underWay.add(response);
      routes(request, response, () => {
        ended();
        answer(request, response);
      });
    }
  };
}

/** @throws TypeError for an invalid port, address, number or list of pages. */
function checkOptions({ port, host, pages, ...numbers }: ListenOptions): void {
  const all: unknown = pages;
  const isList =
    Array.isArray(all) && all.every((one: Partial<BrowserPages> | undefined) => typeof one?.pages === 'function');
  if (all !== undefined && !isList)
    throw new TypeError('pages must be an array of accounts, or of others that have pages(request)');
  const { headersTimeoutMs, idleTimeoutMs, maxConnections, maxLagMs, readyTimeoutMs } = numbers;
  for (const [name, value] of Object.entries({
    headersTimeoutMs,
    idleTimeoutMs,
    maxConnections,
    maxLagMs,
    readyTimeoutMs,
  }))
    refuseNoNumber(name, value);
  refuseOther('string', 'host', host);
  const given: unknown = port;
  if (given !== undefined && !(typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= 65_535))
    throw new TypeError(`port must be an integer from 0 to 65535, not ${shown(given)}`);
}

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Ways of a listener that not every program has. */
interface ListenerWays {
  readonly addressOf: AddressOf | undefined;
  /** Writes answers of one turn together; for a server that is ours. */
  readonly batch?: WriteBatch;
}

function listener(handler: HttpHandler, options: HttpOptions, { addressOf, batch }: ListenerWays): RequestListener {
  const timeout = limitOf(options.bodyTimeoutMs ?? defaults.bodyTimeoutMs);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (!request.complete || beginRequest(request)) serve(request, response);
  };
  const serve = (request: IncomingMessage, response: ServerResponse): void =>
    handler.handle(new NodeRequest(request, timeout, addressOf), new NodeReply(response, batch));
  // A body that came together with its head is there on the next turn: nothing waits for it then.
  return (request, response) => {
    // Where something in front listens to the body as well, it is not to flow before it is read here.
    if (request.readableFlowing === true) request.pause();
    process.nextTick(handle, request, response);
  };
}

/** Milliseconds as Node counts them: 0 is no limit. */
function nodeLimitOf(ms: number): number {
  return Number.isFinite(ms) ? Math.max(1, Math.ceil(ms)) : 0;
}

function bind(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.message;
      reject(new Error(`cannot listen on ${host}:${port}: ${why}`, { cause }));
    });
    server.listen(port, host, () => {
      // A server that listens on a port has an address that is an object.
      const { port: bound } = server.address() as AddressInfo;
      resolve(bound);
    });
  });
}

async function close(server: Server, draining: readonly Promise<void>[], sockets: Iterable<Socket>): Promise<void> {
  // Until then connections are accepted: a client may answer a running call's question on a new one.
  await Promise.all(draining);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // The last answers are on their way: their connections are idle once they are written.
  server.closeIdleConnections();
  if (!(await settledWithin(flushRoundMs, closed))) {
    // For Node, a connection that never had a request is not idle. Everything was answered, so none is needed.
    server.closeIdleConnections();
    for (const socket of sockets) socket.destroySoon();
    await settledWithin(flushMs, closed);
  }
  server.closeAllConnections();
  await closed;
}
