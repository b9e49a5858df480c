import type { AuthInfo } from '../peer/endpoint.ts';
import type { HeaderFields, HttpRequest } from './shape.ts';

/** The answer to a request that is turned away. */
export interface HttpRefusal {
  readonly status: number;
  readonly headers?: HeaderFields;
  /** JSON text. */
  readonly body?: string;
}

/**
 * Establishes who a request comes from. Runs for every request but CORS preflights, after the Host and Origin
 * checks and before the body is read. What it throws is answered with 500 and told to `onError`.
 */
export type Authenticate = (request: HttpRequest) => AuthInfo | HttpRefusal | Promise<AuthInfo | HttpRefusal>;

/** How a server is served over HTTP; everything has a default that is safe on a developer's machine. */
export interface HttpOptions {
  /** The one path that is served; others get 404. Left out, every path is, since a router in front chose. */
  readonly path?: string;
  /**
   * The names that may stand in the `Host` header besides the loopback names, with or without a port. `'any'`
   * turns the check off, which is safe only behind a proxy that makes it.
   */
  readonly allowedHosts?: readonly string[] | 'any';
  /** The origins (`https://app.example`) whose pages may connect, besides those on loopback. */
  readonly allowedOrigins?: readonly string[] | 'any';
  /** Establishes who a request comes from; left out, nobody is asked. */
  readonly authenticate?: Authenticate;
  /** The most bytes of a request body; 4 MiB. */
  readonly maxBodyBytes?: number;
  /** How deep the JSON of a body may nest; 128. */
  readonly maxDepth?: number;
  /** The most header lines of a request; 100. */
  readonly maxHeaders?: number;
  /** The most requests being answered at once, event streams not counted; 4096. Beyond it clients get 503. */
  readonly maxRequests?: number;
  /** The most event streams open at once; 16384. */
  readonly maxStreams?: number;
  /** The most bytes that wait for a slow reader of one event stream before it is cut off; 1 MiB. */
  readonly maxStreamBuffer?: number;
  /** The most messages in one batch; 100. */
  readonly maxBatch?: number;
  /** The most sessions (handshake revisions) alive at once; 10000. */
  readonly maxSessions?: number;
  /** How long a session lives without a request or an open stream, in milliseconds; 30 minutes. */
  readonly sessionIdleMs?: number;
  /** How often a silent event stream gets a comment that keeps it open, in milliseconds; 15 seconds. */
  readonly keepAliveMs?: number;
  /** How long `close` waits for requests being answered, in milliseconds; 10 seconds. */
  readonly drainMs?: number;
  /** The clock that session expiry is measured by, in milliseconds. */
  readonly now?: () => number;
  /** Hears what no client can be told: failures of hooks, messages that could not be delivered. */
  readonly onError?: (error: Error) => void;
}

/** The options with their defaults filled in. */
export interface HttpSettings extends Required<Omit<HttpOptions, 'path' | 'authenticate'>> {
  readonly path: string | undefined;
  readonly authenticate: Authenticate | undefined;
}

const kibibyte = 1024;
const second = 1000;

const defaults: HttpSettings = {
  path: undefined,
  allowedHosts: [],
  allowedOrigins: [],
  authenticate: undefined,
  maxBodyBytes: 4 * kibibyte * kibibyte,
  maxDepth: 128,
  maxHeaders: 100,
  maxRequests: 4096,
  maxStreams: 16_384,
  maxStreamBuffer: kibibyte * kibibyte,
  maxBatch: 100,
  maxSessions: 10_000,
  sessionIdleMs: 30 * 60 * second,
  keepAliveMs: 15 * second,
  drainMs: 10 * second,
  now: () => Date.now(),
  onError: () => undefined,
};

/** Fills in the defaults; an option that is `undefined` counts as left out. */
export function resolveOptions(options: HttpOptions): HttpSettings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  // Every entry comes from HttpOptions, whose fields are those of HttpSettings.
  return { ...defaults, ...(Object.fromEntries(given) as Partial<HttpSettings>) };
}
