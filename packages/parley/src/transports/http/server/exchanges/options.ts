import type { AuthInfo, ServiceListeners } from '../../../../server/runtime/request-handler.ts';
import type { HttpRefusal } from '../../../../server/runtime/protection.ts';
import { monotonicNow } from '../../../../jsonrpc/timeout.ts';
import { harmless } from '../../../../options/harmless.ts';
import { refuseUnknown, type Names } from '../../../../options/known-names.ts';
import { shown } from '../../../../options/shown.ts';
import { checkHttpOptions } from './mistakes.ts';
import type { HttpRequest } from '../../../../server/runtime/protection.ts';

/** The paths at which a platform asks how a server is. They are apart from that of the endpoint. */
export interface HealthPaths {
  /**
   * Path that answers 200 while the event loop of this process runs, such as `/livez`. Without an answer, a platform
   * may restart the process.
   */
  readonly live?: string;
  /**
   * Path that answers 200 while new requests are accepted, such as `/readyz`. It answers 503 once `close` has begun,
   * and while the store of the server cannot be used. The store's state is checked again when it is requested 5 seconds
   * later or more. A balancer then sends its requests to other processes.
   */
  readonly ready?: string;
}

/**
 * Authenticates a request. Runs for every request except CORS preflights, after the Host and Origin checks and before
 * the body is read. If it throws or returns an invalid value, the answer is 500, and `onError` gets the error. Read
 * headers with `request.header('authorization')`, in lower case.
 */
export type Authenticate = (request: HttpRequest) => AuthInfo | HttpRefusal | Promise<AuthInfo | HttpRefusal>;

/** The two paths of the HTTP+SSE transport of 2024-11-05, as clients see them. */
export interface SsePairPaths {
  /** Path on which a GET opens the event stream of a conversation, such as `/sse`. */
  readonly sse: string;
  /** Path to which the messages of clients are POSTed, such as `/messages`. */
  readonly messages: string;
}

/** Options of serving a server over HTTP; everything has a default that is safe on a developer's machine. */
export interface HttpOptions {
  /** The one path that is served; others get 404. Left out, every path is, since a router in front chose. */
  readonly path?: string;
  /**
   * Serves clients of 2024-11-05 at two paths of their own, beside the one endpoint. Left out, they are not served:
   * every newer client knows the one endpoint.
   *
   * @deprecated Since 2025-03-26 (SEP-2596); the specification may remove it three months after that SEP is final.
   */
  readonly ssePair?: SsePairPaths;
  /**
   * Paths for a platform's liveness and readiness checks, such as `{ live: '/livez', ready: '/readyz' }`; by GET or
   * HEAD, answered without a body, whatever the Host. None by default.
   */
  readonly health?: HealthPaths;
  /**
   * The names that may stand in the `Host` header besides the loopback names, with or without a port. `'any'`
   * turns the check off, which is safe only behind a proxy that makes it.
   */
  readonly allowedHosts?: readonly string[] | 'any';
  /** The origins (`https://app.example`) whose pages may connect, besides those on loopback. */
  readonly allowedOrigins?: readonly string[] | 'any';
  /**
   * The header names that such pages may send besides those of the protocol and `Mcp-Param-*`: for your proxy or
   * `authenticate`.
   */
  readonly allowedHeaders?: readonly string[];
  /** Authenticates each request; by default no request is authenticated. */
  readonly authenticate?: Authenticate;
  /** The most bytes of a request body; 4 MiB. */
  readonly maxBodyBytes?: number;
  /**
   * The most bytes of all request bodies that are being read or answered at once; 16 MiB. Beyond it clients get 503 with
   * `Retry-After`, and one principal or address beyond half of what others leave 429. One body alone is always taken.
   */
  readonly maxBodyBytesAtOnce?: number;
  /** Time that a request body may take to arrive, in milliseconds; 30 seconds. 0 and `Infinity` set no limit. */
  readonly bodyTimeoutMs?: number;
  /** Depth to which the JSON of a body may nest; 128. */
  readonly maxDepth?: number;
  /** The most header lines of a request; 100. */
  readonly maxHeaders?: number;
  /**
   * The most concurrent requests, event streams not counted; 2048. Beyond it clients get 503. A principal or address
   * beyond half of the free places gets 429. Requests that continue a session (answers to questions, cancellations,
   * resumptions, DELETE) have as many places again.
   */
  readonly maxRequests?: number;
  /** The most event streams open at once; 16384. One principal or address has half of what others leave. */
  readonly maxStreams?: number;
  /** The most event streams that one principal has open at once; 1000. It does not hold for addresses, which may be those of proxies. */
  readonly maxStreamsPerPrincipal?: number;
  /**
   * The most bytes that wait for a slow reader of one event stream; 1 MiB. Above it, log messages and progress are dropped, another notification
   * cuts the reader off, and responses and questions are sent up to eight times as much.
   */
  readonly maxStreamBufferBytes?: number;
  /** The most messages in one batch; 100. */
  readonly maxBatch?: number;
  /** The most sessions (handshake revisions) alive at once; 10000. One principal or address has half of what others leave. */
  readonly maxSessions?: number;
  /** The most sessions that one principal has at once; 1000. It does not hold for addresses, which may be those of proxies. */
  readonly maxSessionsPerPrincipal?: number;
  /**
   * False answers each request of the session-based revisions by itself, without a session id. It is for platforms
   * where requests of a client may reach different processes and no store is shared: functions, workers. Only features
   * that work this way are declared and served: no questions to the client, no log level, no subscriptions, no
   * unrequested notifications, no GET stream. By default these revisions have sessions. Not for bridges.
   */
  readonly sessions?: boolean;
  /** Time that a session lives without a request or an open stream, in milliseconds; 30 minutes. */
  readonly sessionIdleTimeoutMs?: number;
  /**
   * Time after which a silent event stream gets a comment that keeps it open, in milliseconds; 6 seconds. A call
   * without an answer by then becomes an event stream, if its client names these in `Accept`. The shortest default of
   * the supported runtimes is Bun's, whose `serve` ends a connection after 10 silent seconds
   * (https://bun.sh/reference/bun/Serve/HostnamePortServeOptions/idleTimeout). 0 and `Infinity` send none.
   */
  readonly keepAliveIntervalMs?: number;
  /**
   * Events of sessions, for clients that lost a stream. By default they are kept for five minutes, in the server's
   * `store` if processes share it, otherwise in memory. `'none'` keeps nothing, so that streams cannot be resumed.
   */
  readonly events?: 'none';
  /** Time that clients are asked to wait before they resume a stream, in milliseconds; 1 second. */
  readonly retryMs?: number;
  /** Time that `close` waits for requests being answered, in milliseconds; 10 seconds. */
  readonly drainTimeoutMs?: number;
  /** The clock that the expiry of sessions and events is measured by, in milliseconds; one that never jumps by default. */
  readonly now?: () => number;
  /**
   * Receives warnings that only the owner can act on, each once: a rejected name that `allowedHosts` may have to list,
   * and a body larger than `maxBodyBytes`. The default is the `onWarning` of the server or bridge, or standard error.
   */
  readonly onWarning?: (message: string) => void;
  /**
   * Receives errors that no client sees: failures of hooks (in the `cause`), undeliverable messages. The default is the
   * `onError` of the server or bridge. Without that, the first ten different ones are written to standard error.
   */
  readonly onError?: (error: Error) => void;
}

/** The options with their defaults filled in. */
export interface HttpSettings extends Required<
  Omit<HttpOptions, 'path' | 'authenticate' | 'ssePair' | 'events' | 'health' | 'sessions'>
> {
  readonly path: string | undefined;
  readonly ssePair: SsePairPaths | undefined;
  readonly health: HealthPaths | undefined;
  readonly sessions: boolean;
  readonly authenticate: Authenticate | undefined;
  readonly events: 'none' | undefined;
}

const kibibyte = 1024;
const second = 1000;

/** Settings where an option is left out. */
export const defaults: HttpSettings = {
  events: undefined,
  path: undefined,
  ssePair: undefined,
  health: undefined,
  sessions: true,
  allowedHosts: [],
  allowedOrigins: [],
  allowedHeaders: [],
  authenticate: undefined,
  maxBodyBytes: 4 * kibibyte * kibibyte,
  maxBodyBytesAtOnce: 16 * kibibyte * kibibyte,
  bodyTimeoutMs: 30 * second,
  maxDepth: 128,
  maxHeaders: 100,
  maxRequests: 2048,
  maxStreams: 16_384,
  maxStreamsPerPrincipal: 1000,
  maxStreamBufferBytes: kibibyte * kibibyte,
  maxBatch: 100,
  maxSessions: 10_000,
  maxSessionsPerPrincipal: 1000,
  sessionIdleTimeoutMs: 30 * 60 * second,
  // The timers of Bun look every 4 seconds, so that its 10 may be 8.
  keepAliveIntervalMs: 6 * second,
  retryMs: second,
  drainTimeoutMs: 10 * second,
  now: monotonicNow,
  onWarning: (message) => console.error(message),
  onError: () => undefined,
};

const ssePairNames: Names<SsePairPaths> = { sse: 1, messages: 1 };
const healthNames: Names<HealthPaths> = { live: 1, ready: 1 };

/** Error listeners of the server's owner. */
type OwnerOf = ServiceListeners['owner'];

/**
 * Fills in the defaults. An option that is `undefined` counts as left out.
 *
 * @param owner Listeners of the server or bridge. They are the defaults here.
 * @throws TypeError for unknown or invalid options.
 */
export function resolveHttpOptions(options: HttpOptions, owner: OwnerOf = {}): HttpSettings {
  refuseUnknown('serving over HTTP', options, defaults);
  refuseUnknown('ssePair', options.ssePair, ssePairNames);
  refuseUnknown('health', options.health, healthNames);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  checkHttpOptions(options);
  checkPaths(options);
  checkSessions(options);
  // Every entry comes from HttpOptions, whose fields are those of HttpSettings.
  const own = Object.fromEntries(given) as Partial<HttpSettings>;
  const { onError, onWarning = defaults.onWarning } = owner;
  const told = onError === undefined ? printFirst() : (error: Error): void => onError(error, 'serving over HTTP');
  const settings = { ...defaults, onError: told, onWarning, ...own };
  return {
    ...settings,
    bodyTimeoutMs: limitOf(settings.bodyTimeoutMs),
    keepAliveIntervalMs: limitOf(settings.keepAliveIntervalMs),
    onError: harmless(settings.onError, print),
    onWarning: harmless(settings.onWarning, print),
  };
}

/** A time limit in milliseconds; 0 means no limit. */
export function limitOf(ms: number): number {
  return ms === 0 ? Number.POSITIVE_INFINITY : ms;
}

/** Prints the error that the error listener itself throws. */
function print(cause: unknown): void {
  console.error(cause);
}

/** Limit of printed errors: any client that reaches a server may cause them. */
const maxPrinted = 10;

/** Writes errors to standard error, each kind once. */
function printFirst(): HttpSettings['onError'] {
  const told = new Set<string>();
  return (error) => {
    const kind = `${error.message} ${String(error.cause)}`;
    if (told.has(kind) || told.size >= maxPrinted) return;
    told.add(kind);
    console.error(error);
  };
}

function checkPaths({ path, ssePair, health = {} }: HttpOptions): void {
  if (path !== undefined) checkPath('path', path);
  const taken = new Map([[path ?? '/', 'path']]);
  const named = { ssePair: ssePair && { sse: ssePair.sse, messages: ssePair.messages }, health };
  for (const [option, paths] of Object.entries(named))
    for (const [key, value] of Object.entries(paths ?? {})) {
      if (value === undefined && option === 'health') continue;
      const name = `${option}.${key}`;
      checkPath(name, value);
      const other = taken.get(value);
      if (other !== undefined) throw new TypeError(`${name} and ${other} must differ; both are ${shown(value)}`);
      taken.set(value, name);
    }
}

function checkPath(name: string, value: string): void {
  if (!/^\/[^\s?#]*$/.test(value)) throw new TypeError(`${name} must be a path such as /mcp, not ${shown(value)}`);
}

function checkSessions({ sessions, ssePair }: HttpOptions): void {
  const given: unknown = sessions;
  if (given !== undefined && typeof given !== 'boolean')
    throw new TypeError(`sessions is true or false, not ${shown(given)}`);
  if (given === false && ssePair !== undefined)
    throw new TypeError('sessions: false leaves no place for ssePair: each of its clients has a session');
}
