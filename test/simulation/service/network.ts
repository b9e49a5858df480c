/** The simulated network between clients and the processes of a service: late, broken off, silent, and by any process. */

import type { Fetch, FetchRequest, FetchResponse } from '../../../packages/parley/src/jsonrpc/fetch.ts';
import type { Process } from '../world.ts';
import { ArrivedRequest, Reply, type Wire } from './exchange.ts';
import { chance } from './chance.ts';
import {
  afterOf,
  misfortunes,
  stateOfAnswer,
  stateOfBeginning,
  stateOfStream,
  streamOf,
  type Misfortune,
} from './exchange-states.ts';
import { getter, Incoming } from './incoming.ts';
import { asksNothing, methodIn, questionsIn } from './message-text.ts';
import type { NetworkParts, Reached } from './network-parts.ts';
import { tooLong, Wrong, type WrongAnswer } from './wrong.ts';

/** Carries exchanges. */
export class Network {
  readonly #parts: NetworkParts;
  readonly #open: Set<Exchange> = new Set();
  readonly #urls = new Map<string, URL>();
  #flows = 0;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
  }

  /** What a client fetches with. */
  fetchOf(client: Process, { isCalm = false }: { readonly isCalm?: boolean } = {}): Fetch {
    return (href, request) =>
      new Promise((resolve, reject) => {
        const flow = this.#flows++;
        const url = this.#urlOf(href);
        const exchange = new Exchange(this.#parts, { client, flow, request, url, isCalm, resolve, reject });
        this.#open.add(exchange);
        exchange.begin(() => this.#open.delete(exchange));
      });
  }

  /** The same few are asked for over and over. */
  #urlOf(href: string): URL {
    const known = this.#urls.get(href);
    if (known !== undefined) return known;
    const url = new URL(href);
    this.#urls.set(href, url);
    return url;
  }

  /** Breaks every connection there is, as a cable does that is pulled: who waits on one hears of it. */
  broken(): void {
    for (const exchange of this.#open) exchange.breaks();
  }

  /** Breaks every connection of a process that is gone. */
  gone(process: Process): void {
    for (const exchange of this.#open) if (exchange.isOf(process)) exchange.died(process);
  }
}

interface ExchangeParts {
  readonly client: Process;
  readonly flow: number;
  readonly request: FetchRequest;
  readonly url: URL;
  /** True where nothing goes wrong with it. */
  readonly isCalm: boolean;
  resolve(response: FetchResponse): void;
  reject(error: Error): void;
}

/** One request and what is answered to it. */
class Exchange implements Wire {
  readonly #network: NetworkParts;
  readonly #parts: ExchangeParts;
  readonly #misfortune: Misfortune | undefined;
  /** How many pieces of the answer pass before it is cut. */
  readonly #passes: number;
  /** What is said wrong: the answer, or something within it. */
  readonly #wrong: 'instead' | 'between' | 'taken' | undefined;
  #server: Process | undefined;
  #reply: Reply | undefined;
  #body: Incoming | undefined;
  #ended = false;
  #forget = (): void => undefined;
  /** The time before which nothing of either direction arrives: what was sent later comes later. */
  #earliest = 0;
  #delays = 0;
  #pieces = 0;
  #said = 0;
  /** The events that it had. */
  readonly #ids = new Set<string>();
  /** The time after which it has nothing to say. */
  #overAt: number | undefined;
  /** True once the answer to a request passed. */
  #isAnswered = false;

  constructor(network: NetworkParts, parts: ExchangeParts) {
    this.#network = network;
    this.#parts = parts;
    const { seed } = network;
    const goesWrong = !parts.isCalm && chance(seed, 'wrong', parts.flow) < network.trouble();
    const kind = Math.floor(chance(seed, 'how', parts.flow) * misfortunes.length);
    const misfortune = network.cutsAlone ? 'cut' : misfortunes[kind];
    this.#misfortune = goesWrong ? misfortune : undefined;
    // Streams that last are few, and what is wrong with one shows in how the next is opened.
    const isLasting = parts.request.method === 'GET' || parts.request.body?.includes('subscriptions/listen') === true;
    const often = network.wrong() * (isLasting ? 4 : 1);
    const isWrong = !parts.isCalm && chance(seed, 'said wrong', parts.flow) < often;
    this.#wrong = isWrong ? this.#howWrong() : undefined;
    this.#passes = Math.floor(chance(seed, 'passes', parts.flow) * 6) + (network.cutsAlone ? 1 : 0);
  }

  #howWrong(): 'instead' | 'between' | 'taken' {
    if (chance(this.#network.seed, 'how wrong', this.#parts.flow) < 0.5) return 'instead';
    // Of what asks nothing it is wrong to say anything but that it was taken.
    return asksNothing(this.#parts.request) ? 'taken' : 'between';
  }

  begin(forget: () => void): void {
    this.#forget = forget;
    const { world } = this.#network;
    const { client, request, flow } = this.#parts;
    if (request.signal.aborted) return this.#fail('aborted');
    request.signal.addEventListener('abort', () => this.#leave(), { once: true });
    const after = afterOf(request);
    world.note(
      `${flow} ${request.method} ${methodIn(request.body)}${after === undefined ? '' : `after ${after} `}${this.#misfortune ?? ''}${this.#wrong ?? ''}`,
    );
    this.#comesTo();
    if (this.#network.isOut()) return this.#failLater('ECONNREFUSED');
    if (this.#misfortune === 'refused' || this.#misfortune === 'not arrived') return this.#failLater('ECONNRESET');
    // The system gives up a connection that takes nothing, sooner or later.
    if (this.#misfortune === 'silent')
      return void world.later(15_000, client, () => this.#ended || this.#fail('ETIMEDOUT'));
    if (request.method === 'GET' && !this.#parts.isCalm && this.#network.isUnreadable()) return this.#unreadable();
    if (this.#wrong === 'instead') {
      const wrong = new Wrong(this.#network.seed).instead(flow, request);
      // Nobody could see through it: servers without such a stream say so in all of these ways.
      const { status, type } = wrong;
      const isDenied = (status <= 400 && type !== 'text/event-stream') || [401, 403, 404, 405].includes(status);
      if (request.method === 'GET' && isDenied) this.#network.denied?.();
      return this.#tell(() => this.#respondWrong(wrong));
    }
    const reached = this.#network.choose(client.name, flow);
    if (this.#misfortune === 'busy' || reached === undefined)
      return this.#tell(() => this.#respond(503, undefined, { 'Retry-After': '1' }));
    this.#server = reached.process;
    world.later(this.#delay(), reached.process, () => this.#arrive(reached));
  }

  #comesTo(): void {
    const { state, isOut } = this.#network;
    const begins = { misfortune: this.#misfortune, wrong: this.#wrong };
    const name = isOut() ? 'nothing reaches anybody' : stateOfBeginning(this.#parts.request, begins);
    if (name !== undefined) state(name);
  }

  isOf(process: Process): boolean {
    return this.#server === process || this.#parts.client === process;
  }

  #unreadable(): void {
    this.#network.state('no stream can be read');
    this.#tell(() => this.#respond(200, tooLong, { 'Content-Type': 'text/event-stream' }));
  }

  breaks(): void {
    if (!this.#parts.isCalm) this.#cut();
  }

  /** One of the two is gone: the other hears of it. */
  died(process: Process): void {
    if (process === this.#server) {
      this.#network.state('a connection breaks with its process');
      return this.#failLater('ECONNRESET');
    }
    this.#end();
    this.#tellServer();
  }

  #arrive({ process, handler }: Reached): void {
    if (this.#ended) return;
    if (handler === undefined) return this.#failLater('ECONNREFUSED');
    const { request, url, client } = this.#parts;
    this.#network.world.note(`${this.#parts.flow} arrives`);
    this.#network.arrived(process, request);
    this.#reply = new Reply(this);
    const { method, pathname, search } = { method: request.method, ...urlParts(url) };
    handler.handle(
      new ArrivedRequest({
        method,
        path: pathname,
        query: search,
        headers: request.headers,
        body: request.body,
        from: client.name,
      }),
      this.#reply,
    );
  }

  // What the process writes.

  head(status: number, body: string | undefined, headers: Readonly<Record<string, string>>): void {
    const shown = stateOfAnswer(status, this.#parts.request, this.#parts.url.pathname);
    if (shown !== undefined) this.#network.state(shown);
    if (status >= 400) this.#network.world.note(`${this.#parts.flow} is answered ${status} ${body ?? ''}`);
    const { request, flow, isCalm } = this.#parts;
    const after = afterOf(request);
    // Who has left may have ended its session meanwhile.
    if (status === 400 && after !== undefined && !isCalm && !this.#ended)
      this.#network.notResumed(`nothing can be taken up after ${after}, as ${flow} wants`);
    if (this.#misfortune === 'answer lost') return this.#cut();
    if (status === 202 && this.#wrong === 'taken') {
      const wrong = new Wrong(this.#network.seed).taken(flow);
      this.#tell(() => this.#respondWrong(wrong));
    } else this.#tell(() => this.#respond(status, body, headers));
    this.#over();
  }

  #opens(): void {
    const { state, writers } = this.#network;
    const after = afterOf(this.#parts.request);
    state(stateOfStream(this.#parts.request));
    const writer = after === undefined ? undefined : writers.get(streamOf(after));
    if (writer !== undefined && writer !== this.#server) state('a stream is taken up at another process');
  }

  stream(headers: Readonly<Record<string, string>>): void {
    this.#opens();
    this.#overAt = this.#network.overAt?.(this.#parts.request);
    if (this.#misfortune === 'answer lost') return this.#cut();
    this.#body = new Incoming(() => this.#leave());
    const body = this.#body;
    this.#tell(() => {
      this.#parts.resolve({ status: 200, headers: getter(headers), body });
    });
  }

  write(text: string): void {
    this.#looksForRepeats(text);
    if (this.#overAt !== undefined) this.#looksForLateWords(text, this.#overAt);
    const isLost = this.#misfortune === 'cut' || this.#misfortune === 'half open';
    if (isLost && this.#pieces++ >= this.#passes) return this.#pieces - 1 === this.#passes ? this.#cut() : undefined;
    if (/"(?:result|error)":/.test(text)) this.#isAnswered = true;
    const server = this.#server;
    this.#tell(() => {
      this.#body?.add(text);
      for (const id of questionsIn(text)) this.#isAsked(id, server);
    });
    if (this.#wrong !== 'between') return;
    const { flow, request } = this.#parts;
    const words = new Wrong(this.#network.seed).between(flow, this.#said++, request);
    this.#network.world.note(`${flow} says ${words.slice(0, 200)}`);
    this.#tell(() => this.#body?.add(words));
  }

  /** What has an id and says something is said once, and not to who has read as far: whoever waits for an answer does not see it, since answers end with the first. */
  #looksForRepeats(text: string): void {
    if (!text.includes('id: ')) return;
    const { request, flow } = this.#parts;
    const after = afterOf(request);
    for (const [, id = ''] of text.matchAll(/^id: (.+)\ndata: ./gm)) {
      if (id === after || this.#ids.has(id)) this.#network.saidTwice(`${flow} says event ${id} twice`);
      this.#ids.add(id);
      if (this.#server !== undefined && !this.#network.writers.has(streamOf(id)))
        this.#network.writers.set(streamOf(id), this.#server);
    }
  }

  /** A question of a service of several processes, whose id is its own, reaches a client once, unless nobody can know that it did: who told it is gone, or was not heard. */
  #isAsked(id: string, server: Process | undefined): void {
    const { asked, world } = this.#network;
    const before = asked.get(id);
    asked.set(id, { by: server, at: world.now });
    const isKnown = before?.by?.alive === true && before.by.stoppedWithin(before.at, world.now) === 0;
    if (isKnown) this.#network.saidTwice(`${this.#parts.flow} asks ${id} again, of ${before.at}`);
  }

  /** Who listens by a token hears nothing after its end, but what belongs to a call that runs. */
  #looksForLateWords(text: string, overAt: number): void {
    const { world } = this.#network;
    const isLate = world.now > overAt && this.#server?.stoppedWithin(overAt - 5_000, world.now) === 0;
    const isOfCall = this.#parts.url.pathname === '/sse' && !text.includes('list_changed');
    if (isLate && !isOfCall)
      this.#network.outlived?.(`${this.#parts.flow} is told ${text.slice(0, 80)} after its token`);
  }

  finish(): void {
    const { request, flow } = this.#parts;
    const isTakenUp = afterOf(request) !== undefined;
    if (isTakenUp && !this.#parts.isCalm && !this.#isAnswered && this.#misfortune === undefined && !this.#ended)
      this.#network.endedEarly(`the stream that ${flow} took up ends before its end`);
    this.#tell(() => {
      this.#body?.finish();
      this.#end();
    });
    this.#over();
  }

  destroy(): void {
    this.#failLater('terminated');
    this.#over();
  }

  /** The server has done its part. */
  #over(): void {
    this.#server = undefined;
  }

  /** The connection breaks: the client hears of it, and the process sooner or later. */
  #cut(): void {
    this.#failLater('terminated');
    this.#tellServer(this.#misfortune === 'half open' ? 20_000 : 0);
  }

  /** The client goes away. */
  #leave(): void {
    if (this.#ended) return;
    this.#fail('aborted');
    this.#tellServer();
  }

  #tellServer(moreMs = 0): void {
    const [server, reply] = [this.#server, this.#reply];
    if (server === undefined || reply === undefined) {
      // It has not arrived yet: nobody is there when it does.
      return;
    }
    this.#network.world.later(this.#delay() + moreMs, server, () => reply.broke());
  }

  #respond(status: number, body: string | undefined, headers: Readonly<Record<string, string>>): void {
    const incoming = new Incoming(() => undefined);
    if (body !== undefined) incoming.add(body);
    incoming.finish();
    this.#parts.resolve({ status, headers: getter(headers), body: incoming });
    this.#end();
  }

  #respondWrong({ status, type, body, headers, then }: WrongAnswer): void {
    this.#network.world.note(`${this.#parts.flow} is answered wrong: ${status} ${body?.slice(0, 200) ?? ''}`);
    const all = { ...headers, ...(type === undefined ? {} : { 'Content-Type': type }) };
    if (then === undefined) return this.#respond(status, body, all);
    this.#body = new Incoming(() => this.#leave());
    if (body !== undefined) this.#body.add(body);
    this.#parts.resolve({ status, headers: getter(all), body: this.#body });
    if (then === 'breaks') this.#tell(() => this.#fail('terminated'));
  }

  #failLater(words: string): void {
    this.#tell(() => this.#fail(words));
  }

  #fail(words: string): void {
    const error = new TypeError('fetch failed', { cause: Object.assign(new Error(words), { code: words }) });
    this.#parts.reject(error);
    this.#body?.fail(error);
    this.#end();
  }

  #end(): void {
    this.#ended = true;
    this.#forget();
  }

  /** Something reaches the client, in its turn. */
  #tell(run: () => void): void {
    const { world } = this.#network;
    this.#earliest = Math.max(this.#earliest, world.now + this.#delay());
    world.later(this.#earliest - world.now, this.#parts.client, () => {
      if (!this.#ended) run();
    });
  }

  #delay(): number {
    const { seed } = this.#network;
    const kind = chance(seed, 'delay', this.#parts.flow, this.#delays++);
    // Whole milliseconds: sums of others depend on their order.
    if (kind < 0.85) return Math.ceil(kind * 40);
    return Math.ceil(kind < 0.98 ? (kind - 0.85) * 3_000 : (kind - 0.98) * 150_000);
  }
}

function urlParts({ pathname, search }: URL): { readonly pathname: string; readonly search: string } {
  return { pathname, search: search.slice(1) };
}
