import type { Message, RequestId } from '../jsonrpc/message.ts';
import { messageText } from '../jsonrpc/text.ts';
import { settledWithin } from '../jsonrpc/timeout.ts';
import {
  ConnectionError,
  type Channel,
  type Receiver,
  type SendOptions,
  type Transport,
} from '../jsonrpc/transport.ts';
import { revisionOf } from '../protocol/revision.ts';
import {
  isSuccess,
  mediaType,
  readJson,
  readOther,
  readRefusal,
  readStream,
  requestIds,
  type Exchange,
} from './client-answer.ts';
import {
  describeUrl,
  discard,
  fetchWithin,
  type Fetch,
  type FetchRequest,
  type FetchResponse,
} from './client-fetch.ts';
import { listenStream, resumeStream } from './client-resume.ts';

export interface HttpTransportOptions {
  /** What sends the requests; the `fetch` of the runtime by default. Authorization wraps it. */
  readonly fetch?: Fetch;
  /** Headers of every request, such as an API key. A function is asked before each one. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** How large a message of the server may be, after decompression; 16 MiB by default. */
  readonly maxMessageBytes?: number;
  /** How long ending the session may take when the conversation is closed; 2 seconds by default. */
  readonly closeMs?: number;
}

const bothTypes = 'application/json, text/event-stream';

/**
 * Reaches a server over Streamable HTTP: every message is a POST of its own. It works on any runtime that has `fetch`.
 *
 * @throws TypeError when the URL is none or is neither `http:` nor `https:`.
 */
export function httpTransport(url: string | URL, options: HttpTransportOptions = {}): Transport {
  const target = new URL(url);
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    throw new TypeError(`a server is reached by http: or https:, not ${target.protocol}`);
  target.hash = '';
  const credentials = takeCredentials(target);
  return {
    kind: 'http',
    description: describeUrl(target),
    // Nothing is sent before the first message: HTTP has no connection to open.
    open: async (receiver) => new HttpChannel(target, receiver, { credentials, ...options }),
  };
}

interface ChannelOptions extends HttpTransportOptions {
  /** The header that the credentials of the URL became. */
  readonly credentials: Readonly<Record<string, string>>;
}

class HttpChannel implements Channel {
  readonly #url: URL;
  readonly #receiver: Receiver;
  readonly #options: ChannelOptions;
  readonly #fetch: Fetch;
  readonly #underway = new Set<() => void>();
  #headers: Readonly<Record<string, string>> = {};
  #session: string | undefined;
  #listening = false;
  #closing: Promise<void> | undefined;

  constructor(url: URL, receiver: Receiver, options: ChannelOptions) {
    this.#url = url;
    this.#options = options;
    this.#fetch = options.fetch ?? ((target, request) => fetch(target, request));
    this.#receiver = {
      message: (value, about) => this.#unlessClosed(() => receiver.message(value, about)),
      problem: (error) => this.#unlessClosed(() => receiver.problem(error)),
      closed: (error) => this.#unlessClosed(() => receiver.closed(error)),
    };
  }

  /** What an earlier call set is replaced. */
  setHeaders(headers: Readonly<Record<string, string>>): void {
    this.#headers = headers;
  }

  async send(message: Message | readonly Message[], options: SendOptions = {}): Promise<void> {
    this.#requireOpen();
    const body = messageText(message);
    const exchange = this.#exchange(requestIds(message), options.signal);
    try {
      const response = await this.#request(
        'POST',
        { accept: bothTypes, 'content-type': 'application/json' },
        { exchange, headers: options.headers, body },
      );
      if ('method' in message && message.method === 'initialize') this.#remember(response);
      await this.#answered(response, exchange, options.headers);
    } catch (error) {
      throw this.#closing === undefined
        ? error
        : new ConnectionError('closed', 'the conversation was closed', { cause: error });
    } finally {
      exchange.end();
    }
  }

  /** One stream at a time: listening again while one is open changes nothing. */
  async listen(): Promise<void> {
    this.#requireOpen();
    if (this.#listening) return;
    this.#listening = true;
    const exchange = this.#exchange(new Set(), undefined);
    const open = (position: Readonly<Record<string, string>>): Promise<FetchResponse> =>
      this.#request('GET', { accept: 'text/event-stream', ...position }, { exchange });
    await listenStream(open, exchange, () => {
      this.#listening = false;
      exchange.end();
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const abort of this.#underway) abort();
    if (this.#session === undefined) return;
    const exchange = this.#exchange(new Set(), undefined);
    const ended = this.#request('DELETE', {}, { exchange }).then(discard);
    // Spec 2025-11-25, Transports, Session Management: the server may refuse, and may be gone.
    await settledWithin(this.#options.closeMs ?? 2_000, ended);
    exchange.abort();
    exchange.end();
  }

  async #answered(response: FetchResponse, exchange: Exchange, headers: SendOptions['headers']): Promise<void> {
    const type = mediaType(response);
    if (!isSuccess(response)) await readRefusal(response, exchange);
    else if (type === 'text/event-stream') {
      const position = await readStream(response, exchange);
      if (exchange.waiting.size > 0 && this.#resumes(headers)) {
        await resumeStream(
          (from) => this.#request('GET', { accept: 'text/event-stream', ...from }, { exchange }),
          exchange,
          position,
        );
      }
    } else if (type === 'application/json' || type === '' || response.status === 202 || response.status === 204)
      await readJson(response, exchange);
    else readOther(response, exchange);
    if (exchange.waiting.size > 0) {
      throw new ConnectionError('closed', `HTTP ${response.status} ended before the response`, {
        status: response.status,
      });
    }
  }

  /** Spec 2026-07-28, Streamable HTTP: what breaks there is asked again, not taken up. */
  #resumes(headers: SendOptions['headers'] = {}): boolean {
    const date = lowercased(this.#headers, headers)['mcp-protocol-version'];
    return revisionOf(date)?.http !== 'exchange';
  }

  async #request(method: string, own: Readonly<Record<string, string>>, call: Call): Promise<FetchResponse> {
    const { headers = {}, credentials } = this.#options;
    const given = typeof headers === 'function' ? await headers() : headers;
    const session = this.#session === undefined ? undefined : { 'mcp-session-id': this.#session };
    const request: FetchRequest = {
      method,
      headers: lowercased(credentials, given, this.#headers, call.headers, own, session),
      ...(call.body === undefined ? {} : { body: call.body }),
      redirect: 'manual',
      signal: call.exchange.signal,
    };
    return fetchWithin(this.#fetch, this.#url, request);
  }

  /** Spec 2025-11-25, Transports, Session Management: an id has visible ASCII characters only. */
  #remember(response: FetchResponse): void {
    const session = response.headers.get('mcp-session-id');
    if (session === null || !isSuccess(response)) return;
    if (/^[\x21-\x7e]{1,1024}$/.test(session)) this.#session = session;
    else
      this.#receiver.problem(
        new ConnectionError('invalid-message', 'the server gave a session id that is not visible ASCII'),
      );
  }

  #exchange(waiting: Set<RequestId>, signal: AbortSignal | undefined): Exchange & { end(): void } {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    this.#underway.add(abort);
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    return {
      waiting,
      receiver: this.#receiver,
      maxBytes: this.#options.maxMessageBytes ?? 16 * 1024 * 1024,
      signal: controller.signal,
      inSession: this.#session !== undefined,
      abort,
      end: () => {
        signal?.removeEventListener('abort', abort);
        this.#underway.delete(abort);
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

interface Call {
  readonly exchange: Exchange;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string;
}

/** Moves user and password of a URL into the header that they stand for: `fetch` takes no URL that has them. */
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

/** Puts headers together; a later one replaces an earlier one of the same name, however it is spelt. */
function lowercased(...sources: readonly (Readonly<Record<string, string>> | undefined)[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const source of sources) {
    for (const [name, value] of Object.entries(source ?? {})) {
      // The value may be a secret, and is not shown.
      if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
        throw new ConnectionError(
          'invalid-message',
          `the value of header ${name} has characters that no header may have`,
        );
      headers.set(name.toLowerCase(), value);
    }
  }
  return Object.fromEntries(headers);
}
