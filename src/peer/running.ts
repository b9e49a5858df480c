import type { RequestId } from '../jsonrpc/message.ts';

/** A request of the peer that runs here. */
export interface RunningRequest {
  /** The JSON-RPC id that the peer gave it. */
  readonly requestId: RequestId;
  /** Ends it early: nobody waits for its answer any more. */
  abort(reason?: unknown): void;
}

/**
 * The requests of the peer that run, by their ids. Most connections have one at a time, which needs no table.
 *
 * A request that was cancelled counts until its handler has ended, and holds its id as long as the end wants it to.
 */
export class Running<Run extends RunningRequest> {
  #lone: Run | undefined;
  #more: Map<RequestId, Run> | undefined;
  #count = 0;

  /** How many hold their ids. */
  get size(): number {
    return this.#more?.size ?? (this.#lone === undefined ? 0 : 1);
  }

  /** How many handlers run, those of cancelled requests among them. */
  get count(): number {
    return this.#count;
  }

  get(id: RequestId): Run | undefined {
    if (this.#more !== undefined) return this.#more.get(id);
    return this.#lone?.requestId === id ? this.#lone : undefined;
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

  /** Forgets a request whose handler has ended. Once for each that was added. */
  forget(run: Run): void {
    this.#count--;
    this.free(run);
  }

  /** Those that hold their ids, the oldest first. */
  all(): Run[] {
    return this.#more !== undefined ? [...this.#more.values()] : this.#lone === undefined ? [] : [this.#lone];
  }

  /** Gives all ids back. */
  clear(): void {
    this.#lone = undefined;
    this.#more = undefined;
  }
}
