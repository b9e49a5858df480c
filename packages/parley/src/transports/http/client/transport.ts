import type { FetchResponse } from '../../../jsonrpc/fetch.ts';
import { runOnAbort } from '../../../jsonrpc/run-on-abort.ts';
import { isObject, isRequestId, shownId, type Message, type RequestId } from '../../../jsonrpc/message.ts';
import { messageText } from '../../../jsonrpc/encode.ts';
import { InFlightList } from '../../../jsonrpc/in-flight-list.ts';
import { settledWithin } from '../../../jsonrpc/timeout.ts';
import {
  ConnectionError,
  type Channel,
  type Receiver,
  type SendOptions,
  type Transport,
} from '../../../jsonrpc/transport.ts';
import { httpFacts } from '../../../jsonrpc/transport-facts.ts';
import { revisionOf } from '../../../protocol/revision.ts';
import {
  checkId,
  deliverRefusal,
  refusedVersion,
  isSuccess,
  lostSession,
  mayBeAboutSession,
  mediaType,
  perhapsRun,
  readAnswerBody,
  readStream,
  readUnasked,
  requestIds,
  type PostExchange,
} from './answer.ts';
import { refusalOf } from './refused.ts';
import { discard } from './fetch.ts';
import {
  authorizationOf,
  httpTargetOf,
  lowercased,
  openRequests,
  type HttpRequestOptions,
  type HttpRequests,
  type HttpTransportOptions,
  type HttpSending,
} from './request.ts';
import { listenStream, resumeStream } from './resume.ts';
import type { SessionCheck, SessionQuestion } from './session-check.ts';
import type { SsePairChannel } from './sse-pair.ts';
import { perhapsTls } from './unreached.ts';
import { describeUrl } from './described-url.ts';

const postHeaders = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/**
 * Reaches a server over Streamable HTTP: every message is a separate POST. If a server rejects `initialize` there, the
 * older HTTP+SSE transport is tried at the same URL. It works on any runtime with `fetch`.
 *
 * @throws TypeError if the URL is invalid or is neither `http:` nor `https:`, or an option is invalid.
 */
export function httpTransport(url: string | URL, options: HttpTransportOptions = {}): Transport {
  const target = httpTargetOf(url, options);
  return {
    ...httpFacts,
    description: target.description,
    address: target.description,
    authorization: authorizationOf(options),
    // Nothing is sent before the first message: HTTP has no connection to open.
    open: async (receiver) => new HttpChannel(await openRequests(target, options), receiver),
  };
}

/** Length of the longest session id that is used. Some servers keep their state in it; servers limit all headers to 16 KB. */
const maxSessionLength = 8_192;

/** Time for which a response is awaited by GET after the stream of its request ended, in milliseconds. */
const byGetMs = 1_000;

/** Time for the responses to requests under way after GET has shown that the session is lost, in milliseconds. */
const ownResponseMs = 1_000;

/** Statuses that say something of the caller, or of the moment. */
const notOfPair: ReadonlySet<number> = new Set([401, 407, 408, 421, 423, 425, 429]);

/**
 * Tells whether a refusal of `initialize` may mean that the server speaks the older transport alone. Newer revisions name
 * 400, 404 and 405. (Spec 2025-03-26, Transports, Backwards Compatibility: any 4xx. Some servers that know no POST answer 501.)
 */
function mayBePair(response: FetchResponse): boolean {
  const { status } = response;
  if (status === 403) return response.headers.get('www-authenticate') === null;
  return status === 501 || (status >= 400 && status <= 499 && !notOfPair.has(status));
}

class HttpChannel implements Channel {
  readonly #requests: HttpRequests;
  readonly #receiver: Receiver;
  readonly #underway = new InFlightList<() => void>();
  #session: string | undefined;
  /** The text of the message that opened the session. */
  #initialize = '';
  #check: SessionCheck | undefined;
  /** True when the server does not know the session, which needs not be ended then. */
  #isLost = false;
  /** The older transport, once the server turned out to speak it. */
  #pair: SsePairChannel | undefined;
  #listening = false;
  /** Requests whose streams ended without the response, which may come by GET. */
  readonly #awaited = new Map<RequestId, () => void>();
  /** Messages whose own responses have not come. */
  readonly #sending = new Set<Promise<void>>();
  /** True when the server has answered anything yet. */
  #answers = false;
  /** True once it took a message as an MCP server does. */
  #isServer = false;
  #closing: Promise<void> | undefined;

  constructor(requests: HttpRequests, receiver: Receiver) {
    this.#requests = requests;
    this.#receiver = {
      exactNumbers: receiver.exactNumbers,
      message: (value, about) => {
        const id = isObject(value) ? value['id'] : undefined;
        // The answer to a check may come by GET too, though its status was enough.
        if (this.#check !== undefined && id === checkId) return;
        if (this.#awaited.size > 0 && isRequestId(id)) this.#awaited.get(id)?.();
        this.#unlessClosed(() => receiver.message(value, about));
      },
      problem: (error, about) => this.#unlessClosed(() => receiver.problem(error, about)),
      gap: () => this.#unlessClosed(() => receiver.gap?.()),
      closed: (error) => {
        const close = (): void => this.#unlessClosed(() => receiver.closed(error));
        if (error.reason !== 'session-lost') return close();
        this.#isLost = true;
        // The responses to requests under way tell whether these ran.
        if (this.#sending.size === 0) close();
        else void settledWithin(ownResponseMs, Promise.allSettled(this.#sending)).then(close);
      },
    };
  }

  /** Replaces the headers that an earlier call set. */
  setHeaders(headers: Readonly<Record<string, string>>): void {
    this.#requests.settled = headers;
  }

  async send(message: Message | readonly Message[], options: SendOptions = {}): Promise<void> {
    this.#requireOpen();
    if (this.#pair !== undefined) return this.#pair.send(message, options);
    const sending = this.#send(message, options);
    this.#sending.add(sending);
    try {
      await sending;
    } finally {
      this.#sending.delete(sending);
    }
  }

  async #send(message: Message | readonly Message[], options: SendOptions): Promise<void> {
    const body = messageText(message);
    const exchange = this.#exchange(requestIds(message), options.signal);
    try {
      const sent = { message, options };
      const response = await this.#request('POST', postHeaders, { exchange, sent, headers: options.headers, body });
      this.#answers = true;
      // Whatever its answer about the stream, the server knows the session.
      if (isSuccess(response)) this.#isLost = false;
      const initializes = 'method' in message && message.method === 'initialize';
      // Some servers give the id of the session later.
      const isLate = this.#session === undefined && this.#initialize !== '';
      if (initializes || isLate) this.#remember(response, initializes ? body : this.#initialize);
      if (initializes && mayBePair(response)) await this.#fallBack(response, exchange, sent);
      else await this.#answered(response, exchange, sent);
      this.#isServer = true;
    } catch (error) {
      if (this.#closing !== undefined)
        throw new ConnectionError('closed', 'the conversation was closed', { cause: error });
      throw this.#answers ? error : perhapsTls(error, this.#requests.url);
    } finally {
      exchange.end();
    }
  }

  /** One stream at a time: listening again while one is open changes nothing. */
  async listen(): Promise<boolean> {
    this.#requireOpen();
    // The stream of the older transport is open all the time.
    if (this.#listening || this.#pair !== undefined) return true;
    this.#listening = true;
    const exchange = this.#exchange(new Set(), undefined);
    const open = async (position: Readonly<Record<string, string>>): Promise<FetchResponse> => {
      const response = await this.#request('GET', { accept: 'text/event-stream', ...position }, { exchange });
      if (isSuccess(response)) this.#isLost = false;
      return response;
    };
    return await listenStream(open, exchange, {
      ended: () => {
        this.#listening = false;
        exchange.end();
      },
      gone: () => (this.#isLost = true),
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const abort of this.#underway.all()) abort();
    await this.#pair?.close();
    if (this.#session !== undefined && !this.#isLost) await this.#endSession();
    await this.#requests.carry.rest?.();
  }

  async #endSession(): Promise<void> {
    const exchange = this.#exchange(new Set(), undefined);
    const ended = this.#request('DELETE', {}, { exchange }).then(discard);
    // Spec 2025-11-25, Transports, Session Management: the server may refuse this, and may have stopped.
    await settledWithin(this.#requests.options.closeTimeoutMs ?? 2_000, ended);
    exchange.abort();
  }

  async #answered(response: FetchResponse, exchange: PostExchange, sent: HttpSending): Promise<void> {
    const type = mediaType(response);
    if (!isSuccess(response)) await this.#refused(response, exchange);
    else if (exchange.waiting.size === 0) await readUnasked(response, exchange);
    else if (type === 'text/event-stream') {
      const position = await readStream(response, exchange);
      if (exchange.waiting.size > 0 && this.#resumes(sent.options.headers)) {
        const isGone = await resumeStream(
          (from) => this.#request('GET', { accept: 'text/event-stream', ...from }, { exchange, sent }),
          exchange,
          position,
        );
        this.#isLost ||= isGone;
      }
    } else await readAnswerBody(response, exchange);
    if (exchange.waiting.size > 0) {
      const { stray, waiting } = exchange;
      const { status } = response;
      const body = status === 202 ? 'the request was accepted, and the body' : 'the body, which is not an MCP message,';
      const what = type === 'text/event-stream' ? 'the stream' : body;
      const ids = `; it answers the id ${JSON.stringify(stray && shownId(stray))?.slice(0, 60)}, and the request has ${JSON.stringify([...waiting][0])}`;
      const why = `${what} ended before the response${stray === undefined ? '' : ids}`;
      const words = `HTTP ${status} from ${describeUrl(this.#requests.url)}: ${why}`;
      const failure = new ConnectionError('closed', words, { status });
      if (status !== 202 && (await this.#comesByGet(type, exchange))) return;
      if (status !== 202) throw failure;
      if ((await exchange.isGone?.(response)) === true) throw perhapsRun(failure);
      // Some servers answer on the stream that belongs to no request.
      if (!this.#listening) throw failure;
    }
  }

  /** Waits a moment for the response of a request whose stream ended: it may come on the stream of GET. */
  async #comesByGet(type: string, { waiting, signal }: PostExchange): Promise<boolean> {
    const [id, ...others] = waiting;
    if (type !== 'text/event-stream' || !this.#listening || id === undefined || others.length > 0) return false;
    let unlistened: (() => void) | undefined;
    let comes = false;
    const over = new Promise<void>((resolve) => {
      unlistened = runOnAbort(signal, resolve);
      this.#awaited.set(id, () => {
        comes = true;
        resolve();
      });
    });
    await settledWithin(byGetMs, over);
    unlistened?.();
    this.#awaited.delete(id);
    return comes;
  }

  async #refused(response: FetchResponse, exchange: PostExchange): Promise<void> {
    const refusal = await refusalOf(response, exchange);
    // A 404 whose body answers the request concerns only that request.
    const isAnswer = response.status === 404 && refusal.message !== undefined;
    if (!isAnswer && (await exchange.isGone?.(response)) === true) {
      const { status } = response;
      // A gateway may send a 404, or a server a 500, although the call ran.
      const isProven = exchange.waiting.size > 0 && status !== 500 && (await this.#isUnknown(status));
      throw lostSession(refusal, exchange, isProven);
    }
    if (this.#check?.refusesVersion === true) throw refusedVersion(refusal, this.#requests.settled);
    deliverRefusal(refusal, exchange);
  }

  /**
   * Tells whether a refusal in the session means that it is over.
   *
   * @param code Code of the error, in a response that is a success.
   */
  async #isGone(refused: FetchResponse, code?: number): Promise<boolean> {
    const { status } = refused;
    if (this.#session === undefined) return false;
    const mayBe = isSuccess(refused) || mayBeAboutSession(refused);
    // Spec 2025-11-25, Transports, Session Management: 404.
    const isGone = status === 404 || (mayBe && (await this.#isUnknown(status, code)));
    this.#isLost ||= isGone;
    return isGone;
  }

  /** Asks the server whether it does not know the session. No text of a refusal is proof of that. */
  async #isUnknown(status: number, code?: number): Promise<boolean> {
    const session = this.#session;
    if (session === undefined) return false;
    const late = await import('./session-check.ts').catch(() => undefined);
    this.#check ??=
      late && new late.SessionCheck({ session, initialize: this.#initialize, send: (question) => this.#ask(question) });
    return (await this.#check?.isGone(status, code)) === true;
  }

  async #ask({ method, body, session, isUnversioned, signal: given }: SessionQuestion): Promise<FetchResponse> {
    const exchange = this.#exchange(new Set(), given);
    const { signal } = exchange;
    const own = method === 'POST' ? postHeaders : {};
    const headers = session === undefined ? own : { ...own, 'mcp-session-id': session };
    try {
      return await this.#requests.send({ method, own: headers, body, signal, isCheck: true, isUnversioned });
    } finally {
      exchange.end();
    }
  }

  /**
   * Tries the older transport after `initialize` was rejected. If it is not there either, the refusal is the error.
   * (Spec 2026-07-28, Streamable HTTP, Backward compatibility.)
   */
  async #fallBack(
    response: FetchResponse,
    exchange: PostExchange,
    sent: HttpSending & { readonly message: Message | readonly Message[] },
  ): Promise<void> {
    const refusal = await refusalOf(response, exchange);
    if (refusal.stateless) return deliverRefusal(refusal, exchange);
    // Few servers are so old that a client has to carry the older transport before it is needed.
    const older = await import('./sse-pair.ts');
    let pair: SsePairChannel;
    try {
      pair = await older.SsePairChannel.open(this.#requests, this.#receiver, {
        ...sent.options,
        signal: exchange.signal,
      });
    } catch (error) {
      if (exchange.signal.aborted || !(error instanceof ConnectionError)) throw error;
      return deliverRefusal({ ...refusal, failure: older.bothFailures(refusal.failure, error) }, exchange);
    }
    this.#pair = pair;
    if (this.#closing !== undefined) await pair.close();
    await pair.send(sent.message, sent.options);
  }

  /** Spec 2026-07-28, Streamable HTTP: what breaks there is asked again, not taken up. */
  #resumes(headers: SendOptions['headers'] = {}): boolean {
    const date = lowercased(this.#requests.settled, headers)['mcp-protocol-version'];
    return revisionOf(date)?.resumption !== 'none';
  }

  #request(method: string, own: Readonly<Record<string, string>>, call: Outgoing): Promise<FetchResponse> {
    const { headers, body, exchange, sent } = call;
    const { isGone } = exchange;
    const ours = this.#session === undefined ? own : { ...own, 'mcp-session-id': this.#session };
    const sending = (all: Readonly<Record<string, string>>): void => void (exchange.sent = all);
    return this.#requests.send({ method, own: ours, headers, body, signal: exchange.signal, sending, sent, isGone });
  }

  #remember(response: FetchResponse, initialize: string): void {
    if (!isSuccess(response)) return;
    this.#initialize = initialize;
    const session = response.headers.get('mcp-session-id') ?? '';
    if (session === '') return;
    const problem = (words: string): void => this.#receiver.problem(new ConnectionError('invalid-message', words));
    if (session.length > maxSessionLength)
      return problem(`the server gave a session id of more than ${maxSessionLength} characters, which is not used`);
    this.#session = session;
    // Spec 2025-11-25, Transports, Session Management: an id has visible ASCII characters only.
    if (!/^[\x21-\x7e]+$/.test(session))
      problem('the server gave a session id that is not visible ASCII; it is used all the same');
  }

  #exchange(waiting: Set<RequestId>, signal: AbortSignal | undefined): PostExchange & { end(): void } {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    const place = this.#underway.add(abort);
    if (signal?.aborted === true) abort();
    const unlistened = signal && runOnAbort(signal, abort);
    return {
      waiting,
      receiver: this.#receiver,
      maxBytes: this.#requests.maxBytes,
      signal: controller.signal,
      inSession: this.#session !== undefined,
      isServer: this.#isServer,
      // A message without a session is rejected for another reason.
      isGone: this.#session === undefined ? undefined : (response, code) => this.#isGone(response, code),
      sent: {},
      url: this.#requests.url,
      abort,
      end: () => {
        unlistened?.();
        place.leave();
      },
    };
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new ConnectionError('closed', 'the conversation is closed');
  }

  #unlessClosed(tell: () => void): void {
    if (this.#closing === undefined) tell();
  }
}

/** A request on its way. */
interface Outgoing extends Pick<HttpRequestOptions, 'headers' | 'body' | 'sent'> {
  readonly exchange: PostExchange;
}
