import { after } from '../jsonrpc/timeout.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import {
  asConnectionError,
  isSuccess,
  mediaType,
  readStream,
  type Exchange,
  type StreamPosition,
} from './client-answer.ts';
import { discard, type FetchResponse } from './client-fetch.ts';

/** Asks for a stream by GET; the headers say from where. */
export type OpenStream = (from: Readonly<Record<string, string>>) => Promise<FetchResponse>;

/** How often in a row a stream may fail before it is given up. */
const maxFailures = 5;

/** The first pause before reconnecting where the server names none; it doubles with every failure in a row. */
const pauseMs = 1_000;
/** A server that asks for less would have us ask without end. */
const shortestPauseMs = 100;
const longestPauseMs = 30_000;

/**
 * Takes up a stream that broke off before everything was answered, where the server numbered its events. Returns when
 * everything is answered or the server will not go on. (Spec 2025-11-25, Transports, Resumability: by GET, after the
 * time that the server asked for.)
 */
export async function resumeStream(open: OpenStream, exchange: Exchange, from: StreamPosition): Promise<void> {
  let position = from;
  for (let failures = 0; exchange.waiting.size > 0 && position.lastEventId !== undefined && failures < maxFailures;) {
    await pause(position, failures, exchange);
    const next = await attempt(open, exchange, position);
    if (next === 'none' || next === 'gone') return;
    const advanced = next !== undefined && next.lastEventId !== position.lastEventId;
    failures = advanced ? 0 : failures + 1;
    position = next ?? position;
  }
}

/**
 * Opens the stream for messages that belong to no request, and keeps it open until it is aborted. Resolves when it is
 * open or refused; `ended` is called when it is over. (Spec 2025-11-25, Transports, Listening for Messages.)
 */
export async function listenStream(open: OpenStream, exchange: Exchange, ended: () => void): Promise<void> {
  let first: FetchResponse | 'none' | 'gone' = 'none';
  try {
    first = await openStream(open, exchange, {});
  } catch (error) {
    exchange.receiver.problem(asConnectionError(error, exchange));
  }
  if (typeof first === 'string') return ended();
  // Listening goes on beside whatever else happens, and reports its own end.
  void keepListening(open, exchange, first)
    .catch((error: unknown) => exchange.receiver.problem(asConnectionError(error, exchange)))
    .finally(ended);
}

async function keepListening(open: OpenStream, exchange: Exchange, first: FetchResponse): Promise<void> {
  let position = await readStream(first, exchange);
  for (let failures = 0; failures < maxFailures;) {
    await pause(position, failures, exchange);
    const next = await attempt(open, exchange, position);
    if (next === 'none' || next === 'gone') {
      if (position.lastEventId === undefined) return next === 'gone' ? exchange.receiver.closed(lost()) : undefined;
      // What was missed is gone for good; what comes is still worth hearing.
      position = { lastEventId: undefined, retryMs: position.retryMs };
      continue;
    }
    failures = next === undefined ? failures + 1 : 0;
    position =
      next === undefined
        ? position
        : { lastEventId: next.lastEventId ?? position.lastEventId, retryMs: next.retryMs ?? position.retryMs };
  }
  throw new ConnectionError('closed', 'the stream for messages of the server could not be opened again');
}

/** Opens the stream once more and reads it to its end; `undefined` when the server could not be reached. */
async function attempt(
  open: OpenStream,
  exchange: Exchange,
  position: StreamPosition,
): Promise<StreamPosition | 'none' | 'gone' | undefined> {
  const from = position.lastEventId === undefined ? undefined : { 'last-event-id': position.lastEventId };
  let response: FetchResponse | 'none' | 'gone';
  try {
    response = await openStream(open, exchange, from ?? {});
  } catch (error) {
    if (exchange.signal.aborted || !isPassing(error)) throw error;
    return undefined;
  }
  if (typeof response === 'string') return response;
  const next = await readStream(response, exchange);
  return { lastEventId: next.lastEventId ?? position.lastEventId, retryMs: next.retryMs ?? position.retryMs };
}

/** Gives `none` when the server has no such stream, and `gone` when it may no longer know the session. */
async function openStream(
  open: OpenStream,
  exchange: Exchange,
  from: Readonly<Record<string, string>>,
): Promise<FetchResponse | 'none' | 'gone'> {
  const response = await open(from);
  if (isSuccess(response) && mediaType(response) === 'text/event-stream') return response;
  void discard(response);
  const { status } = response;
  // 405 is what the spec has for it; what answers 404, 400 or with something else has no such stream either.
  if (status === 404 && exchange.inSession) return 'gone';
  if (status <= 400 || status === 404 || status === 405) return 'none';
  const reason = status === 401 || status === 403 ? 'unauthorized' : 'http';
  if (exchange.signal.aborted) throw new ConnectionError('aborted', 'the exchange was given up');
  throw new ConnectionError(reason, `the stream for messages of the server was refused: HTTP ${status}`, { status });
}

/** Spec 2025-11-25, Transports, Session Management: 404 for a session that the server knew before. */
function lost(): ConnectionError {
  return new ConnectionError('session-lost', 'the server no longer knows the session', { status: 404 });
}

/** Whether a failure may be gone the next time. */
function isPassing(error: unknown): boolean {
  return error instanceof ConnectionError && (error.reason === 'refused' || (error.status ?? 0) >= 500);
}

/** Waits before the next attempt; at least as long as the server asked for. */
function pause(position: StreamPosition, failures: number, exchange: Exchange): Promise<void> {
  const { signal } = exchange;
  const asked = position.retryMs ?? pauseMs;
  const ms = Math.max(shortestPauseMs, asked, Math.min(longestPauseMs, asked * 2 ** failures));
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      cancel();
      reject(new ConnectionError('aborted', 'the exchange was given up'));
    };
    const cancel = after(
      ms,
      () => {
        signal.removeEventListener('abort', aborted);
        resolve();
      },
      exchange.waiting.size > 0,
    );
    if (signal.aborted) aborted();
    else signal.addEventListener('abort', aborted, { once: true });
  });
}
