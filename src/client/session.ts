import { ConnectionError, type Transport } from '../jsonrpc/transport.ts';
import { createCaller, type Caller, type RequestOptions } from '../peer/caller.ts';
import { serverInfoOf } from '../peer/discover.ts';
import { gate } from '../peer/gate.ts';
import { negotiate, type Agreement, type Verdict } from '../peer/negotiate.ts';
import type { JsonObject } from '../peer/waiting.ts';
import type { ServerCapabilities } from '../protocol/capability.ts';
import type { Implementation } from '../protocol/common.ts';
import { McpError } from '../protocol/error.ts';
import type { LoggingLevel } from '../protocol/logging-level.ts';
import { maySend, methodOf } from '../protocol/method.ts';
import type { Revision } from '../protocol/revision.ts';
import { toWire } from '../protocol/to-wire.ts';
import { createInbound, type InboundHandler } from './inbound.ts';
import type { ClientSettings } from './options.ts';
import type { Verdicts } from './verdicts.ts';

/** What a session needs beside the options of its user. */
export interface SessionOptions {
  readonly transport: Transport;
  readonly settings: ClientSettings;
  readonly verdicts: Verdicts;
  readonly handlers: ReadonlyMap<string, InboundHandler>;
}

/**
 * A settled conversation with a server that lives as long as the client does. Where it rests on a stored verdict
 * that the first answer disproves, it is settled anew.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #closers = new Set<(error: ConnectionError) => void>();
  #agreement: Agreement | undefined;
  #caller: Caller | undefined;
  #server: Implementation | undefined;
  #confirmed = false;
  #renewal: Promise<boolean> | undefined;
  #ended: ConnectionError | undefined;
  #closing = false;
  /** Resolves when the connection ended: with why, or with nothing when it was closed here. */
  readonly closed: Promise<ConnectionError | undefined>;
  readonly #resolveClosed: (error: ConnectionError | undefined) => void;

  private constructor(options: SessionOptions) {
    this.#options = options;
    let resolveClosed!: (error: ConnectionError | undefined) => void;
    this.closed = new Promise((resolve) => (resolveClosed = resolve));
    this.#resolveClosed = resolveClosed;
  }

  /** Connects; the errors are those of `negotiate`. */
  static async open(options: SessionOptions): Promise<Session> {
    const session = new Session(options);
    const { settings, transport, verdicts } = options;
    await session.#settle(settings.prior ?? verdicts.of(transport, settings.now()));
    return session;
  }

  get revision(): Revision {
    return this.#settled.revision;
  }

  get capabilities(): ServerCapabilities {
    return this.#settled.capabilities;
  }

  get server(): Implementation | undefined {
    return this.#server;
  }

  get instructions(): string | undefined {
    return this.#settled.instructions;
  }

  get verdict(): Verdict {
    return this.#settled.verdict;
  }

  /** The level that each request asks for, where requests say so. */
  set logLevel(level: LoggingLevel | undefined) {
    if (this.#caller !== undefined) this.#caller.logLevel = level;
  }

  /**
   * Sends a request in the words of the settled revision.
   *
   * @param params In the canonical model for methods of the protocol, else as they go on the wire.
   * @returns The result as it came.
   * @throws McpError methodNotFound, before anything is sent, when the revision or the server lacks the method.
   */
  async request(
    method: string,
    params: JsonObject | undefined,
    options: RequestOptions | undefined,
  ): Promise<JsonObject> {
    const caller = this.#ready();
    const believed = !this.#confirmed;
    try {
      const result = await caller.request(method, this.#project(method, params), options);
      if (caller.revision.era === 'stateless') this.#server = serverInfoOf(result) ?? this.#server;
      this.#confirmed = true;
      return result;
    } catch (error) {
      if (!believed || !disproves(error) || !(await this.#renew(caller.revision))) throw error;
      return await this.#ready().request(method, this.#project(method, params), options);
    }
  }

  /** Sends a notification in the words of the settled revision. */
  async notify(method: string, params: JsonObject | undefined): Promise<void> {
    const caller = this.#ready();
    const row = methodOf(method);
    if (row !== undefined && !maySend('client', row, caller.revision)) {
      throw new McpError('methodNotFound', `${method} is no notification of a client in ${caller.revision.date}`);
    }
    // The row of a method says the type of its params.
    await caller.notify(
      method,
      row?.params === undefined || params === undefined ? params : toWire(caller.revision, row.params, params as never),
    );
  }

  /** Calls a listener when the connection ends from the other side. */
  onClose(listener: (error: ConnectionError) => void): () => void {
    this.#closers.add(listener);
    return () => void this.#closers.delete(listener);
  }

  /** Ends the connection; what waits is rejected. Closing twice is fine. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#ended ??= new ConnectionError('closed', 'the client was closed');
    await this.#agreement?.calls.close();
    this.#resolveClosed(undefined);
  }

  get #settled(): Agreement {
    // `open` hands a session out only after it was settled.
    return this.#agreement as Agreement;
  }

  #ready(): Caller {
    if (this.#ended !== undefined) throw this.#ended;
    // As above.
    return this.#caller as Caller;
  }

  #project(method: string, params: JsonObject | undefined): JsonObject | undefined {
    const row = methodOf(method);
    if (row === undefined) return params;
    gate(method, this.revision, this.capabilities);
    // The row of a method says the type of its params.
    return row.params === undefined || params === undefined
      ? params
      : toWire(this.revision, row.params, params as never);
  }

  async #settle(prior: Verdict | undefined): Promise<void> {
    const { transport, settings, verdicts, handlers } = this.#options;
    const settled: { agreement?: Agreement } = {};
    const agreement = await negotiate({
      ...settings,
      transport,
      prior,
      self: () => settings,
      inbound: createInbound({
        revision: () => settled.agreement?.revision,
        ended: (error) => settled.agreement !== undefined && this.#lost(settled.agreement, error),
        settings,
        handlers,
      }),
    });
    settled.agreement = agreement;
    this.#agreement = agreement;
    this.#server = agreement.server;
    this.#confirmed = agreement.confirmed;
    const { timeoutMs, maxTotalTimeoutMs } = settings;
    this.#caller = createCaller(agreement.calls, {
      revision: agreement.revision,
      self: () => settings,
      timeoutMs,
      maxTotalTimeoutMs,
    });
    if (agreement.confirmed) verdicts.remember(transport, agreement.verdict);
    if (agreement.calls.ended !== undefined) this.#lost(agreement, agreement.calls.ended);
  }

  /** Asks the server after all; gives whether it speaks something else than was believed. */
  async #renew(believed: Revision): Promise<boolean> {
    if (this.#confirmed && this.#renewal === undefined) return false;
    this.#renewal ??= this.#settleAnew(believed);
    return await this.#renewal;
  }

  async #settleAnew(believed: Revision): Promise<boolean> {
    await this.#settled.calls.close();
    try {
      await this.#settle(undefined);
    } catch (error) {
      this.#ended ??= new ConnectionError(
        'closed',
        'the server is not what was remembered of it, and connecting anew failed',
        { cause: error },
      );
      throw error;
    }
    return this.revision !== believed;
  }

  #lost(agreement: Agreement, error: ConnectionError): void {
    if (this.#closing || this.#agreement !== agreement || this.#ended !== undefined) return;
    this.#ended = error;
    this.#resolveClosed(error);
    for (const closer of [this.#options.settings.onClose, ...this.#closers]) closer?.(error);
  }
}

/** Failures of the first request that an older server would answer with. */
function disproves(error: unknown): boolean {
  if (error instanceof McpError) return true;
  if (!(error instanceof ConnectionError)) return false;
  const { reason, status = 0 } = error;
  return reason === 'invalid-message' || (reason === 'http' && status >= 400 && status < 500);
}
