import { parseJson } from '../../../../parley/src/json/parse.ts';
import { isObject, isResponse } from '../../../../parley/src/jsonrpc/message.ts';

/** Text that was sent to a server, and all that came of it. */
export interface RawExchange {
  /** Text that was sent, as it stood on the wire: over HTTP the method, the path and the headers that matter stand before it. */
  readonly sent: string;
  /** The status over HTTP; `undefined` over stdio, and where no response came. */
  readonly status: number | undefined;
  /** The headers of the response, names in small letters; several of one name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text that came, as far as the limit goes. */
  readonly text: string;
  /** JSON values that came, in order: lines, data of events, or the body. */
  readonly messages: readonly unknown[];
  /** Pieces that should have been JSON and were none, in order. */
  readonly malformed: readonly string[];
  /** False where it came in bytes that are no UTF-8. */
  readonly isUtf8?: false;
  /** The way it ended: complete, with the awaited message, silent, over a limit, refused, or disconnected. */
  readonly end: 'complete' | 'heard' | 'silent' | 'limit' | 'refused' | 'gone';
  /** Tells whether a text has the token in it that was sent with the message; `undefined` where none was. */
  readonly hasToken?: (text: string) => boolean;
  /** Reason, where it was `refused` or `gone`. */
  readonly reason?: string;
  /** Time from the sending to the end over stdio, in milliseconds, without the turn of earlier messages. */
  readonly tookMs?: number;
}

/** A response of JSON-RPC as it came. */
export interface CameResponse {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Bounds of one exchange. */
export interface ExchangeLimits {
  /** Time that may pass until all came, in milliseconds. */
  readonly waitTimeoutMs: number;
  /** Time that is waited on once a stream over HTTP has begun, in milliseconds; all of `waitTimeoutMs` by default. */
  readonly afterMs?: number;
  /** Tells, after each message, that nothing more is waited for. */
  readonly until?: (messages: readonly unknown[]) => boolean;
  /** Ends the wait over HTTP. */
  readonly stop?: AbortSignal;
  /** Hears that a response over HTTP has begun. */
  begun?(): void;
}

/** Limit of stored bytes of a response. */
export const mostBytes: number = 2 * 1024 * 1024;

/** Limits of stored unrequested messages: their number, and characters in total. */
const [maxUnasked, unaskedCharacters] = [10_000, mostBytes];

/** Stored unrequested messages, up to a limit: endless ones bring nothing new. */
export class Unasked {
  readonly pieces: string[] = [];
  #length = 0;

  /** @returns False when it is not kept. */
  add(piece: string): boolean {
    if (this.pieces.length >= maxUnasked || this.#length + piece.length > unaskedCharacters) return false;
    this.#length += piece.length;
    this.pieces.push(piece);
    return true;
  }
}

/** Gathers what comes, piece by piece. */
export class ReplyCollector {
  readonly messages: unknown[] = [];
  readonly malformed: string[] = [];
  text = '';
  readonly #strict = new TextDecoder('utf-8', { fatal: true });
  isUtf8 = true;

  /** Looks at bytes as they come, before anybody decodes them. */
  bytes(piece: Uint8Array): void {
    if (!this.isUtf8) return;
    try {
      this.#strict.decode(piece, { stream: true });
    } catch {
      this.isUtf8 = false;
    }
  }

  /** Takes a line, the data of an event, or a body. */
  piece(text: string): void {
    if (text.trim() === '') return;
    try {
      this.messages.push(parseJson(text));
    } catch {
      this.malformed.push(text.slice(0, 1_000));
    }
  }

  /** Keeps text. @returns False when it is too much. */
  keep(text: string): boolean {
    this.text += text;
    return this.text.length <= mostBytes;
  }
}

/**
 * Finds the response to a request among the messages of an exchange, in a batch too; `undefined` where none came. An id that came back in
 * another type is taken for the same: that is a fault by itself, and others are to be seen beside it.
 */
export function responseIn(exchange: RawExchange, id: unknown): CameResponse | undefined {
  return exchange.messages.flat().find((message) => answers(message, id)) as CameResponse | undefined;
}

/** Tells whether a message is the response to a request, whatever the type of its id. */
export function answers(message: unknown, id: unknown): boolean {
  if (!isResponse(message)) return false;
  const came = message['id'];
  return came === id || (isScalar(came) && isScalar(id) && String(came) === String(id));
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** The code of the error of a response; `undefined` where it has none. */
export function errorCodeOf(response: CameResponse | undefined): unknown {
  return isObject(response?.error) ? response.error['code'] : undefined;
}

/** The code of the only error that came, whatever its id; `undefined` where there is none. */
export function errorCodeIn({ messages }: RawExchange): unknown {
  return errorCodeOf(
    messages.flat().find((message) => isResponse(message) && 'error' in message) as CameResponse | undefined,
  );
}

/**
 * Tells why an exchange says nothing of an MCP server: something in front of it answered, or nothing did. `undefined` where the server
 * itself spoke.
 */
export function inFront(exchange: RawExchange): string | undefined {
  const { status, headers, end, reason } = exchange;
  if (end === 'refused') return `no answer came: ${reason ?? 'no reason'}`;
  if (status === undefined) return undefined;
  const why = turnedAway(exchange);
  if (why !== undefined || isJsonRpc(exchange)) return why;
  if (/^text\/html/i.test(headers['content-type'] ?? '') && status >= 300)
    return `HTTP ${status} with a page of HTML: something in front of the server answered`;
  return undefined;
}

/**
 * Tells why an exchange proves nothing about the request, although it may look like a refusal; `undefined` if it may.
 */
export function turnedAway(exchange: RawExchange): string | undefined {
  const { status = 0, headers } = exchange;
  if (status >= 300 && status < 400) return redirected(exchange);
  // From any layer, and with any text, this proves nothing about the request.
  if (status === 429) return 'HTTP 429: it wants fewer requests';
  if (status === 503 && headers['retry-after'] !== undefined) return 'HTTP 503: it wants to be asked again later';
  return status >= 502 && status <= 504 && !isJsonRpc(exchange)
    ? `HTTP ${status}: something in front of the server answered`
    : undefined;
}

/** Tells where a redirection points. It is not followed: what the user gave is for the address that he named. */
function redirected({ status, headers, sent }: RawExchange): string {
  const { location } = headers;
  const path = /^\S+ (\S+)/.exec(sent)?.[1] ?? '';
  if (location === undefined) return `HTTP ${status}, a redirection that says not where to`;
  // The query may be secret, and a name and a password before the host are.
  const [begin = ''] = location.split(/[?#]/);
  const place = begin.replace(/^([a-z][a-z\d+.-]*:[/\\]*|[/\\]{2,})[^/\\]*@/i, '$1');
  return `HTTP ${status}: ${path} is redirected to ${place.slice(0, 200)}, which is not followed: give that address`;
}

/** Tells whether MCP was spoken: what stands in front has JSON of its own. */
function isJsonRpc({ messages }: RawExchange): boolean {
  return messages.flat().some((message) => isObject(message) && message['jsonrpc'] !== undefined);
}

/** Length limit of a sent message in reports, in characters. */
const maxToldLength = 2_000;

/** The beginning of a sent message, with its total length; bytes are shown as characters. */
export function toldText(text: string | Uint8Array): string {
  const start = text.slice(0, maxToldLength);
  const told = typeof start === 'string' ? start : Buffer.from(start).toString('latin1');
  return text.length > maxToldLength ? `${told}… (${text.length} characters)` : told;
}
