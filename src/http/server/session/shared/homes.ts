import { jsonText } from '../../../../json/exact-number.ts';
import { after } from '../../../../jsonrpc/timeout.ts';
import type { AuthInfo } from '../../../../host/endpoint.ts';
import { withLargeIds } from '../../../../json/large-id.ts';
import { isObject } from '../../../../jsonrpc/message.ts';
import type { Unsubscribe } from '../../../../store/bus.ts';
import { insistent, type InsistentBus } from '../../../../peer/relay/insistent.ts';
import { busOfLongTexts } from '../../../../store/long-texts.ts';
import { StoreError, type Store } from '../../../../store/store.ts';
import type { Judged } from '../../../../host/judged.ts';
import type { Handed, HttpCall } from '../../call.ts';
import type { HttpContext } from '../../context.ts';
import type { HeaderFields, HttpReply, HttpRequest } from '../../universal.ts';
import { isRequest, mayComeTwice, randomText } from '../rules.ts';
import { HandedCall } from './handed-call.ts';
import { HandedReply, RequestOfAnother } from './handed-reply.ts';
import { readToldHome, type HandedRequest, type ToldHome } from './home-words.ts';

/** Time between two looks at what was handed on, and after which who is silent is given up, in milliseconds. */
const beatMs = 5_000;
const silenceMs = 15_000;
/** The most lines that one text asks about. */
const mostLines = 1_000;

/** Headers that a session looks at. */
const headerNames = ['accept', 'content-type', 'mcp-session-id', 'mcp-protocol-version', 'last-event-id'];

/** Answers a request whose sender another process established. */
export type AnswerHanded = (request: HttpRequest, reply: HttpReply, handed: Handed) => void;

/** Body of a request: one message, several, or what is no JSON. */
export type HandedBody = Judged | readonly Judged[] | 'unreadable' | undefined;

/**
 * The way to sessions that cannot move, since each has a connection to a server behind this one: every process hands what comes for one
 * to the process that has it, its home, whose name stands in the id.
 */
export class Homes {
  readonly #name: string = randomText(9);
  readonly #context: HttpContext;
  readonly #bus: InsistentBus;
  readonly #answer: AnswerHanded;
  /** Requests that came here, by line. */
  readonly #calls = new Map<string, HandedCall>();
  /** Answers to requests that came to others. */
  readonly #replies = new Map<string, { readonly process: string; readonly reply: HandedReply }>();
  /** Texts that are on their way. */
  readonly #sending = new Set<Promise<unknown>>();
  #open: Promise<Unsubscribe> | undefined;
  #cancelTimer: (() => void) | undefined;
  #closed = false;

  constructor(context: HttpContext, store: Store, answer: AnswerHanded) {
    this.#context = context;
    this.#bus = insistent(busOfLongTexts(store, () => true));
    this.#answer = answer;
  }

  /**
   * Listens, from when it resolves; asking again is fine.
   *
   * @throws StoreError when the bus cannot be reached; the next one tries again.
   */
  async open(): Promise<void> {
    try {
      await (this.#open ??= this.#listen());
    } catch (error) {
      this.#open = undefined;
      throw error;
    }
  }

  /** The id of a session that is opened here. */
  nameOf(id: string): string {
    return `${id}-${this.#name}`;
  }

  /** The home of a session, by its id; `undefined` for this process, and for an id that is none. */
  elsewhere(id: string): string | undefined {
    const [, process] = /^[0-9a-f]{48}-([0-9a-f]{18})$/.exec(id) ?? [];
    return process === this.#name ? undefined : process;
  }

  /**
   * Hands a request to the home of its session, and passes on the answer.
   *
   * @throws StoreError when the home cannot be told of it.
   */
  async hand(call: HttpCall, home: string, body: HandedBody): Promise<void> {
    await this.open();
    if (call.reply.closed || this.#closed) return;
    const line = randomText(9);
    const messages = Array.isArray(body)
      ? (body as readonly Judged[])
      : typeof body === 'object'
        ? [body as Judged]
        : [];
    const handed = new HandedCall(call, {
      context: this.#context,
      home,
      ids: messages.filter(isRequest).map(({ message }) => message.id),
      repeatable: messages.every(mayComeTwice),
      over: (_, isLeft) => {
        this.#calls.delete(line);
        if (isLeft) void this.#tell(home, { kind: 'gone', line });
      },
    });
    this.#calls.set(line, handed);
    this.#cancelTimer ??= this.#beatLater();
    // Who has no place for an event stream here is answered in one piece, as at home.
    const isFull = this.#context.streams.full(call.auth) !== undefined;
    const request = requestOf(call, textOf(body), isFull ? { accept: 'application/json' } : {});
    try {
      if (await this.#publish(home, { kind: 'request', line, process: this.#name, request })) return await handed.done;
    } catch (cause) {
      // What it was not told is nowhere; what is not known may be there.
      if (!(cause instanceof StoreError) || cause.reason !== 'unavailable') {
        this.#calls.delete(line);
        throw cause;
      }
      this.#context.settings.onError(new Error('another process may not have got a request', { cause }));
      handed.doubted();
      return await handed.done;
    }
    handed.unheard();
    this.#isGone(home);
  }

  /** Ends what was handed on, and what is answered for others. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    for (const call of this.#calls.values()) call.close();
    for (const { reply } of this.#replies.values()) reply.destroy();
    this.#bus.close();
    await Promise.allSettled(this.#sending);
    const end = await this.#open?.catch(() => undefined);
    await end?.();
  }

  async #listen(): Promise<Unsubscribe> {
    return await this.#bus.subscribe(
      channelOf(this.#name),
      (text) => {
        const told = readToldHome(text);
        if (told !== undefined) this.#hear(told);
      },
      // What was missed shows in the numbers of what was sent.
      () => this.#askAll(),
    );
  }

  #hear(told: ToldHome): void {
    switch (told.kind) {
      case 'request':
        return this.#take(told);
      case 'gone':
        return this.#replies.get(told.line)?.reply.close();
      case 'waiting':
        return this.#say(told.process, told.lines);
      case 'standing': {
        const standing = new Map(told.lines);
        for (const line of told.asked) this.#calls.get(line)?.stands(standing.get(line));
        return;
      }
      case 'part':
        return this.#calls.get(told.line)?.take(told.number, told.part);
    }
  }

  #take({ line, process, request }: Extract<ToldHome, { kind: 'request' }>): void {
    if (this.#closed) return;
    const reply = new HandedReply(
      this.#context.settings.now(),
      (number, part) => this.#tell(process, { kind: 'part', line, number, part }),
      () => this.#replies.delete(line),
    );
    this.#replies.set(line, { process, reply });
    this.#cancelTimer ??= this.#beatLater();
    this.#answer(new RequestOfAnother(request), reply, { auth: authOf(request.auth) });
  }

  /** Says to another process how the answers stand that it waits for. */
  #say(process: string, asked: readonly string[]): void {
    const lines = asked.flatMap((line) => {
      const reply = this.#replies.get(line)?.reply;
      if (reply === undefined) return [];
      reply.heardAt = this.#context.settings.now();
      return [[line, reply.parts] as const];
    });
    void this.#tell(process, { kind: 'standing', asked, lines });
  }

  #beatLater(): () => void {
    return after(beatMs, () => {
      const now = this.#context.settings.now();
      for (const call of this.#calls.values()) if (now - call.heardAt > silenceMs) call.silent();
      for (const { reply } of this.#replies.values()) if (now - reply.heardAt > silenceMs) reply.close();
      this.#askAll();
      this.#cancelTimer = this.#calls.size + this.#replies.size === 0 || this.#closed ? undefined : this.#beatLater();
    });
  }

  /** Asks each process how what was handed to it stands; one that nobody hears in is gone. */
  #askAll(): void {
    const byHome = new Map<string, string[]>();
    for (const [line, { home }] of this.#calls) {
      const lines = byHome.get(home);
      if (lines === undefined) byHome.set(home, [line]);
      else lines.push(line);
    }
    for (const [home, all] of byHome)
      for (let from = 0; from < all.length; from += mostLines) {
        const lines = all.slice(from, from + mostLines);
        this.#publish(home, { kind: 'waiting', process: this.#name, lines }).then(
          (isHeard) => isHeard || this.#isGone(home),
          // Who is silent for too long is given up all the same.
          () => undefined,
        );
      }
  }

  #isGone(home: string): void {
    for (const call of this.#calls.values()) if (call.home === home) call.gone();
  }

  /** Tells a process something; false where it is gone, or could not be told. It never rejects. */
  async #tell(process: string, told: ToldHome): Promise<boolean> {
    try {
      return await this.#publish(process, told);
    } catch (cause) {
      this.#context.settings.onError(new Error('another process could not be told of a request', { cause }));
      return false;
    }
  }

  async #publish(process: string, told: ToldHome): Promise<boolean> {
    const sending = Promise.resolve(this.#bus.publish(channelOf(process), JSON.stringify(told)));
    this.#sending.add(sending);
    try {
      return (await sending) !== 0;
    } finally {
      this.#sending.delete(sending);
    }
  }
}

function channelOf(process: string): string {
  return `home ${process}`;
}

function requestOf({ request, auth }: HttpCall, text: string, instead: HeaderFields): HandedRequest {
  const { method, path, remoteAddress: address } = request;
  const headers = headerNames.flatMap((name) => {
    const value = request.header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { method, path, headers: { ...Object.fromEntries(headers), ...instead }, address, auth, text };
}

/** The text of a body as it came, with its numbers in their digits; what was no JSON is none here either. */
function textOf(body: HandedBody): string {
  if (body === undefined || body === 'unreadable') return '';
  return withLargeIds(jsonText(Array.isArray(body) ? body.map(valueOf) : valueOf(body as Judged)));
}

function valueOf(judged: Judged): unknown {
  return judged.kind === 'malformed' ? judged.value : judged.message;
}

function authOf(value: unknown): AuthInfo | undefined {
  // Another process of the same service established it, and the type is that of what it sent.
  return isObject(value) && typeof value['principal'] === 'string' ? (value as unknown as AuthInfo) : undefined;
}
