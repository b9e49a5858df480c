import { Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher } from 'undici';
import type { ConnectionSettings } from './connection-settings.ts';

/** Request that wants a connection, and gets it once: at once or later. */
export interface Candidate {
  start(connection: NodeConnection): void;
  /** There will be no connection. */
  fail(error: unknown): void;
}

/** The parts of undici. */
interface Parts {
  readonly Client: typeof Client;
  readonly connector: typeof buildConnector;
}

let loaded: Parts | undefined;
let loading: Promise<Parts> | undefined;

/** Loaded on the first request only. */
async function load(): Promise<Parts> {
  // What undici finds the global `fetch` to send by, it leaves there; Node sets that with the first of its classes.
  void globalThis.Headers;
  const { Client, buildConnector } = await import('undici');
  return (loaded = { Client, connector: buildConnector });
}

/** A connection carries one request at a time. */
export class NodeConnection {
  readonly #client: Client;
  readonly #origin: NodeOrigin;
  /** The socket before it is connected. The client does not have it yet. */
  #making: Socket | undefined;
  #used = false;

  /** @param connector Makes the connection, when there is something to send. */
  constructor({ Client }: Parts, connector: buildConnector.connector, origin: NodeOrigin) {
    this.#origin = origin;
    const idleTimeoutMs = Math.min(Math.max(origin.settings.idleTimeoutMs, 1), 2_147_483_647);
    this.#client = new Client(origin.url, {
      connect: (options, done) => {
        // It returns its socket at once, which its type does not show.
        const socket: unknown = connector(options, (...made) => {
          this.#making = undefined;
          done(...made);
        });
        if (socket instanceof Socket) this.#making = socket;
      },
      pipelining: 1,
      // Callers decide how long an answer may take.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleTimeoutMs,
      keepAliveMaxTimeout: idleTimeoutMs,
      keepAliveTimeoutThreshold: 1_000,
    });
    this.#client.on('connect', () => (this.#used = false));
    this.#client.on('disconnect', () => origin.disconnected(this));
  }

  /** Tells whether a response came on it before, so that the server may close it at any time. */
  get isUsed(): boolean {
    return this.#used;
  }

  /** The handler receives every failure, including a failed send. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** Frees it for the next request. */
  release(): void {
    this.#used = true;
    this.#origin.release(this);
  }

  /** Ends it, whatever it is doing. */
  destroy(): void {
    this.#origin.remove(this);
    this.#making?.destroy(new Error('the connection is not wanted any more'));
    // It reports unfinished requests to the handler.
    this.#client.destroy().catch(() => {});
  }
}

/** The connections to one origin. */
export class NodeOrigin {
  readonly url: string;
  readonly settings: ConnectionSettings;
  readonly #unused: () => void;
  readonly #all = new Set<NodeConnection>();
  /** Connections without a request. The most recently used one is used first, so that surplus ones expire. */
  readonly #idle: NodeConnection[] = [];
  readonly #waiting = new Set<Candidate>();
  #connector: buildConnector.connector | undefined;

  /** @param unused Called when the last connection has closed. */
  constructor(url: string, settings: ConnectionSettings, unused: () => void) {
    this.url = url;
    this.settings = settings;
    this.#unused = unused;
  }

  /** Starts who comes, now or when a connection is free. */
  admit(candidate: Candidate): void {
    const connection = this.#idle.pop() ?? this.#another();
    if (connection !== undefined) return candidate.start(connection);
    this.#waiting.add(candidate);
    if (loaded !== undefined) return;
    loading ??= load();
    loading.then(
      () => this.#startWaiting(),
      (error: unknown) => {
        loading = undefined;
        if (this.#waiting.delete(candidate)) candidate.fail(error);
      },
    );
  }

  /** Dismisses a candidate that has no connection yet and does not want one any more. */
  dismiss(candidate: Candidate): void {
    this.#waiting.delete(candidate);
  }

  release(connection: NodeConnection): void {
    const [next] = this.#waiting;
    if (next === undefined) return void this.#idle.push(connection);
    this.#waiting.delete(next);
    next.start(connection);
  }

  /** A busy connection reconnects itself for its remaining requests. */
  disconnected(connection: NodeConnection): void {
    if (this.#idle.includes(connection)) connection.destroy();
  }

  remove(connection: NodeConnection): void {
    if (!this.#all.delete(connection)) return;
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    this.#startWaiting();
    if (this.#all.size === 0) this.#unused();
  }

  closeIdle(): void {
    for (let next = this.#idle.pop(); next !== undefined; next = this.#idle.pop()) next.destroy();
  }

  #startWaiting(): void {
    for (const candidate of this.#waiting) {
      const connection = this.#idle.pop() ?? this.#another();
      if (connection === undefined) return;
      this.#waiting.delete(candidate);
      candidate.start(connection);
    }
  }

  #another(): NodeConnection | undefined {
    if (loaded === undefined || this.#all.size >= this.settings.maxConnections) return undefined;
    const { connectTimeoutMs, tls } = this.settings;
    // Sessions of TLS are taken up from one connection to the next.
    this.#connector ??= loaded.connector({ ...tls, timeout: connectTimeoutMs });
    const connection = new NodeConnection(loaded, this.#connector, this);
    this.#all.add(connection);
    return connection;
  }
}
