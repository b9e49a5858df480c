import type { Fetch, FetchRequest, FetchResponse } from '../../../jsonrpc/fetch.ts';
import type { Authorization } from '../../../auth/common/authorizer.ts';
import type { Message } from '../../../jsonrpc/message.ts';
import { serverUrl } from '../../../jsonrpc/server-url.ts';
import { ConnectionError, type SendOptions, type TransportAuthorization } from '../../../jsonrpc/transport.ts';
import type { Names } from '../../../options/known-names.ts';
import { refuseNoNumber } from '../../../options/known-values.ts';
import type { TokenSource } from './token.ts';
import { fetchWithin } from './fetch.ts';
import { describeUrl } from './described-url.ts';

/** Options of reaching a server over HTTP; everything has a default. */
export interface HttpTransportOptions {
  /** Function that sends the requests; the `fetch` of the runtime by default. */
  readonly fetch?: Fetch;
  /**
   * Authorization of the requests: a token; a function that returns one before each request, and a new one after a
   * refusal; or an object that signs in by itself, such as `oauth()` of `parley-mcp/oauth`. Then no other option may
   * set the header `authorization`.
   */
  readonly auth?: TokenSource | Authorization;
  /** Headers of every request, such as an API key. A function is asked before each one. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** Size limit of a message of the server, after decompression; 16 MiB by default. */
  readonly maxMessageBytes?: number;
  /** Time that ending the session may take when the conversation is closed; 2 seconds by default. */
  readonly closeTimeoutMs?: number;
}

/** The names of these options. */
export const transportOptionNames: Names<HttpTransportOptions> = {
  fetch: 1,
  auth: 1,
  headers: 1,
  maxMessageBytes: 1,
  closeTimeoutMs: 1,
};

/** @throws TypeError for a limit that is no number. */
function checkLimits({ maxMessageBytes, closeTimeoutMs }: HttpTransportOptions): void {
  for (const [name, value] of Object.entries({ maxMessageBytes, closeTimeoutMs })) refuseNoNumber(name, value);
}

/** One request of a conversation. */
export interface HttpRequestOptions {
  readonly method: string;
  /** URL of the request, if it differs from the user's. */
  readonly url?: URL | undefined;
  /** The headers of this kind of request. */
  readonly own: Readonly<Record<string, string>>;
  /** Headers of this message alone. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** Receives the headers of each attempt. */
  readonly sending?: ((headers: Readonly<Record<string, string>>) => void) | undefined;
  /** The sent message that waits for a response. Without it no caller waits, and no user is asked to sign in. */
  readonly sent?: HttpSending | undefined;
  /** Tells whether a refusal without a challenge is about the session, which no other credentials would change. */
  readonly isGone?: ((refused: FetchResponse) => Promise<boolean>) | undefined;
  /** True for a question about the session: a refusal is its answer. */
  readonly isCheck?: boolean | undefined;
  /** True without the header of the protocol version. */
  readonly isUnversioned?: boolean | undefined;
}

/** Message that was given to be sent. */
export interface HttpSending {
  readonly message?: Message | readonly Message[] | undefined;
  readonly options: SendOptions;
}

/** Address of a server, without what may be secret in the URL. */
export interface HttpTarget {
  readonly url: URL;
  /** The header that the credentials of the URL became. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly description: string;
}

/**
 * Reads the URL of a server and the options for it.
 *
 * @throws TypeError if the URL is invalid or is neither `http:` nor `https:`, or a limit is not a number.
 */
export function httpTargetOf(given: string | URL, options: HttpTransportOptions): HttpTarget {
  const url = serverUrl(given);
  url.hash = '';
  const credentials = takeCredentials(url);
  checkLimits(options);
  return { url, credentials, description: describeUrl(url) };
}

/** Facts of how a transport is authorized, for its user. */
export function authorizationOf({ auth }: HttpTransportOptions): TransportAuthorization | undefined {
  return typeof auth === 'object' ? auth : undefined;
}

/**
 * Makes the sender for the requests of one conversation.
 *
 * @throws TypeError for an invalid `auth`, one for another server, or one next to other credentials.
 */
export async function openRequests(target: HttpTarget, options: HttpTransportOptions): Promise<HttpRequests> {
  const requests = new HttpRequests(target, options);
  // Most programs authorize nothing, and load nothing for it.
  if (options.auth !== undefined) requests.carry = (await import('./authorized.ts')).carrier(requests, target, options);
  return requests;
}

/** Carries one request to the server, and its response back. */
export interface Carry {
  (url: URL, request: FetchRequest, call: HttpRequestOptions): Promise<FetchResponse>;
  /** Waits for background work that must not be cut off. */
  rest?(): Promise<void>;
}

/** Sends the requests of one conversation, with the headers that they have in common. */
export class HttpRequests {
  readonly url: URL;
  readonly options: HttpTransportOptions;
  readonly #credentials: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  /** As they are, unless they are authorized. */
  carry: Carry = (url, request) => fetchWithin(this.fetch, url, request);
  #settled: Readonly<Record<string, string>> = {};
  /** Headers that all requests share, built once. */
  #common: Readonly<Record<string, string>> | undefined;

  constructor({ url, credentials }: HttpTarget, options: HttpTransportOptions) {
    this.url = url;
    this.options = options;
    this.#credentials = credentials;
    this.fetch = options.fetch ?? ((target, request) => fetch(target, request));
  }

  /** Headers that the conversation settled; replaced as a whole. */
  get settled(): Readonly<Record<string, string>> {
    return this.#settled;
  }

  set settled(headers: Readonly<Record<string, string>>) {
    this.#settled = headers;
    this.#common = undefined;
  }

  /** The most bytes of one message. */
  get maxBytes(): number {
    return this.options.maxMessageBytes ?? 16 * 1024 * 1024;
  }

  /** @throws ConnectionError when there is no response, or at once for headers that cannot be sent. */
  send(call: HttpRequestOptions): Promise<FetchResponse> {
    const { headers } = this.options;
    if (typeof headers === 'function') return this.#sendWith(headers(), call);
    this.#common ??= lowercased(this.#credentials, headers, this.#settled);
    return this.#send(this.#common, call);
  }

  async #sendWith(
    headers: Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>,
    call: HttpRequestOptions,
  ): Promise<FetchResponse> {
    return await this.#send(lowercased(this.#credentials, await headers, this.#settled), call);
  }

  #send(common: Readonly<Record<string, string>>, call: HttpRequestOptions): Promise<FetchResponse> {
    const { method, url = this.url, own, headers, body, signal } = call;
    const all = withHeaders(common, headers, own);
    const request: FetchRequest = {
      method,
      headers: call.isUnversioned === true ? unversioned(all) : all,
      redirect: 'manual',
      signal,
      ...(body === undefined ? undefined : { body }),
    };
    call.sending?.(request.headers);
    return this.carry(url, request, call);
  }
}

function unversioned(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'mcp-protocol-version'));
}

/** Moves user and password of a URL into the `authorization` header, since `fetch` rejects a URL that has them. */
function takeCredentials(url: URL): Record<string, string> {
  const { username, password } = url;
  if (username === '' && password === '') return {};
  url.username = '';
  url.password = '';
  const bytes = new TextEncoder().encode(`${unescaped(username)}:${unescaped(password)}`);
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A percent sign that begins no escape is meant as it is.
    return part;
  }
}

/** An ordinary property. */
const ordinary = { configurable: true, enumerable: true, writable: true };

/** Characters that the value of a header may have. */
const allowed = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Merges headers. A later one replaces an earlier one of the same name in any case. */
export function lowercased(
  ...sources: readonly (Readonly<Record<string, string>> | undefined)[]
): Record<string, string> {
  return withHeaders({}, ...sources);
}

/** Adds headers to some that are lowercased already, which stay as they are. */
function withHeaders(
  lowercase: Readonly<Record<string, string>>,
  ...sources: readonly (Readonly<Record<string, string>> | undefined)[]
): Record<string, string> {
  const headers: Record<string, string> = { ...lowercase };
  for (const source of sources) {
    if (source === undefined) continue;
    for (const name of Object.keys(source)) {
      // Its own key, so that it is there.
      const value = source[name] as string;
      // The value may be a secret, and is not shown.
      if (!allowed.test(value))
        throw new ConnectionError(
          'invalid-message',
          `the value of header ${name} has characters that no header may have`,
        );
      const lower = name.toLowerCase();
      // An object without a prototype, which has no such property, takes three times as long.
      if (lower === '__proto__') Object.defineProperty(headers, lower, { ...ordinary, value });
      else headers[lower] = value;
    }
  }
  return headers;
}
