/** A small service by hand, of one process or of several that share a store, and each exchange with it: who talks to it says when anything happens. */

import { createHttpHandler, type HttpHandler } from '../../../packages/parley/src/transports/http/server/handler.ts';
import type { HttpOptions } from '../../../packages/parley/src/http.ts';
import {
  createServer,
  type ToolContext,
  type Server,
  type ServerOptions,
} from '../../../packages/parley/src/server.ts';
import { memoryStore } from '../../../packages/parley/src/storage/memory/store.ts';
import { StoreError, type Store } from '../../../packages/parley/src/storage/store.ts';
import type { Process } from '../world.ts';
import { ArrivedRequest, Reply, type Wire } from './exchange.ts';
import type { GuestParts, Headers } from './raw.ts';

/** What happens before a command of the store is done: it may take its time, do something else, or fail. */
export type Before = (...given: readonly unknown[]) => unknown;

/** One exchange. */
export class Visit implements Wire {
  status: number | undefined;
  text = '';
  isOver = false;
  isCut = false;
  buffered = 0;
  /** True where writing to it throws. */
  isBroken = false;
  session: string | undefined;
  readonly reply: Reply = new Reply(this);

  head(status: number, body: string | undefined, headers: Headers): void {
    this.status = status;
    this.text = body ?? '';
    this.isOver = true;
    this.session = headers['Mcp-Session-Id'];
  }

  stream(headers: Headers): void {
    this.status = 200;
    this.session = headers['Mcp-Session-Id'];
  }

  write(text: string): void {
    if (this.isBroken) throw new Error('the reply is broken');
    this.text += text;
  }

  finish(): void {
    this.isOver = true;
  }

  destroy(): void {
    this.isOver = true;
    this.isCut = true;
  }

  /** The client goes away. */
  leave(): void {
    this.isOver = true;
    this.reply.broke();
  }

  /** The places of its events, in their order. */
  get ids(): readonly string[] {
    return [...this.text.matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id);
  }
}

/** How a shop is made. */
export interface ShopOptions {
  readonly nodes?: number;
  readonly http?: HttpOptions;
  readonly server?: ServerOptions;
  readonly revision?: string;
}

interface Node {
  readonly server: Server;
  readonly handler: HttpHandler;
  /** By the name of the command, such as `records.get`. */
  readonly before: Map<string, Before>;
}

/** The service, with one client. */
export class Shop {
  readonly nodes: readonly Node[];
  readonly store: Store = memoryStore();
  readonly #process: Process;
  readonly #parts: GuestParts;
  readonly #clientSession: string;
  readonly #revision: string;
  /** Lets go of the tool that waits. */
  #release: (() => void)[] = [];
  session: string | undefined;
  #ids = 0;

  constructor(process: Process, parts: GuestParts, clientSession: string, options: ShopOptions = {}) {
    const { nodes = 1, revision = '2025-11-25', http = {}, server = {} } = options;
    this.#process = process;
    this.#parts = parts;
    this.#clientSession = clientSession;
    this.#revision = revision;
    this.nodes = Array.from({ length: nodes }, () => {
      const before = new Map<string, Before>();
      const store = nodes === 1 ? {} : { store: hooked(this.store, before) };
      const made = createServer(
        { name: 'shop', version: '1' },
        { onError: () => undefined, rounds: { keys: [new Uint8Array(32).fill(7)] }, ...store, ...server },
      );
      this.#stock(made);
      const settings = { path: '/mcp', retryMs: 100, onError: () => undefined, ...http };
      return { server: made, handler: createHttpHandler(made, settings), before };
    });
  }

  #stock(server: Server): void {
    const waits = async (ctx: Pick<ToolContext, 'progress'>): Promise<string> => {
      ctx.progress(1, 3);
      await new Promise<void>((resolve) => this.#release.push(resolve));
      ctx.progress(2, 3);
      return 'waited';
    };
    server.tool('waits', {}, async (_, ctx) => await waits(ctx));
    server.tool('pours', {}, async (_, ctx) => {
      for (let at = 1; at <= 20; at++) {
        ctx.progress(at, 20, '.'.repeat(300));
        await this.sleep(60);
      }
      return 'poured';
    });
    server.tool('says', {}, (_, ctx) => {
      ctx.progress(1, 1);
      return 'said';
    });
    server.tool('asks', {}, async (_, ctx) => {
      const text = { role: 'user', content: { type: 'text', text: 'who?' } } as const;
      await ctx.sample({ messages: [text], maxTokens: 9 }).catch(() => undefined);
      return 'asked';
    });
    server.resource('news://shop', { name: 'news' }, () => 'new');
  }

  /** Opens a session at the first process. */
  async open(more: Headers = {}): Promise<string> {
    const capabilities = { sampling: {} };
    const params = { protocolVersion: this.#revision, capabilities, clientInfo: { name: 'hand', version: '1' } };
    const opened = await this.ask('initialize', params, { headers: more });
    this.session = opened.session;
    await this.done(this.send(0, 'POST', { method: 'notifications/initialized' }, more));
    return opened.session ?? '';
  }

  /** Sends something to a process. */
  send(node: number, method: string, body: unknown, more: Headers = {}): Visit {
    const visit = new Visit();
    const version: Headers = this.session === undefined ? {} : { 'mcp-protocol-version': this.#revision };
    const known: Headers = this.session === undefined ? {} : { 'mcp-session-id': this.session };
    const always = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const all = Object.entries({ ...always, ...version, ...known, ...more }).filter(([, value]) => value !== '');
    const text = typeof body === 'string' ? body : Array.isArray(body) ? JSON.stringify(body) : messageOf(body);
    this.nodes[node]?.handler.handle(
      new ArrivedRequest({ method, path: '/mcp', query: '', headers: Object.fromEntries(all), body: text, from: 'x' }),
      visit.reply,
    );
    return visit;
  }

  /** A call of a tool, whose first words may be waited for. */
  call(node: number, name: string, more: Headers = {}): Visit {
    const params = { name, arguments: {}, _meta: { progressToken: `p${this.#ids}` } };
    return this.send(node, 'POST', { id: `s${++this.#ids}`, method: 'tools/call', params }, more);
  }

  /** Sends a request, and waits for all of the answer. */
  async ask(
    method: string,
    params: object,
    { node = 0, headers = {} }: { readonly node?: number; readonly headers?: Headers } = {},
  ): Promise<Visit> {
    return await this.done(this.send(node, 'POST', { id: `s${++this.#ids}`, method, params }, headers));
  }

  listen(node: number, lastEventId?: string): Visit {
    return this.send(node, 'GET', undefined, lastEventId === undefined ? {} : { 'last-event-id': lastEventId });
  }

  /** Waits until an exchange is over, for half a minute at most. */
  async done(visit: Visit): Promise<Visit> {
    return await this.until(visit, () => visit.isOver, 'its end');
  }

  async until(visit: Visit, isSo: () => boolean, what: string): Promise<Visit> {
    for (let tries = 0; tries < 600 && !isSo(); tries++) await this.sleep(50);
    if (!isSo()) this.violated(`waits for ${what} in vain: ${visit.status} ${visit.text.slice(-300)}`);
    return visit;
  }

  /** Lets the tools go on that wait. */
  goOn(): void {
    for (const release of this.#release.splice(0)) release();
  }

  async close(): Promise<void> {
    this.goOn();
    await Promise.all(this.nodes.map(async ({ handler }) => await handler.close({ drainTimeoutMs: 0 })));
    await Promise.all(this.nodes.map(async ({ server }) => await server.close()));
  }

  expect(what: string, isSo: boolean, visit?: Visit): void {
    if (!isSo) this.violated(`is not so: ${what}${visit ? ` (${visit.status} ${visit.text.slice(-400)})` : ''}`);
  }

  violated(words: string): void {
    this.#parts.judge.violated(`${this.#process.name} ${words}, at ${this.#clientSession}`);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#parts.world.later(ms, this.#process, resolve));
  }
}

/** What a store says that is away, or full. */
export const isAway: Before = () => {
  throw new StoreError('unavailable', 'no answer came');
};
export const isFull: Before = () => {
  throw new StoreError('full', 'there is no room');
};

function messageOf(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify({ jsonrpc: '2.0', ...(body as object) });
}

/** The store as one process has it. */
function hooked(store: Store, before: ReadonlyMap<string, Before>): Store {
  const asked = async <T>(name: string, given: readonly unknown[], run: () => T): Promise<Awaited<T>> => {
    await before.get(name)?.(...given);
    return await run();
  };
  const { records, events, limits, bus } = store;
  return {
    shared: true,
    records: {
      add: (...given) => asked('records.add', given, () => records.add(...given)),
      get: (...given) => asked('records.get', given, () => records.get(...given)),
      put: (...given) => asked('records.put', given, () => records.put(...given)),
      touch: (...given) => asked('records.touch', given, () => records.touch(...given)),
      delete: (...given) => asked('records.delete', given, () => records.delete(...given)),
    },
    events: {
      open: (session) => {
        const log = events.open(session);
        return {
          write: async (...given) => {
            const writer = await asked('write', given, () => log.write(...given));
            return {
              get mark() {
                return writer.mark;
              },
              append: (...more) => asked('append', more, () => writer.append(...more)),
            };
          },
          read: (...given) => asked('read', given, () => log.read(...given)),
          clear: () => asked('clear', [], () => log.clear()),
        };
      },
    },
    limits: { take: (...given) => asked('limits.take', given, () => limits.take(...given)) },
    bus: {
      publish: (...given) => asked('publish', given, () => bus.publish(...given)),
      subscribe: (...given) => asked('subscribe', given, () => bus.subscribe(...given)),
    },
    check: () => undefined,
    close: () => undefined,
  };
}
