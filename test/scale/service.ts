/** A service of several processes over one store, behind a balancer that knows nothing of sessions; all of it in this process. */

import type { TestContext } from 'node:test';
import { createBridge, type Bridge, type BridgeOptions } from '../../packages/parley/src/bridge.ts';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import { createHandler, type FetchHandler, type HttpOptions } from '../../packages/parley/src/http.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import { StoreError, type Store } from '../../packages/parley/src/storage/store.ts';
import type { StreamLog } from '../../packages/parley/src/storage/stream-log.ts';

export const url = 'http://127.0.0.1/mcp';

/** One process of a service. */
export interface Node<Made = Server> {
  readonly server: Made;
  readonly handler: FetchHandler;
  /** Ends it as `kill -9` does: its connections break, and nothing of it is heard of again. */
  crash(): void;
  /** Cuts it off from its store, or connects it again. */
  away(isAway: boolean): void;
  /** Lets commands of one name wait, or their answers alone, when they are done. */
  hold(command: string, part?: 'whole' | 'answer'): Held;
  /** Has commands of one name fail once they are done, as where their answers are lost. */
  failAfter(command: string): void;
}

/** Commands that wait. */
export interface Held {
  /** Resolves when the first one is given. */
  readonly reached: Promise<void>;
  release(): void;
}

/** A service, and the way to it. */
export interface Service<Made = Server> {
  readonly nodes: readonly Node<Made>[];
  readonly errors: readonly Error[];
  /** Goes to the processes in turn. */
  readonly fetch: typeof fetch;
  /** Goes to one process alone. */
  to(node: number): typeof fetch;
  /** Requests so far: what was asked, where, and the status. */
  readonly log: readonly { readonly method: string; readonly node: number; readonly status: number }[];
  /** Number of commands that the processes gave the store. */
  commands(): number;
}

/** Options of a service. */
export interface ServiceOptions {
  readonly nodes?: number;
  /** Gives each process its way to the store; one in memory, which all of them have, by default. */
  readonly storeOf?: () => Store;
  /** Makes the store take its time, as one over a network does. */
  readonly isRemote?: boolean;
  readonly http?: HttpOptions;
}

/** What the processes of a service are made with. */
export interface NodeParts {
  readonly store: Store;
  readonly rounds: { readonly keys: readonly Uint8Array[] };
  readonly onError: (error: unknown) => void;
}

/** Starts a service, each process of which has the same definition. */
export function startService(
  t: TestContext,
  define: (server: Server, node: number) => void,
  options: ServiceOptions = {},
): Service<Server> {
  return serviceOf(t, linesOf(options), options, (parts, at) => {
    const server = createServer({ name: 'service', version: '1.0.0' }, parts);
    define(server, at);
    return server;
  });
}

/** Starts a service of bridges, each of which reaches what is behind it in the same way. */
export async function startBridges(
  t: TestContext,
  upstream: () => BridgeOptions['upstream'],
  options: ServiceOptions & { readonly bridge?: Partial<BridgeOptions> } = {},
): Promise<Service<Bridge>> {
  const lines = linesOf(options);
  const bridges = await Promise.all(
    lines.map(({ parts }) =>
      createBridge({ upstream: upstream(), onWarning: () => undefined, ...parts, ...options.bridge }),
    ),
  );
  return serviceOf(t, lines, options, (_, at) => bridges[at] as Bridge);
}

interface NodeLine extends Line {
  readonly own: Store;
  readonly parts: NodeParts;
  readonly errors: Error[];
  readonly isSame: boolean;
  commands(): number;
}

function linesOf({ nodes: count = 2, storeOf, isRemote = true }: ServiceOptions): NodeLine[] {
  const inMemory: Store = { ...memoryStore(), shared: true };
  const errors: Error[] = [];
  let commands = 0;
  return Array.from({ length: count }, () => {
    const own = storeOf?.() ?? inMemory;
    const line = lineTo(own, isRemote, () => commands++);
    const parts: NodeParts = {
      store: line.store,
      rounds: { keys: [new Uint8Array(32).fill(7)] },
      onError: (error) => errors.push(error as Error),
    };
    return { ...line, own, parts, errors, isSame: own === inMemory, commands: () => commands };
  });
}

function serviceOf<Made extends Servable & { close(): Promise<void> }>(
  t: TestContext,
  lines: readonly NodeLine[],
  { http = {} }: ServiceOptions,
  make: (parts: NodeParts, at: number) => Made,
): Service<Made> {
  const errors = lines[0]?.errors ?? [];
  const log: { method: string; node: number; status: number }[] = [];
  const nodes = lines.map((line, at) => {
    const server = make(line.parts, at);
    const handler = createHandler(server, { drainTimeoutMs: 0, onError: (error) => errors.push(error), ...http });
    const breaking = new AbortController();
    const crash = (): void => {
      line.away(true);
      line.end();
      breaking.abort();
    };
    return { server, handler, crash, away: line.away, hold: line.hold, failAfter: line.failAfter, breaking };
  });
  t.after(async () => {
    for (const { handler, server, breaking } of nodes) {
      if (!breaking.signal.aborted) {
        await handler.close();
        await server.close();
      }
    }
    for (const { own, isSame } of lines) if (!isSame) await own.close();
  });
  const to =
    (at: number): typeof fetch =>
    async (input, init) => {
      const node = nodes[at % nodes.length];
      if (node === undefined || node.breaking.signal.aborted) throw new TypeError('connection refused');
      const request = new Request(input, init);
      const response = await broken(node.handler(request), node.breaking.signal);
      log.push({ method: request.method, node: at % nodes.length, status: response.status });
      return response;
    };
  let turn = 0;
  const next = (): number => {
    do turn++;
    while (nodes[turn % nodes.length]?.breaking.signal.aborted === true && turn < 1e6);
    return turn;
  };
  const commands = (): number => lines[0]?.commands() ?? 0;
  return { nodes, errors, log, to, commands, fetch: (input, init) => to(next())(input, init) };
}

/** A response that breaks off when its process ends. */
async function broken(answered: Promise<Response>, signal: AbortSignal): Promise<Response> {
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new TypeError('connection reset')), { once: true });
  });
  ended.catch(() => undefined);
  const response = await Promise.race([answered, ended]);
  if (response.body === null) return response;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  response.body.pipeTo(writable, { signal }).catch(() => undefined);
  return new Response(readable, { status: response.status, headers: response.headers });
}

interface Line {
  readonly store: Store;
  away(isAway: boolean): void;
  hold(command: string, part?: 'whole' | 'answer'): Held;
  failAfter(command: string): void;
  end(): void;
}

/** The store as one process reaches it. */
function lineTo(store: Store, isRemote: boolean, count: () => void): Line {
  let isAway = false;
  let arrived: Promise<void> = Promise.resolve();
  let answered: Promise<void> = Promise.resolve();
  const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.random() ** 3 * 12));
  const ends = new Set<() => unknown>();
  type Waiting = { readonly command: string; readonly wait: () => Promise<void> };
  let failing: string | undefined;
  let held: Waiting | undefined;
  let unanswered: Waiting | undefined;
  const call = async <T>(run: () => T | PromiseLike<T>, command = ''): Promise<T> => {
    count();
    if (held?.command === command) await held.wait();
    // Commands of one process arrive in the order in which it gave them, each after a time of its own.
    if (isRemote) await (arrived = arrived.then(later));
    if (isAway) throw new StoreError('unavailable', 'the store cannot be reached');
    const done = (async () => await run())();
    done.catch(() => undefined);
    // So do their answers, while others see already what was done.
    if (isRemote) await (answered = answered.then(later));
    if (unanswered?.command === command) await unanswered.wait();
    if (failing === command) {
      await done;
      throw new StoreError('unavailable', 'the store did not answer in time');
    }
    return await done;
  };
  const through = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (_, name) => {
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function'
          ? (...given: unknown[]) => call(() => value.apply(target, given), String(name))
          : value;
      },
    });
  const line: Store = {
    ...store,
    records: through(store.records),
    limits: through(store.limits),
    events: {
      open: (session) => {
        const log = store.events.open(session);
        const opened: StreamLog = {
          read: (stream, after) => call(() => log.read(stream, after)),
          clear: () => call(() => log.clear()),
          write: (stream, about, mark) => call(async () => through(await log.write(stream, about, mark)), 'write'),
        };
        return opened;
      },
    },
    bus: {
      publish: (channel, text) => call(() => store.bus.publish(channel, text)),
      subscribe: (channel, hear, onGap) =>
        call(async () => {
          const end = await store.bus.subscribe(channel, (text) => void (isAway || hear(text)), onGap);
          ends.add(end);
          return () => {
            ends.delete(end);
            return end();
          };
        }),
    },
  };
  const away = (now: boolean): void => {
    isAway = now;
  };
  const hold = (command: string, part: 'whole' | 'answer' = 'whole'): Held => {
    let release = (): void => undefined;
    let arrive = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const reached = new Promise<void>((resolve) => (arrive = resolve));
    const wait = (): Promise<void> => {
      arrive();
      return released;
    };
    if (part === 'whole') held = { command, wait };
    else unanswered = { command, wait };
    return { reached, release };
  };
  const failAfter = (command: string): void => {
    failing = command;
  };
  return { store: line, away, hold, failAfter, end: () => ends.forEach((end) => end()) };
}
