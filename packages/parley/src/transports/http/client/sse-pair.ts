import type { FetchResponse } from '../../../jsonrpc/fetch.ts';
import { runOnAbort } from '../../../jsonrpc/run-on-abort.ts';
import { answeredBy, peekText } from '../../../jsonrpc/message-peek.ts';
import { isObject, type Message } from '../../../jsonrpc/message.ts';
import { readEvents, type StreamEvent } from '../../../jsonrpc/sse.ts';
import { messageText } from '../../../jsonrpc/encode.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import {
  ConnectionError,
  type Channel,
  type Clocks,
  type Receiver,
  type SendOptions,
  type Transport,
} from '../../../jsonrpc/transport.ts';
import { httpFacts } from '../../../jsonrpc/transport-facts.ts';
import {
  challengeOf,
  checkId,
  deliverRefusal,
  isSuccess,
  isUnauthorized,
  lostSession,
  mayBeAboutSession,
  mediaType,
  parsed,
  requestIds,
  type PostExchange,
} from './answer.ts';
import { refusalOf } from './refused.ts';
import { bodyBytes } from './body.ts';
import { discard } from './fetch.ts';
import type { SessionCheck, SessionCheckOptions } from './session-check.ts';
import { asSaid, describeUrl } from './described-url.ts';
import {
  authorizationOf,
  httpTargetOf,
  openRequests,
  type HttpRequestOptions,
  type HttpRequests,
  type HttpTransportOptions,
} from './request.ts';

type ConnectionDetails = NonNullable<ConstructorParameters<typeof ConnectionError>[2]>;

/** Time for a stream to announce the URL for messages. */
const endpointMs = 10_000;

/** The most events before the one with the URL for messages. */
const maxBefore = 100;

/** Tells whether it is an event: a block that only sets an id or a time is none. */
function isEvent({ data = '', event }: Partial<StreamEvent> = {}): boolean {
  return data !== '' || event !== undefined;
}

/** Tells whether an event holds a message: one before the URL comes from a server of Streamable HTTP. */
function isMessage({ data, event = 'message' }: StreamEvent): boolean {
  return event === 'message' && /^\s*[{[]/.test(data);
}

/** A stream that announced the URL for messages. */
interface AnnouncedStream {
  readonly events: AsyncGenerator<StreamEvent, void>;
  readonly endpoint: URL;
  readonly status: number;
}

/** The method that probes for stateless servers. */
const probe = 'server/discover';

/**
 * Reaches a server over HTTP+SSE, the transport of 2024-11-05, without trying the newer one first. `httpTransport`
 * finds such a server too, with two more requests.
 *
 * @param url The URL of the event stream, such as `https://mcp.example/sse`.
 * @throws TypeError if the URL is invalid or is neither `http:` nor `https:`, or an option is invalid.
 */
export function ssePairTransport(url: string | URL, options: HttpTransportOptions = {}): Transport {
  const target = httpTargetOf(url, options);
  return {
    ...httpFacts,
    description: target.description,
    address: target.description,
    authorization: authorizationOf(options),
    open: async (receiver) => await SsePairChannel.open(await openRequests(target, options), receiver),
  };
}

/**
 * The refusal over Streamable HTTP, with the failure of HTTP+SSE unless that only says that there is no such endpoint.
 */
export function bothFailures(first: ConnectionError, second: ConnectionError): ConnectionError {
  const { reason, status = 0 } = second;
  const isSame = status === first.status;
  const isNothing = reason === 'http' && (isSame || (status < 500 && status !== 403 && status !== 429));
  return isNothing || first.reason !== 'http' ? first : withReason(first, `over HTTP+SSE: ${second.message}`, second);
}

/** The same refusal, with a reason instead of the question about its path. */
function withReason(failure: ConnectionError, why: string, cause: unknown = failure.cause): ConnectionError {
  const words = `${failure.message.split('; is the path', 1)[0] ?? ''}; ${why}`;
  const { status, body, challenge, retryAfterMs } = failure;
  // A field that is undefined counts as absent.
  const options = { cause, status, body, challenge, retryAfterMs } as ConnectionDetails;
  return new ConnectionError(failure.reason, words, options);
}

/** One conversation: an event stream for the server's messages, and a POST for each message to the server. */
export class SsePairChannel implements Channel {
  readonly #requests: HttpRequests;
  readonly #receiver: Receiver;
  readonly #controller = new AbortController();
  #endpoint: URL | undefined;
  /** True once the server took a message: it knew the session of the stream. */
  #isKnown = false;
  #check: SessionCheck | undefined;
  #closed = false;

  private constructor(requests: HttpRequests, receiver: Receiver) {
    this.#requests = requests;
    this.#receiver = receiver;
  }

  /**
   * Opens the stream and waits for the URL for messages.
   *
   * @throws ConnectionError if there is no such stream.
   */
  static async open(requests: HttpRequests, receiver: Receiver, options: SendOptions = {}): Promise<SsePairChannel> {
    const { signal, clocks } = options;
    const channel = new SsePairChannel(requests, receiver);
    const abort = (): void => channel.#controller.abort();
    let late = false;
    const expire = (): void => {
      late = true;
      abort();
    };
    let cancel = after(endpointMs, expire, true);
    // No time is lost while a person is asked.
    const waiting = (person: boolean): void => {
      cancel();
      if (!person) cancel = after(endpointMs, expire, true);
      clocks?.waiting(person);
    };
    if (signal?.aborted === true) abort();
    const unlistened = signal && runOnAbort(signal, abort);
    try {
      await channel.#connect({ waiting });
      return channel;
    } catch (error) {
      abort();
      if (!late) throw error;
      const message = `${channel.#name} did not say within ${endpointMs} ms where messages go`;
      throw new ConnectionError('timeout', message, { cause: error });
    } finally {
      cancel();
      unlistened?.();
    }
  }

  /** Replaces the headers that an earlier call set. */
  setHeaders(headers: Readonly<Record<string, string>>): void {
    this.#requests.settled = headers;
  }

  /** Resolves when the server took the message; what answers it comes on the stream. */
  async send(message: Message | readonly Message[], options: SendOptions = {}): Promise<void> {
    if (this.#closed) throw new ConnectionError('closed', 'the conversation is closed');
    // No stateless revision has this transport, so the probe needs no request.
    if ('method' in message && message.method === probe)
      throw new ConnectionError('http', `HTTP+SSE carries no ${probe}`, { status: 404 });
    const { signal, release } = this.#during(options.signal);
    let sent: PostExchange['sent'] = {};
    const isGone = (refused: FetchResponse): Promise<boolean> => this.#isGone(refused);
    try {
      const response = await this.#requests.send({
        method: 'POST',
        url: this.#endpoint,
        own: { accept: 'application/json', 'content-type': 'application/json' },
        headers: options.headers,
        body: messageText(message),
        signal,
        sending: (headers) => void (sent = headers),
        sent: { message, options },
        isGone,
      });
      // If the answer is an HTML page, the host serves a page at any path.
      const isPage = mediaType(response) === 'text/html' && this.#strippedPrefix() !== undefined;
      if (isSuccess(response) && !isPage) {
        this.#isKnown = true;
        return await discard(response);
      }
      const exchange: PostExchange = {
        waiting: requestIds(message),
        receiver: this.#receiver,
        maxBytes: this.#requests.maxBytes,
        signal,
        abort: () => {},
        inSession: false,
        isServer: this.#isKnown,
        sent,
        url: this.#endpoint ?? this.#requests.url,
      };
      const refusal = await refusalOf(response, exchange);
      const isAnswer = response.status === 404 && refusal.message !== undefined;
      if (!isAnswer && (await isGone(response))) throw lostSession(refusal, exchange, response.status !== 500);
      deliverRefusal({ ...refusal, failure: this.#misled(refusal.failure) }, exchange);
    } finally {
      release();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#controller.abort();
    await this.#requests.carry.rest?.();
  }

  /** Tells whether a refusal means that the server does not know the session of the stream, though the stream is open. */
  async #isGone(refused: FetchResponse): Promise<boolean> {
    if (!this.#isKnown || !mayBeAboutSession(refused)) return false;
    const late = await import('./session-check.ts').catch(() => undefined);
    this.#check ??= late && new late.SessionCheck(this.#questions());
    return (await this.#check?.isGone(refused.status)) === true;
  }

  /** The questions of a check, in which the address for messages names the session. */
  #questions(): SessionCheckOptions {
    return {
      session: this.#endpoint?.href ?? '',
      initialize: '',
      send: async ({ body, session = '', signal }) => {
        const own = { accept: 'application/json', 'content-type': 'application/json' };
        return await this.#requests.send({ method: 'POST', url: new URL(session), own, body, signal, isCheck: true });
      },
      another: async (signal) => {
        const { events, endpoint } = await this.#stream({ signal, isCheck: true });
        return { session: endpoint.href, end: () => void events.return() };
      },
    };
  }

  async #connect(clocks: Clocks): Promise<void> {
    const { signal } = this.#controller;
    const { events, endpoint, status } = await this.#stream({ signal, sent: { options: { clocks } } });
    this.#endpoint = endpoint;
    // Reading runs in the background, and reports its own end.
    void this.#read(events, status);
  }

  async #stream(options: Pick<HttpRequestOptions, 'signal' | 'sent' | 'isCheck'>): Promise<AnnouncedStream> {
    let sent: PostExchange['sent'] = {};
    const response = await this.#requests.send({
      method: 'GET',
      own: { accept: 'text/event-stream' },
      sending: (headers) => void (sent = headers),
      ...options,
    });
    if (!isSuccess(response) || mediaType(response) !== 'text/event-stream') {
      void discard(response);
      const { status } = response;
      const asked = await challengeOf(response, { sent, url: this.#requests.url });
      const reason = isUnauthorized(status, asked.challenge) ? 'unauthorized' : 'http';
      throw new ConnectionError(reason, `${this.#name} has no event stream: HTTP ${status}`, {
        status,
        ...asked,
      });
    }
    const events = readEvents(bodyBytes(response), {
      maxBytes: this.#requests.maxBytes,
      limitOption: 'maxMessageBytes',
    });
    return { events, endpoint: await this.#announced(events, response), status: response.status };
  }

  /**
   * Spec 2024-11-05, Transports, HTTP with SSE: the first event has the URL for messages. Some servers send other events
   * before it, such as a `ping`.
   */
  async #announced(events: AsyncGenerator<StreamEvent, void>, { status }: FetchResponse): Promise<URL> {
    let first: StreamEvent | undefined;
    try {
      for (let others = 0; others <= maxBefore; others += isEvent(first) ? 1 : 0) {
        first = (await events.next()).value ?? undefined;
        if (first === undefined || first.event === 'endpoint' || isMessage(first)) break;
      }
    } catch (cause) {
      if (cause instanceof ConnectionError) throw cause;
      throw new ConnectionError('timeout', `${this.#name} did not say where messages go`, { cause });
    }
    const endpoint = first?.event === 'endpoint' ? this.#resolved(first.data) : undefined;
    // Credentials and private data are only for the origin that the user chose.
    if (endpoint?.origin === this.#requests.url.origin) return endpoint;
    await events.return();
    const why =
      endpoint === undefined
        ? 'did not say where messages go'
        : `gave the address ${asSaid(describeUrl(endpoint))} for messages, which is at another origin: a proxy in front of it may change its host; let the server give a path, without a host`;
    throw new ConnectionError('invalid-message', `${this.#name} ${why}`, { status });
  }

  #resolved(reference: string): URL | undefined {
    try {
      return new URL(reference, this.#requests.url);
    } catch {
      return undefined;
    }
  }

  async #read(events: AsyncGenerator<StreamEvent, void>, status: number): Promise<void> {
    let cause: unknown;
    try {
      for await (const event of events) {
        if (event.data !== '' && (event.event ?? 'message') === 'message') this.#hear(event.data, status);
      }
    } catch (error) {
      cause = error;
    }
    if (this.#closed) return;
    this.#closed = true;
    this.#controller.abort();
    const lost = new ConnectionError('closed', `the event stream of ${this.#name} ended`, { cause });
    this.#receiver.closed(cause instanceof ConnectionError ? cause : lost);
  }

  #hear(data: string, status: number): void {
    if (this.#closed) return;
    let value: unknown;
    try {
      value = parsed(data, status, this.#receiver);
    } catch (error) {
      const answered = answeredBy(peekText(data));
      this.#receiver.problem(error instanceof Error ? error : new Error(String(error)), { text: data, answered });
      return;
    }
    // The answer to a check comes here, though its status was enough.
    if (this.#check !== undefined && isObject(value) && value['id'] === checkId) return;
    this.#receiver.message(value, { text: data });
  }

  /** The path before the stream that the address for messages lacks, as behind a proxy which takes it off. */
  #strippedPrefix(): string | undefined {
    const { pathname } = this.#requests.url;
    const prefix = pathname.slice(0, pathname.lastIndexOf('/'));
    return prefix === '' || this.#endpoint?.pathname.startsWith(`${prefix}/`) === true ? undefined : prefix;
  }

  /** A refusal that names the address which the server gave, and why it may be wrong. */
  #misled(failure: ConnectionError): ConnectionError {
    const prefix = this.#strippedPrefix();
    const given = this.#endpoint?.pathname ?? '';
    if (prefix === undefined || failure.reason !== 'http') return failure;
    const why = `the server at ${this.#name} gave the address ${given} for messages, which lacks ${prefix}: a proxy in front of it may take that off; let the server give ${prefix}${given}`;
    return withReason(failure, why);
  }

  get #name(): string {
    return describeUrl(this.#requests.url);
  }

  /** A signal for one POST: it ends with the message's own, and with the conversation. */
  #during(own: AbortSignal | undefined): { readonly signal: AbortSignal; release(): void } {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    const sources = own === undefined ? [this.#controller.signal] : [this.#controller.signal, own];
    if (sources.some((source) => source.aborted)) abort();
    const ends = sources.map((source) => runOnAbort(source, abort));
    return {
      signal: controller.signal,
      release: () => {
        for (const end of ends) end();
      },
    };
  }
}
