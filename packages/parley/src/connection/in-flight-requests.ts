import { isRequestId, type RequestId } from '../jsonrpc/message.ts';

/** A request of the peer that runs here. */
export interface RunningRequest {
  /** The JSON-RPC id that the peer gave it. */
  readonly requestId: RequestId;
  /** Ends it early: its answer is no longer awaited. */
  abort(reason?: unknown): void;
}

/**
 * The requests of the peer that run, by their ids. Most connections have one at a time, which needs no table.
 *
 * A request that was cancelled counts until its handler has ended, and holds its id as long as the end wants it to.
 */
export class InFlightRequests<Run extends RunningRequest> {
  readonly #most: number;
  #lone: Run | undefined;
  #more: Map<RequestId, Run> | undefined;
  #count = 0;

  /** @param most How many may run at once. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Number of requests that hold their ids. */
  get size(): number {
    return this.#more?.size ?? (this.#lone === undefined ? 0 : 1);
  }

  /** Number of handlers that run, those of cancelled requests among them. */
  get count(): number {
    return this.#count;
  }

  get(id: RequestId): Run | undefined {
    if (this.#more !== undefined) return this.#more.get(id);
    return this.#lone?.requestId === id ? this.#lone : undefined;
  }

  /** Reason why a request is not run: its id is that of one that runs, or there are too many. */
  obstacle(id: RequestId): 'duplicate' | 'busy' | undefined {
    if (this.get(id) !== undefined) return 'duplicate';
    return this.#count >= this.#most ? 'busy' : undefined;
  }

  add(run: Run): void {
    this.#count++;
    if (this.#lone === undefined && this.#more === undefined) {
      this.#lone = run;
      return;
    }
    this.#more ??= new Map(this.all().map((one) => [one.requestId, one]));
    this.#more.set(run.requestId, run);
    this.#lone = undefined;
  }

  /** Gives the id of a request back before its handler has ended; it may already belong to a later one. */
  free(run: Run): void {
    if (this.#lone === run) this.#lone = undefined;
    else if (this.#more?.get(run.requestId) === run) this.#more.delete(run.requestId);
  }

  /** Removes a request whose handler has ended. Call it once for each one added. */
  forget(run: Run): void {
    this.#count--;
    this.free(run);
  }

  /** Those that hold their ids, the oldest first. */
  all(): Run[] {
    return this.#more !== undefined ? [...this.#more.values()] : this.#lone === undefined ? [] : [this.#lone];
  }

  /**
   * Aborts a request when the peer sends `notifications/cancelled`. Unknown and answered ones are ignored: the messages
   * may have crossed. (Spec, Cancellation.)
   */
  cancelled(params: Readonly<Record<string, unknown>> | undefined): void {
    const id = params?.['requestId'];
    if (isRequestId(id)) this.get(id)?.abort(params?.['reason']);
  }

  /** Aborts all of them, and gives their ids back. */
  end(reason?: unknown): void {
    for (const run of this.all()) run.abort(reason);
    this.#lone = undefined;
    this.#more = undefined;
  }
}
