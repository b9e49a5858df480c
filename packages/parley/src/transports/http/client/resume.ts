import type { FetchResponse } from '../../../jsonrpc/fetch.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import { isTransient } from '../../../jsonrpc/transient.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import {
  challengeOf,
  isUnauthorized,
  exchangeError,
  isSuccess,
  mediaType,
  readStream,
  retryAfter,
  type PostExchange,
  type ResumePosition,
} from './answer.ts';
import { discard } from './fetch.ts';

/** Requests a stream by GET. The headers have the position. */
export type OpenStream = (from: Readonly<Record<string, string>>) => Promise<FetchResponse>;

/** Number of times in a row that a server may not be reached before a request that waits for it fails. */
const maxFailures = 5;

/** The first pause before reconnecting if the server names none. It doubles with every consecutive failure. */
const pauseMs = 1_000;
/** The pause if a server asks for less. It doubles with every stream that brings nothing, up to the first pause. */
const minPauseMs = 100;
const maxPauseMs = 30_000;
/** The longest pause after a refusal: each attempt may need a new token, and servers count refusals. */
const maxDeniedMs = 300_000;
/** The longest pause that `Retry-After` may ask for: a stream that is opened by its word in a year is never opened. */
const maxAskedMs = 60_000;

/** Position in a stream that never was open. */
const nowhere: ResumePosition = { lastEventId: undefined, retryMs: undefined };

/**
 * Resumes a stream that broke off before everything was answered, if the server numbered its events. Returns when
 * everything is answered or the server refuses to continue. A stream that opens and ends without an event is polling,
 * which continues as long as the request may. (Spec 2025-11-25, Transports, Resumability: by GET, after the time that
 * the server asked for.)
 *
 * @returns True if the server reported that it does not know the session.
 */
export async function resumeStream(open: OpenStream, exchange: PostExchange, from: ResumePosition): Promise<boolean> {
  let position = from;
  const row = new FailedAttempts();
  for (let failures = 0; exchange.waiting.size > 0 && position.lastEventId !== undefined;) {
    await row.pause(position, exchange);
    const next = row.after(await attempt(open, exchange, position));
    if (next === 'none' || next === 'gone') return next === 'gone';
    // A stream in use will become free. An unreachable server may stay so.
    failures = next instanceof ConnectionError && !isInUse(next) ? failures + 1 : 0;
    if (failures === maxFailures) return false;
    if (!(next instanceof ConnectionError)) position = next;
  }
  return false;
}

/** Listeners to what becomes of listening. */
export interface ListeningEvents {
  /** Called when it is over. */
  ended(): void;
  /** Called when the server reports that it does not know the session. The session is then checked once more. */
  gone(): void;
}

/**
 * Opens the stream for messages that belong to no request, and keeps it open until it is aborted. Resolves when it is
 * open, refused, or to be tried again: with whether anything may come. (Spec 2025-11-25, Transports, Listening for Messages.)
 */
export async function listenStream(
  open: OpenStream,
  exchange: PostExchange,
  events: ListeningEvents,
): Promise<boolean> {
  let first: FetchResponse | 'none' | 'gone' | ConnectionError = 'none';
  try {
    first = await openStream(open, exchange, undefined);
  } catch (error) {
    exchange.receiver.problem(exchangeError(error, exchange));
    if ((isPassing(error) || isDenied(error)) && !exchange.signal.aborted) first = error;
  }
  if (typeof first === 'string') {
    events.ended();
    return false;
  }
  // Listening runs in the background, and reports its own end.
  void keepListening(open, exchange, { first, gone: () => events.gone() })
    .catch((error: unknown) => exchange.receiver.problem(exchangeError(error, exchange)))
    .finally(() => events.ended());
  return true;
}

/** Listens as long as the conversation is open: a server that cannot be reached for a while is asked again and again. */
async function keepListening(
  open: OpenStream,
  exchange: PostExchange,
  { first, gone }: { readonly first: FetchResponse | ConnectionError; readonly gone: () => void },
): Promise<void> {
  const row = new FailedAttempts();
  const begun = row.after(
    first instanceof ConnectionError ? first : await tryListening(() => readStream(first, exchange), exchange),
  );
  let position = typeof begun === 'string' || begun instanceof ConnectionError ? nowhere : begun;
  for (;;) {
    await row.pause(position, exchange);
    const opened = async (from: Readonly<Record<string, string>>): Promise<FetchResponse> => {
      const response = await open(from);
      // Messages from the time without a stream are lost.
      if (position.lastEventId === undefined && isSuccess(response)) exchange.receiver.gap?.();
      return response;
    };
    const outcome = await tryListening(() => attempt(opened, exchange, position), exchange);
    // It was there, or was not denied: a proxy may have answered. Who gave up here would be deaf and not know it.
    const isWithheld = outcome === 'none' && position.lastEventId === undefined;
    const next = row.after(isWithheld ? withheld() : outcome);
    if (next === 'none' || next === 'gone') {
      if (position.lastEventId === undefined) return exchange.receiver.closed(lost());
      if (next === 'gone') gone();
      // The missed messages are lost permanently. Later ones are still useful.
      position = { lastEventId: undefined, retryMs: position.retryMs };
      continue;
    }
    if (!(next instanceof ConnectionError)) position = next;
    else if (isUnreadable(next)) position = nowhere;
    else if (row.failures === maxFailures) exchange.receiver.problem(unheard(next));
  }
}

/**
 * Listens once. No answer of a server ends listening permanently: the next attempt may have another token, or get past
 * a proxy. An unreadable event is skipped.
 */
async function tryListening(listen: () => Promise<Outcome>, exchange: PostExchange): Promise<Outcome> {
  try {
    return await listen();
  } catch (error) {
    if (exchange.signal.aborted || !(error instanceof ConnectionError)) throw error;
    if (isUnreadable(error)) exchange.receiver.problem(error);
    return error;
  }
}

function isUnreadable({ reason }: ConnectionError): boolean {
  return reason === 'too-large' || reason === 'invalid-message';
}

/** Outcome of one more attempt: the end of the stream, the reason why there is none, or a temporary failure. */
type Outcome = ResumePosition | 'none' | 'gone' | ConnectionError;

/** Opens the stream once more and reads it to its end. */
async function attempt(open: OpenStream, exchange: PostExchange, position: ResumePosition): Promise<Outcome> {
  const { lastEventId } = position;
  let response: FetchResponse | 'none' | 'gone';
  try {
    response = await openStream(
      open,
      exchange,
      lastEventId === undefined ? {} : { 'last-event-id': headerText(lastEventId) },
    );
  } catch (error) {
    if (exchange.signal.aborted || !isPassing(error)) throw error;
    return error;
  }
  return typeof response === 'string' ? response : await readStream(response, exchange, position);
}

/** The id in the bytes of UTF-8, as headers hold them. (HTML, Server-sent events, Processing model.) */
function headerText(id: string): string {
  return Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('');
}

/**
 * Returns `none` if the server has no such stream, and `gone` if it no longer knows the session.
 *
 * @param from Headers with the position; left out for the first stream, whose session has just begun.
 */
async function openStream(
  open: OpenStream,
  exchange: PostExchange,
  from: Readonly<Record<string, string>> | undefined,
): Promise<FetchResponse | 'none' | 'gone'> {
  const response = await open(from ?? {});
  if (isSuccess(response) && mediaType(response) === 'text/event-stream') return response;
  const { status } = response;
  void discard(response);
  if (from !== undefined && (await exchange.isGone?.(response)) === true) return 'gone';
  // 405 is the status in the spec. A server that answers 404, 400 or another such status has no stream either.
  if (status <= 400 || status === 404 || status === 405) return 'none';
  const asked = await challengeOf(response, exchange);
  const reason = isUnauthorized(status, asked.challenge) ? 'unauthorized' : 'http';
  if (exchange.signal.aborted) throw new ConnectionError('aborted', 'the exchange was aborted');
  const retryAfterMs = retryAfter(response);
  throw new ConnectionError(reason, `the stream for messages of the server was refused: HTTP ${status}`, {
    status,
    ...asked,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Spec 2025-11-25, Transports, Session Management: 404 for a session that the server knew before. */
function lost(): ConnectionError {
  return new ConnectionError('session-lost', 'the server no longer knows the session', { status: 404 });
}

function withheld(): ConnectionError {
  return new ConnectionError('http', 'the server has no stream for its messages');
}

function unheard(cause: ConnectionError): ConnectionError {
  const message = `the stream for messages of the server could not be opened again yet, and is tried on: ${cause.message}`;
  return new ConnectionError('closed', message, { cause });
}

/** Tells whether a failure is temporary. */
function isPassing(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError && (isTransient(error) || isInUse(error));
}

/**
 * Tells whether a failure may disappear after a sign-in or with the next token. Listening is requested only once in a
 * conversation.
 */
function isDenied(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError && (error.reason === 'unauthorized' || error.status === 403);
}

/** A stream that was cut on this side alone is still open to its server, which has one of it until it learns better. */
function isInUse({ status }: ConnectionError): boolean {
  return status === 409;
}

/** The attempts that failed one after the other, which make the pauses between them longer. */
class FailedAttempts {
  /** Number of failures in a row. */
  failures = 0;
  /** Number of streams in a row that brought nothing. */
  #empty = 0;
  #askedMs = 0;
  #maxMs = maxPauseMs;

  /** Records the outcome of an attempt. */
  after(outcome: Outcome): Outcome {
    const failure = outcome instanceof ConnectionError ? outcome : undefined;
    this.failures = failure === undefined ? 0 : this.failures + 1;
    this.#empty = Object(outcome).isEmpty === true ? this.#empty + 1 : 0;
    this.#askedMs = Math.min(maxAskedMs, failure?.retryAfterMs ?? 0);
    this.#maxMs = isDenied(failure) ? maxDeniedMs : maxPauseMs;
    return outcome;
  }

  /** Waits before the next attempt; at least as long as the server asked for, within a minute. */
  pause({ retryMs = pauseMs }: ResumePosition, { signal, waiting }: PostExchange): Promise<void> {
    const least = retryMs < minPauseMs ? Math.min(pauseMs, minPauseMs * 2 ** this.#empty) : retryMs;
    const longer = Math.min(this.#maxMs, least * 2 ** this.failures);
    const ms = Math.max(least, longer, this.#askedMs);
    return new Promise((resolve, reject) => {
      const aborted = (): void => {
        cancel();
        reject(new ConnectionError('aborted', 'the exchange was aborted'));
      };
      const over = (): void => {
        signal.removeEventListener('abort', aborted);
        resolve();
      };
      const cancel = after(ms, over, waiting.size > 0);
      if (signal.aborted) aborted();
      else signal.addEventListener('abort', aborted, { once: true });
    });
  }
}
