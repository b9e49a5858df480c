import type { Client } from '../client/client.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import type { Call } from '../peer/call.ts';
import type { JsonObject } from '../protocol/common.ts';
import { McpError } from '../protocol/error.ts';
import type { LoggingLevel, LoggingMessageNotificationParams } from '../protocol/logging.ts';
import { revisionOf } from '../protocol/revision.ts';
import { forward } from './forward.ts';

/** What an upstream connection hears beside answers. */
export interface UpstreamEvents {
  onLog(message: LoggingMessageNotificationParams): void;
  onNotification(method: string, params: JsonObject): void;
}

/** Opens a client to the upstream server. */
export type OpenClient = (events: UpstreamEvents) => Promise<Client>;

/** One connection to the upstream server for one downstream client; opened when first needed, and again after it failed. */
export class Upstream {
  readonly #open: OpenClient;
  readonly #events: Omit<UpstreamEvents, 'onLog'>;
  readonly #running = new Set<Call>();
  #client: Promise<Client> | undefined;
  #level: LoggingLevel | undefined;
  #closed = false;
  /** Hears log messages when they cannot be tied to one running call. */
  readonly #onLog: (message: LoggingMessageNotificationParams) => void;

  constructor(open: OpenClient, events: UpstreamEvents) {
    this.#open = open;
    this.#events = events;
    this.#onLog = (message) => events.onLog(message);
  }

  /** How many calls run on it now. */
  get running(): number {
    return this.#running.size;
  }

  /** Carries one request; a connection that failed is opened again for the next one. */
  async carry(params: JsonObject, call: Call): Promise<JsonObject> {
    const client = await this.client();
    await this.#adjustLevel(client, call.logLevel);
    if (call.aborted) throw new McpError('internalError', 'the request was cancelled');
    this.#running.add(call);
    try {
      return await forward(client, params, call);
    } finally {
      this.#running.delete(call);
    }
  }

  /** Sets the level of the session upstream, where it has one. */
  async setLevel(level: LoggingLevel | undefined): Promise<void> {
    await this.#adjustLevel(await this.client(), level);
  }

  /** The open client. */
  async client(): Promise<Client> {
    if (this.#closed) throw new McpError('internalError', 'the bridge is closed');
    this.#client ??= this.#connect();
    try {
      return await this.#client;
    } catch (error) {
      this.#client = undefined;
      const why = error instanceof ConnectionError || error instanceof McpError ? error.message : 'it could not be reached';
      throw new McpError('internalError', `the upstream server failed: ${why}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  async #connect(): Promise<Client> {
    const client = await this.#open({ onLog: (message) => this.#heard(message), onNotification: (method, params) => this.#events.onNotification(method, params) });
    void client.closed.then(() => {
      this.#client = undefined;
      this.#level = undefined;
    });
    return client;
  }

  /** A session has one level; it follows what the downstream client wants now. */
  async #adjustLevel(client: Client, level: LoggingLevel | undefined): Promise<void> {
    if (level === undefined || level === this.#level || client.capabilities.logging === undefined) return;
    if (revisionOf(client.revision)?.logging === 'request') return;
    this.#level = level;
    await client.setLogLevel(level);
  }

  /** A log message names no request: the only running call takes it, else the conversation as a whole. */
  #heard(message: LoggingMessageNotificationParams): void {
    const [call, another] = this.#running;
    if (call === undefined || another !== undefined) this.#onLog(message);
    else if (call.admits(message.level)) call.send('notifications/message', { ...message });
  }
}
