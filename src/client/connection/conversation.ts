import type { ConnectionError } from '../../jsonrpc/transport.ts';
import { createCaller, type Caller, type RequestOptions } from './caller.ts';
import { gate } from '../../peer/gate.ts';
import type { Agreement } from './negotiate.ts';
import type { JsonObject } from '../../peer/waiting.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { Revision } from '../../protocol/revision.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import { guardedListener, type Failed } from '../listeners.ts';
import type { ClientSettings } from '../options.ts';

/** One conversation of a session: from its opening until it is lost. */
export class Conversation {
  readonly agreement: Agreement;
  readonly caller: Caller;
  /** Whether the server itself said what it speaks; until then a stored verdict is believed. */
  confirmed: boolean;
  /** Why it is over; the next request opens another one. */
  lost: ConnectionError | undefined;
  readonly #over = new AbortController();
  readonly #failed: Failed;
  #running = 0;

  constructor(agreement: Agreement, settings: ClientSettings) {
    const { timeoutMs, maxTotalTimeoutMs } = settings;
    const { revision, calls, confirmed } = agreement;
    this.agreement = agreement;
    this.#failed = settings.failed;
    this.confirmed = confirmed;
    this.lost = calls.ended;
    this.caller = createCaller(calls, {
      revision,
      self: () => settings,
      timeoutMs,
      maxTotalTimeoutMs,
      budget: settings,
      answered: () => (this.confirmed = true),
    });
  }

  get revision(): Revision {
    return this.agreement.revision;
  }

  /** Aborted when nobody waits any more for answers in it. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Whether any request waits for its answer. */
  get busy(): boolean {
    return this.#running > 0;
  }

  /** Ends it: what waits in it is rejected, and what is being answered is given up. */
  async end(error: ConnectionError): Promise<void> {
    this.#over.abort(error);
    await this.agreement.calls.close();
  }

  /**
   * Sends a request in the words of the revision.
   *
   * @throws McpError methodNotFound, before anything is sent, when the revision or the server lacks the method.
   */
  request(method: string, params: JsonObject | undefined, options?: RequestOptions): Promise<JsonObject> {
    let projected: JsonObject | undefined;
    try {
      projected = this.#project(method, params);
    } catch (error) {
      // What `gate` and `toWire` throw is an error.
      return Promise.reject(error as Error);
    }
    this.#running++;
    return this.caller.request(method, projected, options && this.#guarded(options)).finally(() => this.#running--);
  }

  /** The options of a request with listeners whose failures end nothing. */
  #guarded(options: RequestOptions): RequestOptions {
    const { onProgress, onGivenUp, onLateAnswer } = options;
    if ((onProgress ?? onGivenUp ?? onLateAnswer) === undefined) return options;
    return {
      ...options,
      onProgress: onProgress && guardedListener('onProgress', onProgress, this.#failed),
      onGivenUp: onGivenUp && guardedListener('onGivenUp', onGivenUp, this.#failed),
      onLateAnswer: onLateAnswer && guardedListener('onLateAnswer', onLateAnswer, this.#failed),
    };
  }

  #project(method: string, params: JsonObject | undefined): JsonObject | undefined {
    const row = methodOf(method);
    if (row === undefined) return params;
    gate(method, this.revision, this.agreement.capabilities);
    // The row of a method says the type of its params.
    return row.params === undefined || params === undefined
      ? params
      : toWire(this.revision, row.params, params as never);
  }
}
