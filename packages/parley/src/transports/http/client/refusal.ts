/** Reading of responses that are no success, which is loaded by the first of them. */

import type { FetchResponse } from '../../../jsonrpc/fetch.ts';
import { parseJson } from '../../../json/parse.ts';
import { isObject, spelledNumber } from '../../../jsonrpc/message.ts';
import { parseMessage } from '../../../jsonrpc/encode.ts';
import { ConnectionError, refusedCredentials } from '../../../jsonrpc/transport.ts';
import { errorFromWire } from '../../../protocol/error.ts';
import {
  challengeOf,
  exchangeError,
  isUnauthorized,
  retryAfter,
  shownBytes,
  type PostExchange,
  type RefusedResponse,
} from './answer.ts';
import { bodyStart } from './body.ts';
import { asSaid, describeUrl, withoutSecrets } from './described-url.ts';

type ConnectionDetails = NonNullable<ConstructorParameters<typeof ConnectionError>[2]>;

/** Size that the body of a refusal may have before it is cut off. */
const refusalBytes = 1024 * 1024;

/** Reads a response that is no success. */
export async function readHttpRefusal(response: FetchResponse, exchange: PostExchange): Promise<RefusedResponse> {
  const { status } = response;
  let text: string;
  try {
    text = await bodyStart(response, refusalBytes);
  } catch (error) {
    throw exchangeError(error, exchange);
  }
  const retryAfterMs = retryAfter(response);
  const said = await withoutSecrets(text, exchange);
  const options: ConnectionDetails = {
    status,
    body: said.slice(0, shownBytes),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  const asked = await challengeOf(response, exchange);
  if (isUnauthorized(status, asked.challenge)) {
    const words = `HTTP ${status} from ${describeUrl(exchange.url)}${unauthorizedWords(status, exchange, { ...asked, text: said })}`;
    const failure = new ConnectionError('unauthorized', words, { ...options, ...asked });
    if (exchange.sent['authorization'] !== undefined) refusedCredentials.add(failure);
    return { failure, message: undefined, stateless: false };
  }
  return {
    failure: new ConnectionError(
      'http',
      refusalWords(status, said, { url: exchange.url, known: exchange.inSession || exchange.isServer === true }),
      options,
    ),
    message: status === 403 || status === 429 || status === 503 ? undefined : errorFor(said, status, exchange),
    stateless: isStatelessError(text),
  };
}

/** Message for an unsuccessful response, with its URL and a hint what to check. */
export function refusalWords(status: number, text: string, { url, known }: Refused): string {
  const said = summary(text);
  const isPath = !known && (status === 404 || status === 405);
  const usual = url.pathname.endsWith('/mcp') ? '' : ' (many servers have theirs at /mcp)';
  const hint = isPath ? `; is the path ${url.pathname} that of an MCP server?${usual}` : '';
  return `HTTP ${status} from ${describeUrl(url)}${said === '' ? '' : `: ${said}`}${hint}`;
}

interface Refused {
  readonly url: URL;
  /** True if an MCP server is known to be there: it may be the session that is not found. */
  readonly known: boolean;
}

/** The first words of a body with text for people. */
export function summary(text: string): string {
  return asSaid(errorMessage(text) ?? titleOf(text) ?? text.trim().split('\n', 1)[0] ?? '');
}

function errorMessage(text: string): string | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { error, error_description: description } = value;
    const message = isObject(error) ? error['message'] : error;
    if (typeof message !== 'string') return undefined;
    // RFC 6749, section 5.2: the description explains the code.
    return typeof description === 'string' ? `${message}: ${description}` : message;
  } catch {
    return undefined;
  }
}

/** The title of a page, if it has one. Its other text is not used. */
function titleOf(text: string): string | undefined {
  if (!text.trimStart().startsWith('<')) return undefined;
  const start = text.indexOf('<title>');
  const end = start < 0 ? -1 : text.indexOf('</title>', start);
  return end < 0 ? '' : text.slice(start + '<title>'.length, end).trim();
}

/** RFC 6750, section 3.1: a challenge should have an error code if there were credentials. Many have none. */
function unauthorizedWords(
  status: number,
  { sent }: PostExchange,
  { challenge, text }: { readonly challenge?: string; readonly text: string },
): string {
  const isAuthorized = sent['authorization'] !== undefined;
  // A challenge without an error may be explained in the body.
  if (challenge === undefined) {
    const said = summary(text);
    const refused = isAuthorized
      ? 'the authorization was refused'
      : 'it wants authorization, which the option `auth` gives';
    return `${said === '' ? '' : `: ${said}`}: ${refused}`;
  }

  const error = /\berror="?([\w-]{1,40})/.exec(challenge)?.[1];
  if (error !== undefined) {
    const why = descriptionIn(challenge);
    const scope = error === 'insufficient_scope' ? quoted(challenge, /\bscope="((?:[^"\\]|\\.){1,500})/) : undefined;
    const wanted = scope === undefined ? '' : `; it wants the scope ${scope}`;
    return `: the authorization was refused (${error}${why === undefined ? '' : `: ${why}`}${wanted})`;
  }
  if (status !== 401) return '';
  return isAuthorized ? ': the authorization was refused' : ': it wants authorization, which the option `auth` gives';
}

/** The reason in a challenge why a token was rejected. (RFC 6750, section 3.) */
export function descriptionIn(challenge: string): string | undefined {
  return quoted(challenge, /\berror_description="((?:[^"\\]|\\.){1,500})/);
}

/** The text of a parameter of a challenge. */
function quoted(challenge: string, parameter: RegExp): string | undefined {
  const said = parameter.exec(challenge)?.[1];
  return said === undefined ? undefined : asSaid(said.replaceAll(/\\(.)/g, '$1'));
}

/** The error message that a body holds, if it can only be about the request that was sent. */
function errorFor(text: string, status: number, exchange: PostExchange): Readonly<Record<string, unknown>> | undefined {
  const [id, ...others] = exchange.waiting;
  if (id === undefined || others.length > 0) return undefined;
  let value: unknown;
  try {
    value = parseMessage(text, exchange.receiver);
  } catch {
    return undefined;
  }
  if (
    !isObject(value) ||
    value['jsonrpc'] !== '2.0' ||
    !isObject(value['error']) ||
    !Number.isInteger(value['error']['code'])
  )
    return undefined;
  const named = value['id'] === id || spelledNumber(value['id']) === id;
  // What names no request is about the path, as far as anybody can tell.
  if (status === 404 && !named) return undefined;
  if (!named && value['id'] !== undefined && value['id'] !== null) return undefined;
  // Spec 2025-11-25, Transports, Session Management: the session is gone, unless only the method was not found. A body
  // with the request's id is its answer. A body without one may concern the session.
  const isAnswer = named && (status !== 404 || value['error']['code'] === -32601);
  if (exchange.inSession && !isAnswer) return undefined;
  return { ...value, id };
}

/**
 * The errors that came with the stateless revisions. Other servers may use the codes, so their data identifies them.
 */
const statelessErrors: ReadonlySet<unknown> = new Set([
  'headerMismatch',
  'missingRequiredClientCapability',
  'unsupportedProtocolVersion',
]);

function isStatelessError(text: string): boolean {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return false;
  }
  const error = isObject(value) ? value['error'] : undefined;
  if (!isObject(error) || typeof error['code'] !== 'number') return false;
  const { code, data } = error;
  return statelessErrors.has(errorFromWire({ code, message: '', data }).kind);
}
