import type { FetchResponse } from '../../../jsonrpc/fetch.ts';
import { JsonError } from '../../../json/parse.ts';
import { isObject, isRequestId, spelledNumber, type Message, type RequestId } from '../../../jsonrpc/message.ts';
import { readEvents } from '../../../jsonrpc/sse.ts';
import { parseMessage } from '../../../jsonrpc/encode.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import { ConnectionError, unknownSessions, type MessageOrigin, type Receiver } from '../../../jsonrpc/transport.ts';
import { isTransientStatus } from '../../../jsonrpc/transient.ts';
import { askedWaitMs } from '../../../jsonrpc/transient.ts';
import { bodyBytes, bodyText, drain } from './body.ts';
import { discard } from './fetch.ts';
import { asSaid, describeUrl, withoutSecrets } from './described-url.ts';

/** One POST that waits for what answers it. */
export interface PostExchange {
  /** The ids of its requests that have no response yet. */
  readonly waiting: Set<RequestId>;
  readonly receiver: Receiver;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Closes the response stream. */
  abort(): void;
  /** True if the request named a session. A 404 then means that the session is gone. */
  readonly inSession: boolean;
  /** True if an MCP server answered a message there before. */
  readonly isServer?: boolean;
  /** Tells whether a refusal means that the server does not know the session; it may ask the server. */
  readonly isGone?: ((refused: FetchResponse, code?: number) => Promise<boolean>) | undefined;
  /** The headers with which its last request was sent. */
  sent: Readonly<Record<string, string>>;
  /** Id of the last response that belongs to none of its requests. */
  stray?: RequestId | undefined;
  /** Its URL, for error messages. */
  readonly url: URL;
}

/** Position at which a stream ended, to resume it later. */
export interface ResumePosition {
  lastEventId: string | undefined;
  retryMs: number | undefined;
  /** True if the stream brought no message. */
  isEmpty?: boolean;
}

/** Length of the part of a body that goes into an error, in bytes. */
export const shownBytes = 2_048;

/** Time for which a body may stay open after its last answer. */
const lingerMs = 1_000;

/** The most messages that are read of what answers a POST which asked nothing. */
const maxUnasked = 100;

/** Id of the `ping` that asks whether a session is known; no request of a client has it. */
export const checkId = 'session-check';

/** The ids of the requests in a message or a batch. */
export function requestIds(message: Message | readonly Message[]): Set<RequestId> {
  const ids = new Set<RequestId>();
  const messages: readonly Message[] = Array.isArray(message) ? message : [message];
  for (const element of messages) if ('method' in element && 'id' in element) ids.add(element.id);
  return ids;
}

/** The media type of a response, without parameters. */
export function mediaType(response: FetchResponse): string {
  return (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function isSuccess(response: FetchResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

/** Tells whether a refusal may concern the session: it asks for no authorization and does not report overload. */
export function mayBeAboutSession({ status, headers }: FetchResponse): boolean {
  return (status === 500 || !isTransientStatus(status)) && status >= 400 && headers.get('www-authenticate') === null;
}

/**
 * Code of an error that may be about the session: any code that JSON-RPC reserves, except of those that name a fault of the
 * request. Some servers use 0 for an error without a code. The codes of applications are about the request.
 */
function sessionCodeOf(value: unknown): number | undefined {
  const error = isObject(value) ? value['error'] : undefined;
  const code = isObject(error) ? error['code'] : undefined;
  if (typeof code !== 'number') return undefined;
  const isReserved = code === 0 || (code >= -32_768 && code <= -32_000);
  return isReserved && !aboutRequest.has(code) ? code : undefined;
}

/** An unknown method, a resource that is not found, and a page to visit. */
const aboutRequest: ReadonlySet<number> = new Set([-32_601, -32_002, -32_042]);

/** Passes the content of a body to the receiver, if it may be JSON. */
export async function readAnswerBody(response: FetchResponse, exchange: PostExchange): Promise<void> {
  const type = mediaType(response);
  const { status } = response;
  if (type === 'application/json' || type === '' || status === 202 || status === 204)
    await readJson(response, exchange);
  else readOther(response, exchange);
}

/**
 * Reads for a moment what answers a POST that asked nothing: it was taken, and such an answer has no body. (Spec
 * 2025-11-25, Transports, Sending Messages: 202.) Who read on would wait as long as the server likes, and send an answer of
 * ours again that the server has.
 */
export async function readUnasked(response: FetchResponse, exchange: PostExchange): Promise<void> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
    exchange.abort();
  };
  const stop = after(lingerMs, end);
  let heard = 0;
  const message: Receiver['message'] = (value, about) => {
    if (++heard === maxUnasked) end();
    exchange.receiver.message(value, about);
  };
  const brief = { ...exchange, receiver: { ...exchange.receiver, message } };
  try {
    if (mediaType(response) === 'text/event-stream') await readStream(response, brief);
    else await readAnswerBody(response, brief);
  } catch (error) {
    if (!isOver) throw error;
  } finally {
    stop();
  }
}

async function readJson(response: FetchResponse, exchange: PostExchange): Promise<void> {
  if (response.status === 202 || response.status === 204) return void drain(response, lingerMs);
  let text: string;
  try {
    text = await bodyText(response, exchange.maxBytes);
  } catch (error) {
    throw exchangeError(error, exchange);
  }
  const { status } = response;
  const isAsked = exchange.waiting.size > 0;
  if (text.trim() === '') {
    if (!isAsked) return;
    const words = `HTTP ${status} from ${describeUrl(exchange.url)}: an empty body instead of an answer`;
    throw new ConnectionError('closed', `${words}; ${isItMcp}`, { status, body: '' });
  }
  const value = parsed(text, status, exchange.receiver);
  if (isAsked && !mayBeMessage(value)) {
    const said = await withoutSecrets(text.slice(0, 2 * shownBytes), exchange);
    const words = `${describeUrl(exchange.url)} answered with JSON that is no message of MCP: ${asSaid(said)}`;
    throw new ConnectionError('invalid-message', `${words}; ${isItMcp}`, { status, body: said.slice(0, shownBytes) });
  }
  const code = isAsked && exchange.inSession ? sessionCodeOf(value) : undefined;
  if (code !== undefined && (await exchange.isGone?.(response, code)) === true)
    throw perhapsRun(new Error(asSaid(await withoutSecrets(text.slice(0, 2 * shownBytes), exchange))));
  deliver(value, exchange, originOf(exchange, status, text));
}

/** The error of a request in a lost session, unless the answer proves that nothing ran. */
export function perhapsRun(cause: Error): ConnectionError {
  return new ConnectionError('session-lost', `the server no longer knows the session: ${cause.message}`, { cause });
}

/** Question for a user who may have the wrong URL. */
const isItMcp = 'is it the URL of an MCP server?';

/** Tells whether a value looks like one message or several. Other code validates it. */
function mayBeMessage(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mayBeMessage);
  return (
    isObject(value) &&
    (value['jsonrpc'] !== undefined || isObject(value['error']) || (isRequestId(value['id']) && 'result' in value))
  );
}

/** Lets a body of another type pass where nothing was asked; a request it leaves without an answer. */
function readOther(response: FetchResponse, exchange: PostExchange): void {
  void discard(response);
  if (exchange.waiting.size === 0) return;
  throw new ConnectionError(
    'invalid-message',
    `${describeUrl(exchange.url)} answered with ${mediaType(response)}, neither JSON nor an event stream; ${isItMcp}`,
    { status: response.status },
  );
}

/**
 * Passes the messages of a stream to the receiver until it ends, or until shortly after everything has been answered.
 *
 * @param from The end of the previous stream, from which this one continues.
 */
export async function readStream(
  response: FetchResponse,
  exchange: PostExchange,
  from: Readonly<ResumePosition> = { lastEventId: undefined, retryMs: undefined },
): Promise<ResumePosition> {
  const position = { ...from, isEmpty: true };
  const asked = exchange.waiting.size > 0;
  let stopLingering: (() => void) | undefined;
  const unnamed = new UnnamedError(exchange, response.status);
  try {
    for await (const event of readEvents(bodyBytes(response), {
      maxBytes: exchange.maxBytes,
      limitOption: 'maxMessageBytes',
    })) {
      // An empty id resets the last event id. (WHATWG HTML, Server-sent events.)
      if (event.id !== undefined) position.lastEventId = event.id === '' ? undefined : event.id;
      if (event.retry !== undefined) position.retryMs = event.retry;
      if (exchange.signal.aborted) throw exchangeError(undefined, exchange);
      if (event.data === '' || (event.event ?? 'message') !== 'message') continue;
      position.isEmpty = false;
      if (asked && unnamed.holds(event.data)) continue;
      deliverEvent(event.data, exchange, response.status);
      if (asked && exchange.waiting.size === 0) stopLingering ??= after(lingerMs, () => exchange.abort());
    }
  } catch (error) {
    if (asked && exchange.waiting.size === 0) return position;
    if (error instanceof ConnectionError || exchange.signal.aborted) throw exchangeError(error, exchange);
    // The connection broke: this continues as after a stream that ended.
  } finally {
    stopLingering?.();
    unnamed.over();
  }
  return position;
}

/** The first error without an id in the stream of a request, which may not be about it: its response may still come. */
class UnnamedError {
  readonly #exchange: PostExchange;
  readonly #status: number;
  #data: string | undefined;
  #stop: (() => void) | undefined;

  constructor(exchange: PostExchange, status: number) {
    this.#exchange = exchange;
    this.#status = status;
  }

  /** Keeps an event for a moment if it is such an error. */
  holds(data: string): boolean {
    if (this.#data !== undefined || !isUnnamed(data, this.#exchange.receiver)) return false;
    this.#data = data;
    this.#stop = after(lingerMs, () => {
      this.over();
      if (this.#exchange.waiting.size === 0) this.#exchange.abort();
    });
    return true;
  }

  /** Delivers the error, unless the request was answered meanwhile. */
  over(): void {
    const [data, exchange] = [this.#data, this.#exchange];
    this.#stop?.();
    if (data === undefined || this.#stop === undefined || exchange.signal.aborted) return;
    this.#stop = undefined;
    if (exchange.waiting.size > 0) return deliverEvent(data, exchange, this.#status);
    const words = 'an error without an id came before the response, and was ignored';
    exchange.receiver.problem(new ConnectionError('invalid-message', words));
  }
}

function isUnnamed(data: string, { exactNumbers }: Receiver): boolean {
  if (!data.includes('"error"')) return false;
  try {
    const value = parseMessage(data, { exactNumbers });
    return isObject(value) && value['method'] === undefined && isObject(value['error']) && !isRequestId(value['id']);
  } catch {
    return false;
  }
}

/** Content of a response that is no success. */
export interface RefusedResponse {
  readonly failure: ConnectionError;
  /** The error message for the only request, if the body holds one. */
  readonly message: Readonly<Record<string, unknown>> | undefined;
  /** True when only a server of a stateless revision answers like this. */
  readonly stateless: boolean;
}

/**
 * The error of a message that was refused in a session which is over.
 *
 * @param isProven True if the server does not know the session, so that a request in it did not run.
 */
export function lostSession(
  { failure }: RefusedResponse,
  { waiting }: PostExchange,
  isProven: boolean,
): ConnectionError {
  // Spec 2025-11-25, Transports, Session Management: the rejected message may also be an answer, which waits for no
  // reply.
  if (waiting.size === 0 || !isProven)
    return new ConnectionError('session-lost', failure.message, { cause: failure, status: failure.status ?? 0 });
  unknownSessions.add(failure);
  return failure;
}

/**
 * Tells whether a refusal concerns the caller. A 403 without a challenge may concern anything, such as a Host that is
 * not allowed.
 */
export function isUnauthorized(status: number, challenge: string | undefined): boolean {
  return status === 401 || (status === 403 && challenge !== undefined);
}

/** The challenges of a refusal, of however many header fields, as they may be written down. */
export async function challengeOf(
  { headers }: FetchResponse,
  exchange: Pick<PostExchange, 'sent' | 'url'>,
): Promise<{ readonly challenge?: string }> {
  const challenge = headers.get('www-authenticate');
  return challenge === null ? {} : { challenge: await withoutSecrets(challenge, exchange) };
}

/**
 * Passes the error message of a refusal to the receiver.
 *
 * @throws ConnectionError if there is none.
 */
export function deliverRefusal({ failure, message }: RefusedResponse, exchange: PostExchange): void {
  if (message === undefined) throw failure;
  deliver(message, exchange, { status: failure.status ?? 0 });
}

/** The error of a request that was refused for the header of the version which the server itself chose. */
export function refusedVersion(
  { failure }: RefusedResponse,
  headers: Readonly<Record<string, string>>,
): ConnectionError {
  const version = Object.entries(headers).find(([name]) => name.toLowerCase() === 'mcp-protocol-version')?.[1] ?? '';
  const cause = `the server chose ${version} in initialize, and refuses the header MCP-Protocol-Version with it`;
  failure.message = `${failure.message}; ${cause}: without the header it answers`;
  return failure;
}

/** Error of the sender for a failure of reading. */
export function exchangeError(error: unknown, exchange: PostExchange): ConnectionError {
  if (exchange.signal.aborted) return new ConnectionError('aborted', 'the exchange was aborted', { cause: error });
  if (error instanceof ConnectionError) return error;
  return new ConnectionError('closed', 'the response broke off', { cause: error });
}

function deliverEvent(data: string, exchange: PostExchange, status: number): void {
  const about = originOf(exchange, status, data);
  let value: unknown;
  try {
    value = parsed(data, status, exchange.receiver);
  } catch (error) {
    exchange.receiver.problem(exchangeError(error, exchange), about);
    return;
  }
  deliver(value, exchange, about);
}

/** Origin of a received message: it belongs to the pending request, or to none if all are answered. */
function originOf({ waiting }: PostExchange, status: number, text: string): MessageOrigin {
  const [request = null] = waiting;
  return { status, request, text };
}

function deliver(received: unknown, exchange: PostExchange, about: MessageOrigin): void {
  const value = attributed(received, exchange);
  for (const element of Array.isArray(value) ? value : [value]) {
    if (!isObject(element) || element['method'] !== undefined || !isRequestId(element['id'])) continue;
    const { id } = element;
    const spelled = spelledNumber(id);
    if (exchange.waiting.delete(id) || (spelled !== undefined && exchange.waiting.delete(spelled))) continue;
    exchange.stray = id;
  }
  exchange.receiver.message(value, about);
}

/** An error without an id can only be about the one request that waits. */
function attributed(value: unknown, { waiting }: PostExchange): unknown {
  if (!isObject(value) || (value['id'] !== undefined && value['id'] !== null)) return value;
  const [id, ...others] = waiting;
  if (id === undefined || others.length > 0) return value;
  return value['method'] === undefined && isObject(value['error']) ? { ...value, id } : value;
}

/** @throws ConnectionError if the text is not JSON. */
export function parsed(text: string, status: number, { exactNumbers }: Receiver): unknown {
  try {
    return parseMessage(text, { exactNumbers });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ConnectionError('invalid-message', error.message, {
      cause: error,
      status,
      body: text.slice(0, shownBytes),
    });
  }
}

/** The `Retry-After` time of a response, in milliseconds, if it has one. */
export function retryAfter(response: FetchResponse): number | undefined {
  return askedWaitMs(response.headers.get('retry-after'));
}
