import { Agent, request as requestOf, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as SecureAgent, request as secureRequestOf } from 'node:https';
import { after } from '../../../../parley/src/jsonrpc/timeout.ts';
import { isEventStream, isMessageText, mediaTypeOf } from './manner.ts';
import { isResponse } from '../../../../parley/src/jsonrpc/message.ts';
import { readEvents } from '../../../../parley/src/jsonrpc/sse.ts';
import { Senders, shownSender, type ProvenToken, type Sender, type UserCredentials } from './senders.ts';
import { ReplyCollector, mostBytes, toldText, type RawExchange, type ExchangeLimits } from './exchange.ts';

/** A request over HTTP as a probe wants it, right or wrong. */
export interface RawRequest extends ExchangeLimits {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'OPTIONS';
  /** Headers, `Host` among them where another is wanted; those of the user go with them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Path and query, where they are not those of the server. */
  readonly path?: string;
  /** Address that it is sent to, in place of that of its host. */
  readonly at?: string;
  /** Sender, `own` by default. */
  readonly as?: Sender;
}

/** Hearer of a stream of events. */
export interface StreamHears {
  event(type: string, data: string): void;
  over(): void;
}

/** Stream of events that is open, or was refused. */
export interface RawStream {
  /** The response without what comes on the stream. */
  readonly exchange: RawExchange;
  readonly isOpen: boolean;
  close(): void;
}

/** Sends requests as they are. No method rejects: what fails is in the exchange. */
export interface RawHttp {
  readonly url: URL;
  /** Tells whether there are credentials of a sender. */
  knows(who: 'own' | 'another' | 'foreign'): boolean;
  /** The token that the user has at the server, where it is one. */
  token(): Promise<string | undefined>;
  /** The same with a proof of its key for a request, where it is bound to one. */
  proven(method: string, path?: string): Promise<ProvenToken | undefined>;
  send(request: RawRequest): Promise<RawExchange>;
  /** Opens a stream of events by GET, and resolves when its response has begun; it goes on until it is closed. */
  listen(request: Omit<RawRequest, 'method' | 'body' | 'until'>, hears: StreamHears): Promise<RawStream>;
  close(): void;
}

/** Headers that the sender adds where a probe does not say otherwise, and that are not told. */
const plumbing: ReadonlySet<string> = new Set(['connection', 'content-length']);

/**
 * Speaks HTTP below what a client of MCP allows: any host, any header, any body.
 *
 * @param credentials Those of the user.
 */
export function rawHttp(url: URL, credentials: UserCredentials = {}, why: WhyNotReached = reasonOf): RawHttp {
  const isSecure = url.protocol === 'https:';
  const agent = isSecure
    ? new SecureAgent({ keepAlive: true, maxSockets: 8 })
    : new Agent({ keepAlive: true, maxSockets: 8 });
  const open = isSecure ? secureRequestOf : requestOf;
  const senders = new Senders(url, credentials);
  let hasAnswered = false;
  const lingering = { inVain: 0 };
  const told = (error: unknown): string => why(error, hasAnswered);
  const heard = (exchange: RawExchange): RawExchange => {
    hasAnswered ||= exchange.status !== undefined;
    return exchange;
  };
  return {
    url,
    close: () => agent.destroy(),
    knows: (who) => senders.knows(who),
    token: () => senders.token(),
    proven: (method, path) => senders.proven(method, path),
    send: async (asked) => {
      const sent = wordsOf(url, asked);
      try {
        const headers = await senders.headers(asked);
        const begin: Sending['begin'] = (options) => open({ ...options, agent });
        return heard(await exchanged(url, { asked, headers, sent, why: told, begin, lingering }));
      } catch (error) {
        return { ...nothing, sent, reason: told(error) };
      }
    },
    listen: async (asked, hears) => {
      const request = { ...asked, method: 'GET' } as const;
      const sent = wordsOf(url, request);
      try {
        const headers = await senders.headers(request);
        const begin: Sending['begin'] = (options) => open(options);
        return await listened(url, { asked: request, headers, sent, why: told, begin, lingering }, hears);
      } catch (error) {
        return { exchange: { ...nothing, sent, reason: told(error) }, isOpen: false, close: () => undefined };
      }
    },
  };
}

/** Words for a person why a request was not answered, by a server that has answered before or has not. */
export type WhyNotReached = (error: unknown, hasAnswered: boolean) => string;

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** One request, on its way. */
interface Sending {
  readonly asked: RawRequest;
  /** Headers of its sender. */
  readonly headers: Readonly<Record<string, string>>;
  /** The sent message in its form for reports. */
  readonly sent: string;
  why(error: unknown): string;
  begin(options: RequestOptions): ClientRequest;
  /** Number of streams that were waited for, and did not end with their answer. */
  readonly lingering: { inVain: number };
}

/** Time in which a stream ends after its answer, in milliseconds, and number of those that did not end after which none is waited for. */
const linger = { ms: 100, inVain: 3 };

async function exchanged(url: URL, { asked, headers, sent, why, begin, lingering }: Sending): Promise<RawExchange> {
  return await new Promise((resolve) => {
    const coming = new ReplyCollector();
    let response: IncomingMessage | undefined;
    let [isOver, isAnswered] = [false, false];
    const over = (how: RawExchange['end'], reason?: string): void => {
      if (isOver) return;
      isOver = true;
      const end = isAnswered ? 'heard' : how;
      cancel();
      asked.stop?.removeEventListener('abort', stopped);
      // A complete response leaves its connection to the next request. Otherwise the rest is discarded.
      if (end !== 'complete') sending.destroy();
      const { text, messages, malformed } = coming;
      const got = { status: response?.statusCode, headers: headersOf(response), text, messages, malformed };
      const odd = coming.isUtf8 ? {} : { isUtf8: false as const };
      resolve({ sent, ...got, ...odd, ...tokenIn(headers), end, ...(reason === undefined ? {} : { reason }) });
    };
    const sending = begin(optionsOf(url, asked, headers));
    // While it waits for a connection that others have, nothing was asked.
    let cancel = (): void => undefined;
    sending.once('socket', () => {
      if (!isOver) cancel = after(asked.waitTimeoutMs, () => over('silent'), true);
    });
    const stopped = (): void => over('silent');
    asked.stop?.addEventListener('abort', stopped, { once: true });
    sending.on('error', (error) =>
      response === undefined ? over('refused', why(error)) : over('gone', error.message),
    );
    sending.on('response', (came) => {
      response = came;
      asked.begun?.();
      if (asked.afterMs !== undefined && isEventStream(came) && !isOver) {
        cancel();
        cancel = after(asked.afterMs, () => over('silent'), true);
      }
      came.on('error', (error) => over('gone', error.message));
      came.on('aborted', () => over('gone', 'the connection broke'));
      // Other messages on the stream of an answer should not be there.
      const answered = (): boolean => {
        if (lingering.inVain >= linger.inVain || isOver) return false;
        isAnswered = true;
        cancel();
        const left = (): void => {
          lingering.inVain++;
          over('heard');
        };
        cancel = after(linger.ms, left, true);
        return true;
      };
      void read(came, coming, { until: asked.until, answered }).then(
        (end) => over(end),
        (error: unknown) => over('gone', String(error)),
      );
    });
    // With a text, Node would write the head in UTF-8 too, and a session id must go back byte by byte.
    sending.end(typeof asked.body === 'string' ? Buffer.from(asked.body) : asked.body);
  });
}

/** Shortest token that is searched for in responses: a shorter one may appear by chance. */
const fewest = 16;

/** Searches a response for the sender's token, which the server must not repeat. */
function tokenIn(headers: Readonly<Record<string, string>>): Pick<RawExchange, 'hasToken'> {
  const [, value = ''] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization') ?? [];
  const token = /^(?:bearer|dpop) +(\S+)$/i.exec(value)?.[1] ?? '';
  return token.length < fewest ? {} : { hasToken: (text) => text.includes(token) };
}

function optionsOf(url: URL, asked: RawRequest, headers: Readonly<Record<string, string>>): RequestOptions {
  const length = asked.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(asked.body)) };
  return {
    protocol: url.protocol,
    hostname: asked.at ?? url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    method: asked.method,
    path: asked.path ?? `${url.pathname}${url.search}`,
    headers: { host: url.host, ...headers, ...length, ...asked.headers },
    setHost: false,
  };
}

async function listened(
  url: URL,
  { asked, headers, sent, why, begin }: Sending,
  hears: StreamHears,
): Promise<RawStream> {
  return await new Promise((resolve) => {
    const sending = begin(optionsOf(url, asked, headers));
    const begun = (response: IncomingMessage | undefined, reason?: string): void => {
      cancel();
      const status = response?.statusCode;
      const isOpen = status === 200 && response !== undefined && isEventStream(response);
      if (!isOpen) sending.destroy();
      const head = { ...nothing, sent, status, headers: headersOf(response) };
      const end = response === undefined ? 'refused' : 'complete';
      const exchange = { ...head, end, ...(reason === undefined ? {} : { reason }) } as const;
      resolve({ exchange, isOpen, close: () => sending.destroy() });
      if (isOpen) void readStream(response, hears);
    };
    const cancel = after(asked.waitTimeoutMs, () => begun(undefined, 'no response came'), true);
    sending.on('error', (error) => begun(undefined, why(error)));
    sending.on('response', (came) => {
      came.on('error', () => undefined);
      begun(came);
    });
    sending.end();
  });
}

async function readStream(response: IncomingMessage, hears: StreamHears): Promise<void> {
  try {
    for await (const { event = 'message', data } of readEvents(response, { maxBytes: mostBytes }))
      if (data !== '') hears.event(event, data);
  } catch {
    // It was cut, here or there: that it is over is all that counts.
  }
  hears.over();
}

const nothing = { status: undefined, headers: {}, text: '', messages: [], malformed: [], end: 'refused' } as const;

/** @param answered Hears that what was waited for is an answer, and tells whether the end of its stream is waited for too. */
async function read(
  came: IncomingMessage,
  coming: ReplyCollector,
  { until, answered }: { readonly until: RawRequest['until']; answered(): boolean },
): Promise<RawExchange['end']> {
  if (isEventStream(came)) {
    let isAnswered = false;
    for await (const event of readEvents(kept(came, coming), { maxBytes: mostBytes })) {
      if (event.data === undefined || event.data === '') continue;
      coming.piece(event.data);
      if (isAnswered || until?.(coming.messages) !== true) continue;
      isAnswered = [coming.messages.at(-1)].flat().some(isResponse) && answered();
      if (!isAnswered) return 'heard';
    }
    return coming.text.length > mostBytes ? 'limit' : 'complete';
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of came as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    coming.bytes(chunk);
    length += chunk.byteLength;
    if (length > mostBytes) return 'limit';
  }
  const text = Buffer.concat(chunks).toString('utf8');
  coming.keep(text);
  // That a message is of another type is a fault by itself, and others are to be seen beside it.
  if (isJson(came) || isMessageText(text)) coming.piece(text);
  return 'complete';
}

async function* kept(came: IncomingMessage, coming: ReplyCollector): AsyncGenerator<Uint8Array> {
  for await (const chunk of came as AsyncIterable<Uint8Array>) {
    coming.bytes(chunk);
    if (!coming.keep(Buffer.from(chunk).toString('utf8'))) return;
    yield chunk;
  }
}

function isJson(came: IncomingMessage): boolean {
  return /^application\/(?:[\w.+-]+\+)?json/.test(mediaTypeOf(came));
}

function headersOf(response: IncomingMessage | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(response?.headers ?? {}).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

/** A session id is the key to its session: it is not told. */
const sessionHeader = 'mcp-session-id';

function wordsOf(url: URL, { method, path, headers, body, as }: RawRequest): string {
  const lines = Object.entries({ ...headers, ...shownSender(as) })
    .filter(([name]) => !plumbing.has(name.toLowerCase()))
    .map(([name, value]) =>
      name.toLowerCase() === sessionHeader
        ? `${name}: …`
        : `${name}: ${value.length > 200 ? `${value.slice(0, 200)}… (${value.length} characters)` : value}`,
    );
  const told = toldText(body ?? '');
  return [`${method} ${path ?? url.pathname}`, ...lines, ...(told === '' ? [] : ['', told])].join('\n');
}
