/** Fetches a JSON document from an untrusted host, with limits of time, size and address. */

import type { Fetch, FetchRequest, FetchResponse } from '../../jsonrpc/fetch.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { isTransientStatus } from '../../jsonrpc/transient.ts';
import { AuthorizationError } from './errors.ts';
import type { NetworkRules } from './network.ts';
import type { SecretRequest } from './secrets.ts';

/**
 * Time limit of requests through a `fetch`, in milliseconds. A `fetch` that holds requests until a user releases them
 * has its own limit, since a user needs more than ten seconds.
 */
export function patienceOf(fetch: Fetch, ms: number): number {
  return (fetch as { limitMs?(): number | undefined }).limitMs?.() ?? ms;
}

/** The way and the bounds of fetching. */
export interface FetchContext {
  readonly fetch: Fetch;
  readonly rules: NetworkRules;
  readonly signal: AbortSignal;
}

/** The most bytes of a body. */
const mostBytes = 256 * 1024;
/** The longest that one fetch takes, with its body; in milliseconds. */
const maxMs = 10_000;
const maxRedirects = 3;

/** Result of a search for a document. */
export interface FoundDocument {
  /** Its value; `undefined` if there is none. */
  readonly value: unknown;
  /** URL at which it was, redirects followed. */
  readonly url: string;
  readonly status: number;
}

/**
 * Fetches a JSON document by GET, following up to three redirects within its origin.
 *
 * @param what Its name for errors, such as `the resource metadata`.
 * @param headers Headers besides `Accept`.
 * @returns Without a value if the server has none: any other 4xx, or a page that is not JSON.
 * @throws AuthorizationError `server-error` if the server fails (5xx, 429) or cannot be reached, which does not prove
 * that it has none;
 * `insecure-url`, `address-refused` for a forbidden address; `discovery` for a redirect elsewhere and for a body that
 * is too large.
 */
export async function fetchDocument(
  url: string,
  what: string,
  context: FetchContext,
  headers: Readonly<Record<string, string>> = {},
): Promise<FoundDocument> {
  const first = context.rules.check(url, what);
  const request = { method: 'GET', headers: { accept: 'application/json', ...headers } };
  let target = first;
  for (let followed = 0; followed <= maxRedirects; followed++) {
    const answer = await exchange(target, request, what, context);
    if (answer.status === 0) return await redirected(first, request, what, context);
    if (answer.status < 300 || answer.status > 399) return foundIn(answer, target, what);
    const to = answer.header('location');
    const next = to !== undefined && URL.canParse(to, target.href) ? new URL(to, target.href) : undefined;
    if (next === undefined || next.origin !== first.origin) throw elsewhere(first, what);
    target = next;
  }
  throw new AuthorizationError('discovery', `${what} at ${placeOf(first)} redirects more than ${maxRedirects} times`);
}

/** Follows redirects that the runtime hides, as browsers do, and sees where they ended. */
async function redirected(
  first: URL,
  request: Pick<FetchRequest, 'method' | 'headers'>,
  what: string,
  context: FetchContext,
): Promise<FoundDocument> {
  const answer = await exchange(first, { ...request, redirect: 'follow' }, what, context);
  const end = answer.url !== undefined && URL.canParse(answer.url) ? new URL(answer.url) : undefined;
  if (end?.origin !== first.origin) throw elsewhere(first, what);
  return foundIn(answer, end, what);
}

function elsewhere(first: URL, what: string): AuthorizationError {
  return new AuthorizationError('discovery', `${what} at ${placeOf(first)} redirects elsewhere, which is not followed`);
}

function foundIn({ status, text }: WholeResponse, url: URL, what: string): FoundDocument {
  if (isTransientStatus(status))
    throw new AuthorizationError(
      'server-error',
      `${what} at ${placeOf(url)} cannot be had now: HTTP ${status}; try again later`,
      {
        status,
      },
    );
  return { value: status === 200 ? jsonOf(text) : undefined, url: url.href, status };
}

/** A URL without its query, in which there may be a key. */
function placeOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

/** The JSON value of a text; `undefined` if it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Requests a page by GET. Redirects are not followed, and a body that is too large is an error. */
export async function fetchAnswer(url: string, what: string, context: FetchContext): Promise<WholeResponse> {
  return await exchange(context.rules.check(url, what), { method: 'GET', headers: { accept: '*/*' } }, what, context);
}

/** A whole answer. */
export interface WholeResponse {
  readonly status: number;
  readonly text: string;
  /** The URL at which it was found, if the runtime reports it. */
  readonly url: string | undefined;
  /** The request that it answers. The answer may repeat its secrets. */
  readonly sent?: SecretRequest | undefined;
  header(name: string): string | undefined;
}

/**
 * Sends one request and reads the whole answer. Redirects are not followed, unless the request says so.
 *
 * @throws AuthorizationError `server-error` if there is no answer in time, `discovery` if it is too large.
 */
export async function exchange(
  url: URL,
  request: Pick<FetchRequest, 'method' | 'headers' | 'body'> & Partial<Pick<FetchRequest, 'redirect'>>,
  what: string,
  { fetch, signal }: FetchContext,
): Promise<WholeResponse> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  // Not every `fetch` observes its signal.
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error), { once: true });
  });
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  const ms = patienceOf(fetch, maxMs);
  const stop = after(ms, () => controller.abort(), true);
  const answered = async (): Promise<WholeResponse> => {
    const given = { ...request, credentials: 'omit', signal: controller.signal } as const;
    const response = await fetch(url.href, { redirect: 'manual', ...given });
    const text = await textOf(response, what, url);
    const { status, url: end, headers } = response;
    return { status, text, url: end, sent: request, header: (name) => headers.get(name) ?? undefined };
  };
  try {
    return await Promise.race([answered(), ended]);
  } catch (cause) {
    if (cause instanceof AuthorizationError) throw cause;
    if (signal.aborted) throw signal.reason;
    const why = controller.signal.aborted ? `did not answer within ${ms / 1000} s` : 'was not reached';
    throw new AuthorizationError('server-error', `${what} at ${placeOf(url)} ${why}; try again later`, {
      cause,
    });
  } finally {
    stop();
    signal.removeEventListener('abort', abort);
  }
}

async function textOf({ body, status }: FetchResponse, what: string, url: URL): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value?.length ?? 0;
    if (bytes > mostBytes) {
      reader.cancel().catch(() => {});
      throw new AuthorizationError('discovery', `${what} at ${placeOf(url)} is larger than ${mostBytes} bytes`, {
        status,
      });
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
