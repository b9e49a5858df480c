/** The bridge of one principal, with who uses it. */

import type { AuthInfo, RequestHandler, ReplyChannel } from '../../server/runtime/request-handler.ts';
import { after } from '../../jsonrpc/timeout.ts';
import type { UpstreamStanding } from '../merged/backend.ts';

/** The bridge of one principal. */
export interface OfPrincipal {
  readonly endpoint: RequestHandler;
  /** Tells whether no caller waits for it. */
  readonly idle: boolean;
  /** Standing of each server behind it. */
  standings(): readonly UpstreamStanding[];
  /** Records the sender of a request: the same principal, perhaps with a newer token. */
  heard(auth: AuthInfo): void;
  close(): Promise<void>;
}

/** Parts of an entry. */
export interface PrincipalEntryOptions {
  /** Makes the bridge. The signal aborts that. */
  open(signal: AbortSignal): Promise<OfPrincipal>;
  /** The order in which bridges and connections are used. */
  tick(): number;
  /** Called when it has not been used for long. */
  onRested(): void;
}

/** Time for which the bridge of a principal without a conversation is kept, in milliseconds. */
export const restMs = 600_000;

/** The bridge of one principal, from its first request until it is closed. */
export class PrincipalEntry {
  readonly opening: Promise<OfPrincipal>;
  /** Time of its last use, by the ticks of the places. */
  usedAt: number;
  readonly #options: PrincipalEntryOptions;
  readonly #closed = new AbortController();
  readonly #conversations = new Set<ReplyChannel>();
  #bridge: OfPrincipal | undefined;
  #running = 0;
  #stay: () => void = () => undefined;

  constructor(options: PrincipalEntryOptions) {
    this.#options = options;
    this.usedAt = options.tick();
    this.opening = options.open(this.#closed.signal);
    this.opening.then(
      (bridge) => void (this.#bridge = bridge),
      // Waiting callers get the error. There is nothing to close later.
      () => this.#closed.abort(new Error('the bridge could not be opened')),
    );
  }

  /** The bridge, once it is there. */
  get bridge(): OfPrincipal | undefined {
    return this.#bridge;
  }

  /** Tells whether no caller waits for it, and each client with a session can be made to begin another. */
  get isIdle(): boolean {
    if (this.#running > 0 || this.#bridge?.idle !== true) return false;
    return [...this.#conversations].every((link) => link.dismiss !== undefined);
  }

  /** Takes note of a conversation that begins. */
  entered(link: ReplyChannel): void {
    this.#conversations.add(link);
    this.#used();
  }

  /** Takes note that a conversation is over. */
  left(link: ReplyChannel): void {
    this.#conversations.delete(link);
    this.#used();
  }

  /** Does something for a message of a conversation; the bridge is in use meanwhile. */
  async during<T>(auth: AuthInfo | undefined, work: () => Promise<T>): Promise<T> {
    this.#running++;
    this.#used();
    if (auth !== undefined) this.#bridge?.heard(auth);
    try {
      return await work();
    } finally {
      this.#running--;
      this.#used();
    }
  }

  /**
   * Ends every session. Its client notices at its next request, and begins another.
   *
   * @returns The number of sessions.
   */
  dismiss(): number {
    const sessions = [...this.#conversations].filter(({ dismiss }) => dismiss !== undefined);
    for (const link of sessions) link.dismiss?.();
    return sessions.length;
  }

  /** Closes the bridge, or aborts opening it. It never rejects. */
  async close(): Promise<void> {
    this.#stay();
    this.#closed.abort(new Error('the bridge is closed'));
    try {
      await (await this.opening).close();
    } catch {
      // What never opened needs not be closed.
    }
  }

  #used(): void {
    this.usedAt = this.#options.tick();
    this.#stay();
    if (this.#closed.signal.aborted || this.#running > 0 || this.#conversations.size > 0) return;
    this.#stay = after(restMs, () => {
      if (this.isIdle) this.#options.onRested();
      else this.#used();
    });
  }
}
