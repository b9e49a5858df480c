import { jsonIn } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { after } from '../../../../parley/src/jsonrpc/timeout.ts';
import {
  requestHeaders,
  selfMeta,
  withMeta,
  type Self,
} from '../../../../parley/src/client/connection/request-meta.ts';
import type { ClientCapabilities } from '../../../../parley/src/protocol/capability.ts';
import type { Revision } from '../../../../parley/src/protocol/revision.ts';
import { NotJudged, SessionLost } from './verdict.ts';
import { answers, errorCodeOf, responseIn, turnedAway, type CameResponse, type RawExchange } from './exchange.ts';
import type { RawHttp } from './http.ts';
import { AnsweredIds } from '../texts/answered.ts';
import { GoingOn, type Going } from './going.ts';
import { givenParams, isElsewhere, isEventStream, isMessageText, isResuming, untilAnswered } from './manner.ts';
import { saysLost } from './lost.ts';
import type { RawLines } from './lines.ts';
import type { RawPair } from './pair.ts';
import { withChanges, type Sender } from './senders.ts';
import type { AnswerWaits } from './waits/answer-waits.ts';

/** Way in which one message is sent, where it is not the right one. */
export interface Conventions {
  /** The id of a request; the next number by default. */
  readonly id?: unknown;
  /** Headers over HTTP beside or in place of the right ones; `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The `_meta` in place of the right one; `undefined` leaves it out. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Sender over HTTP; the user by default. */
  readonly as?: Sender;
  /** Longest wait for the answer, in milliseconds. */
  readonly waitTimeoutMs?: number;
  /** Tells that nothing more is waited for; the response by default. */
  readonly until?: (messages: readonly unknown[]) => boolean;
  /** Ends the wait over HTTP. */
  readonly stop?: AbortSignal;
  /** Hears that a response over HTTP has begun. */
  begun?(): void;
}

/** Exchanged of a request, with its response. */
export interface RequestExchange extends RawExchange {
  readonly response: CameResponse | undefined;
  /** The result, where it is an object. */
  readonly result: Readonly<Record<string, unknown>> | undefined;
}

/** Road that texts take: HTTP or lines. */
export type Road =
  | { readonly over: 'http'; readonly http: RawHttp }
  | { readonly over: 'stdio'; readonly lines: RawLines }
  | { readonly over: 'sse'; readonly lines: RawPair };

/** Parts that a prober is made of. */
export interface ProbeClientParts {
  /** Name and version under which it speaks. */
  readonly info: Self['info'];
  readonly revision: Revision;
  readonly road: Road;
  readonly capabilities: ClientCapabilities;
  /** Longest wait for an answer, in milliseconds. */
  readonly waitTimeoutMs: number;
  /** Longest wait for the first answer, before which a process may have much to load, in milliseconds. */
  readonly openMs: number;
  /** Time of silence that is taken for "nothing comes", in milliseconds. */
  readonly quietMs: number;
  /** Waits for a process; left out where each wait is in full. */
  readonly silence?: AnswerWaits;
  /** Receives every exchange, and waits if there were too many. */
  exchanged(exchange: RawExchange, about: ProbeMessage): void;
  /** Asks for room for one more message. It rejects when there is none. */
  room(): Promise<void>;
  /** Tells whether a tool may be called. */
  mayCall(name: unknown): boolean;
}

/** Message that was sent, for who judges what came of it. */
export interface ProbeMessage {
  readonly revision: Revision;
  /** Capabilities that the client declared in the conversation. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Capabilities that the server declared in it; `undefined` before it did. */
  readonly declared: Readonly<Record<string, unknown>> | undefined;
  readonly request: Readonly<Record<string, unknown>> | undefined;
  /** Progress tokens of requests before it that were not answered and may run, and of those that went on beside it. */
  readonly running: ReadonlySet<unknown>;
  /** Ids of requests of the server, up to the end of this exchange; `undefined` where that is not known. */
  readonly asked: ReadonlySet<unknown> | undefined;
  /** Messages among those that came which answer what was answered before. */
  readonly again: ReadonlySet<unknown>;
  /** True if a fault does not concern the revision: its request named another one, or the response is a repetition. */
  readonly isAside: boolean;
}

const jsonTypes = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** One conversation in one revision, whose messages are right but for what a probe makes wrong. */
export class ProbeClient {
  /** Result of `initialize`, or of `server/discover`. */
  opening: RequestExchange | undefined;
  session: string | undefined;
  /** True where the server ended the session. */
  isLost = false;
  readonly revision: Revision;
  readonly #parts: ProbeClientParts;
  readonly #going = new GoingOn();
  readonly #answered = new AnsweredIds();
  /** Ids of requests whose wait was over. */
  readonly #unanswered = new Set<unknown>();
  /** Capabilities of a server that does not declare any, by what it lists. */
  readonly #listed: Record<string, Readonly<Record<string, unknown>>> = {};
  #sent = 0;
  #as: Sender | undefined;
  #isOpening = false;
  /** True where it ended the session itself. */
  #isEnding = false;
  #hears: ((exchange: RawExchange) => void) | undefined;

  constructor(parts: ProbeClientParts) {
    this.revision = parts.revision;
    this.#parts = parts;
  }

  get over(): Road['over'] {
    return this.#parts.road.over;
  }

  /** Capabilities of the server, as it declared them. */
  get capabilities(): Readonly<Record<string, unknown>> {
    return this.#declared ?? this.#listed;
  }

  get #declared(): Readonly<Record<string, unknown>> | undefined {
    const declared = this.opening?.result?.['capabilities'];
    return isObject(declared) ? declared : undefined;
  }

  /**
   * Opens the conversation as the revision does.
   *
   * @param as Sender of all that is sent in it; the user by default.
   * @returns Whether the server speaks the revision.
   */
  async open(as?: Sender): Promise<boolean> {
    this.#as = as;
    this.#isOpening = true;
    try {
      return await this.#opened();
    } finally {
      this.#isOpening = false;
    }
  }

  async #opened(): Promise<boolean> {
    const { revision, capabilities, info } = this.#parts;
    if (revision.clientDescribed === 'each-request') {
      this.opening = await this.request('server/discover', undefined, { waitTimeoutMs: this.#parts.openMs });
      const supported = this.opening.result?.['supportedVersions'];
      return Array.isArray(supported) ? supported.includes(revision.date) : await this.#listsAll(this.opening);
    }
    this.opening = await this.request(
      'initialize',
      {
        protocolVersion: revision.date,
        capabilities,
        clientInfo: info,
      },
      { waitTimeoutMs: this.#parts.openMs },
    );
    if (this.opening.result?.['protocolVersion'] !== revision.date) return false;
    this.session = this.opening.headers['mcp-session-id'];
    // Later messages are received with the next request.
    const { road, quietMs } = this.#parts;
    await this.notify(
      'notifications/initialized',
      undefined,
      road.over === 'http' ? {} : { waitTimeoutMs: quietMs / 3 },
    );
    return true;
  }

  /** Tells whether a server that cannot be asked what it speaks lists something as one of the revision, whose results say of what type they are. */
  async #listsAll(opening: RequestExchange): Promise<boolean> {
    const isOdd = typeof opening.result?.['resultType'] === 'string' || errorCodeOf(opening.response) === -32_601;
    if (!isOdd) return false;
    for (const name of ['tools', 'resources', 'prompts']) {
      const { result } = await this.request(`${name}/list`, undefined, { waitTimeoutMs: this.#parts.waitTimeoutMs });
      if (typeof result?.['resultType'] === 'string' && Array.isArray(result[name])) this.#listed[name] = {};
    }
    return Object.keys(this.#listed).length > 0;
  }

  /** An id that no request of the conversation had. */
  newId(): number {
    return ++this.#sent;
  }

  /** Sends a request, and waits for its response. */
  async request(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    conventions: Conventions = {},
  ): Promise<RequestExchange> {
    const id = 'id' in conventions ? conventions.id : this.newId();
    const message = { jsonrpc: '2.0', id, method, ...this.#params(params, conventions) };
    const until = conventions.until ?? untilAnswered(id);
    const exchange = await this.message(message, { ...conventions, until });
    const response = responseIn(exchange, id);
    return { ...exchange, response, result: isObject(response?.result) ? response.result : undefined };
  }

  /** Sends a notification, and waits a little for what should not come. */
  async notify(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    conventions: Conventions = {},
  ): Promise<RawExchange> {
    return await this.message({ jsonrpc: '2.0', method, ...this.#params(params, conventions) }, conventions);
  }

  /**
   * Sends a message as it is, with the headers that it should have.
   *
   * @throws NotJudged where something in front of the server answered, SessionLost where the server ended the session.
   */
  async message(message: Readonly<Record<string, unknown>>, conventions: Conventions = {}): Promise<RawExchange> {
    const exchange = await this.text(JSON.stringify(message), conventions, message);
    // A failed opening is returned unchanged.
    if (this.#isOpening) return exchange;
    const why = turnedAway(exchange);
    if (why !== undefined) throw new NotJudged(why);
    // For another sender the session may not exist.
    const isKnown = this.session !== undefined && !this.#isEnding && conventions.as === undefined;
    if (isKnown && saysLost(exchange, conventions.headers, message['id'])) {
      this.isLost = true;
      throw new SessionLost('the server ended the session');
    }
    return exchange;
  }

  /** Sets a listener to all exchanges, or removes it. */
  hear(hears: ((exchange: RawExchange) => void) | undefined): void {
    this.#hears = hears;
  }

  /** Sends a response to a request of the server, while another exchange goes on. */
  async say(message: Readonly<Record<string, unknown>>): Promise<void> {
    const { road } = this.#parts;
    if (road.over === 'http') return void (await this.message(message));
    await this.#parts.room();
    road.lines.write(JSON.stringify(message));
  }

  /** Waits, in milliseconds. */
  async rest(ms: number): Promise<void> {
    await new Promise<void>((resolve) => void after(ms, resolve, true));
  }

  /** Sends any text. @param about The message that it is, for the headers that go with one. */
  async text(
    text: string | Uint8Array,
    conventions: Conventions = {},
    about?: Readonly<Record<string, unknown>>,
  ): Promise<RawExchange> {
    const { road, waitTimeoutMs, quietMs, revision, capabilities, room, exchanged, mayCall } = this.#parts;
    // The one place that every call goes through.
    if (about?.['method'] === 'tools/call' && isObject(about['params']) && !mayCall(about['params']['name']))
      throw new Error(`the tool ${JSON.stringify(about['params']['name'])} may not be called`);
    await room();
    const going = this.#going.begins(about);
    // An HTTP response belongs to one request. A response on the stream of another request is a different fault.
    const answered = road.over === 'http' ? new AnsweredIds() : this.#answered;
    answered.sent(text);
    const isAsked = conventions.until !== undefined;
    const { silence } = road.over === 'stdio' ? this.#parts : {};
    const answerMs = silence?.waitMs ?? waitTimeoutMs;
    const patience = {
      waitTimeoutMs: conventions.waitTimeoutMs ?? (isAsked || road.over === 'http' ? answerMs : quietMs),
      ...(conventions.until && { until: conventions.until }),
      ...(conventions.stop && { stop: conventions.stop }),
    };
    const exchange =
      road.over !== 'http'
        ? await road.lines.send(text, patience)
        : await road.http.send({
            method: 'POST',
            headers: this.#headers(about, conventions),
            body: text,
            ...this.#sender(conventions),
            ...patience,
          });
    // The first request of a process has a wait of its own.
    const isFirst = this.#isOpening || conventions.waitTimeoutMs !== undefined;
    if (silence !== undefined && isAsked) this.#timed(silence, exchange, { id: about?.['id'], isFirst });
    const asked = this.#asked(going, exchange);
    exchanged(exchange, {
      revision,
      capabilities: { ...capabilities },
      declared: this.#declared,
      request: about,
      running: going.beside,
      asked,
      again: answered.again(exchange.messages),
      isAside: isElsewhere(revision, conventions),
    });
    this.#going.gaveUp(exchange, about);
    this.#hears?.(exchange);
    return exchange;
  }

  /** Records how long an answer took, or how long none came; one to an earlier request is late. */
  #timed(
    silence: AnswerWaits,
    { end, messages, tookMs = 0 }: RawExchange,
    { id, isFirst }: { readonly id: unknown; readonly isFirst: boolean },
  ): void {
    this.#hearLate(messages);
    if (end === 'heard' && this.#isOpening) silence.opened(tookMs);
    else if (end === 'heard' && !isFirst) silence.answered(tookMs);
    else if (end === 'silent') {
      silence.unanswered(tookMs);
      if (id !== undefined) this.#unanswered.add(id);
    }
  }

  #hearLate(messages: readonly unknown[]): void {
    const { silence } = this.#parts;
    if ([...this.#unanswered].some((id) => messages.flat().some((message) => answers(message, id)))) silence?.late();
  }

  /** Sends another method of HTTP than POST; `undefined` where there is no HTTP. */
  async fetch(method: 'GET' | 'DELETE' | 'PUT', conventions: Conventions = {}): Promise<RawExchange | undefined> {
    const { road, waitTimeoutMs, quietMs, revision, capabilities, room, exchanged } = this.#parts;
    if (road.over !== 'http') return undefined;
    if (method === 'DELETE' && conventions.as === undefined) this.#isEnding = true;
    await room();
    const going = this.#going.begins(undefined);
    const accept = method === 'GET' ? { accept: 'text/event-stream' } : {};
    const headers = withChanges({ ...accept, ...this.#conversation() }, conventions.headers);
    const exchange = await road.http.send({
      method,
      headers,
      ...this.#sender(conventions),
      // A server may be far away, but once a stream has begun, messages come soon.
      waitTimeoutMs: conventions.waitTimeoutMs ?? Math.min(waitTimeoutMs, 10 * quietMs),
      ...(conventions.waitTimeoutMs === undefined && { afterMs: quietMs }),
      ...(conventions.until && { until: conventions.until }),
      ...(conventions.stop && { stop: conventions.stop }),
      ...(conventions.begun && { begun: () => conventions.begun?.() }),
    });
    const asked = this.#asked(going, exchange);
    exchanged(exchange, {
      revision,
      capabilities: { ...capabilities },
      declared: this.#declared,
      request: undefined,
      running: going.beside,
      asked,
      again: new Set(),
      // Replayed messages were received before.
      isAside: !isEventStream(exchange) || isResuming(conventions),
    });
    this.#hears?.(exchange);
    return exchange;
  }

  /** Ends an exchange. @returns Ids of all server requests; `undefined` if there may be more that were missed. */
  #asked(going: Going, exchange: RawExchange): ReadonlySet<unknown> | undefined {
    const asked = this.#going.ends(going, exchange);
    return this.lines === undefined || this.lines.unasked.length === 0 ? asked : undefined;
  }

  /** Lines that it said unasked which answer what was answered before. */
  answersAgain(): readonly string[] {
    const { unasked = [] } = this.lines ?? {};
    this.#hearLate(unasked.filter(isMessageText).map((line) => jsonIn(line)));
    return unasked.filter((line) => isMessageText(line) && this.#answered.again([jsonIn(line)]).size > 0);
  }

  /** Ends its session, where it has one. */
  async close(): Promise<void> {
    const { road } = this.#parts;
    if (road.over !== 'http') return await road.lines.close();
    if (this.session !== undefined)
      await road.http.send({
        method: 'DELETE',
        headers: this.#conversation(),
        ...this.#sender({}),
        waitTimeoutMs: this.#parts.quietMs,
      });
  }

  /** The lines, where it speaks by them. */
  get lines(): RawLines | undefined {
    const { road } = this.#parts;
    return road.over === 'http' ? undefined : road.lines;
  }

  /** The stream and its endpoint, where it speaks by HTTP+SSE. */
  get pair(): RawPair | undefined {
    const { road } = this.#parts;
    return road.over === 'sse' ? road.lines : undefined;
  }

  #params(
    params: Readonly<Record<string, unknown>> | undefined,
    conventions: Conventions,
  ): { readonly params?: Readonly<Record<string, unknown>> } {
    const { revision, capabilities, info } = this.#parts;
    if ('meta' in conventions)
      return conventions.meta === undefined ? givenParams(params) : { params: { ...params, _meta: conventions.meta } };
    if (revision.clientDescribed === 'once') return givenParams(params);
    return { params: withMeta(params, selfMeta(revision, { info, capabilities })) };
  }

  #headers(about: Readonly<Record<string, unknown>> | undefined, { headers }: Conventions): Record<string, string> {
    const { revision } = this.#parts;
    const method = about?.['method'];
    const params = about?.['params'];
    const own =
      typeof method === 'string' ? requestHeaders(revision, method, isObject(params) ? params : undefined) : {};
    return withChanges({ ...jsonTypes, ...this.#conversation(), ...own }, headers);
  }

  #sender({ as = this.#as }: Conventions): { readonly as?: Sender } {
    return as === undefined ? {} : { as };
  }

  #conversation(): Record<string, string> {
    const { revision } = this.#parts;
    const isOpen =
      revision.versionHeader === 'always' ||
      (revision.versionHeader === 'after-initialize' && this.opening !== undefined);
    return {
      ...(this.session === undefined ? {} : { 'Mcp-Session-Id': this.session }),
      ...(isOpen ? { 'MCP-Protocol-Version': revision.date } : {}),
    };
  }
}
