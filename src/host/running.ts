import type { RequestId } from '../jsonrpc/message.ts';
import type { Call } from './call.ts';

/** The calls of one conversation that run, by the ids of their requests. Most conversations have one, which needs no table. */
export class Running {
  #lone: Call | undefined;
  #more: Map<RequestId, Call> | undefined;

  get size(): number {
    return this.#more?.size ?? (this.#lone === undefined ? 0 : 1);
  }

  get(id: RequestId): Call | undefined {
    if (this.#more !== undefined) return this.#more.get(id);
    return this.#lone?.requestId === id ? this.#lone : undefined;
  }

  add(call: Call): void {
    if (this.size === 0 && this.#more === undefined) {
      this.#lone = call;
      return;
    }
    this.#more ??= new Map(this.all().map((one) => [one.requestId, one]));
    this.#more.set(call.requestId, call);
    this.#lone = undefined;
  }

  /** Forgets a call; its id may already belong to a later one, when it was cancelled. */
  forget(call: Call): void {
    if (this.#lone === call) this.#lone = undefined;
    else if (this.#more?.get(call.requestId) === call) this.#more.delete(call.requestId);
  }

  /** Those that run now, the oldest first. */
  all(): Call[] {
    return this.#more !== undefined ? [...this.#more.values()] : this.#lone === undefined ? [] : [this.#lone];
  }

  clear(): void {
    this.#lone = undefined;
    this.#more = undefined;
  }
}
