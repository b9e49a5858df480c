import { after } from '../../jsonrpc/timeout.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { SentRequest } from '../../connection/pending.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { McpError } from '../../protocol/error.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import { backoffMs, maxAskedMs, Pauses, steadyMs } from '../connection/backoff.ts';
import type { ClientSettings } from '../requests/settings.ts';
import { isPassing } from '../connection/retry.ts';
import type { Reconnecting } from '../requests/reconnecting.ts';
import {
  covers,
  eventOf,
  extensionListeners,
  fromFilter,
  toFilter,
  type Subscription,
  type SubscriptionEnd,
  type SubscriptionEvent,
  type Topics,
} from '../api/subscription.ts';
import { subscriptionsAcknowledgedParamsShape } from '../../protocol/features/subscriptions.ts';

/** Parts of its client that one listen request after the other needs. */
export interface ListenSubscriptionOptions {
  readonly connection: Reconnecting;
  readonly settings: ClientSettings;
  /** Sends one listen request. Notifications are processed once it is sent. */
  readonly listen: Reconnecting['listen'];
  heard(event: SubscriptionEvent): void;
  done(): void;
}

/**
 * A subscription to a stateless server: one long `subscriptions/listen`. It opens another one when the request broke
 * off or the server ended it, since a server that stops in order is mostly replaced. (Spec 2026-07-28, Subscriptions.)
 */
export class ListenSubscription implements Subscription {
  readonly topics: Topics;
  readonly closed: Promise<SubscriptionEnd>;
  readonly #options: ListenSubscriptionOptions;
  readonly #stop = new AbortController();
  readonly #pause = new Pauses();
  readonly #resolveClosed: (end: SubscriptionEnd) => void;
  #honored: Topics = {};
  /** The request in flight. */
  #asked: SentRequest | undefined;
  /** Time at which the server acknowledged the request in flight. */
  #acknowledgedAt: number | undefined;
  #acknowledged: (() => void) | undefined;
  #broken: ((error: Error) => void) | undefined;
  #opened = false;
  /** True after the server ended the last stream in order, until the next event. */
  #endedWell = false;
  #ended: SubscriptionEnd | undefined;

  constructor(topics: Topics, options: ListenSubscriptionOptions) {
    this.topics = topics;
    this.#options = options;
    let resolveClosed!: (end: SubscriptionEnd) => void;
    this.closed = new Promise((resolve) => (resolveClosed = resolve));
    this.#resolveClosed = resolveClosed;
  }

  get honored(): Topics {
    return this.#honored;
  }

  /** The id of the request in flight, by which the server names the subscription. */
  get id(): number | undefined {
    return this.#asked?.id;
  }

  /** Tells whether a request is in flight that the server did not acknowledge yet. */
  get isAwaiting(): boolean {
    return this.#asked !== undefined && this.#acknowledgedAt === undefined;
  }

  /** Resolves when the server acknowledged the first request, and rejects when that failed. */
  open(acknowledgeMs: number): Promise<void> {
    return new Promise((resolve, reject) => void this.#run(acknowledgeMs, { resolve, reject }));
  }

  async close(): Promise<void> {
    this.giveUp();
  }

  giveUp(): void {
    this.end({ graceful: true });
  }

  /** Ends it, for a reason of this side. If the server announced its end first, a lost connection is not the reason. */
  end(given: SubscriptionEnd): void {
    if (this.#ended !== undefined) return;
    const end = this.#endedWell ? { graceful: true } : given;
    this.#ended = end;
    this.#asked = undefined;
    this.#stop.abort();
    this.#pause.wake();
    this.#options.done();
    this.#resolveClosed(end);
  }

  /** The server ended it in good order, and leaves the response out. */
  cancelled(): void {
    this.#asked?.settle({});
  }

  /** Tries again at once, if it waits to. */
  wake(): void {
    this.#pause.wake();
  }

  /** A notification arrived that names this subscription, or names none and may concern it. */
  notified(method: string, params: JsonObject): void {
    if (method === 'notifications/subscriptions/acknowledged') return this.#acknowledge(params);
    if (methodOf(method) === undefined) return extensionListeners.get(this.topics)?.(method, params);
    const event = eventOf(method, params);
    if (event === undefined) return;
    // A part of a resource need not look like one.
    const asked = event.type === 'update' ? (this.topics.updates ?? []).length > 0 : covers(this.topics, event);
    if (!asked) return this.#warn(`a server sent a notification that was not requested: ${method}`);
    // Spec 2026-07-28, Subscriptions, Acknowledgment: nothing comes before it.
    if (this.#acknowledgedAt === undefined) this.#warn(`${method} came before the acknowledgement`);
    this.#options.heard(event);
  }

  async #run(
    acknowledgeMs: number,
    first: { readonly resolve: () => void; readonly reject: (error: unknown) => void },
  ): Promise<void> {
    const { settings } = this.#options;
    for (let tries = 0, failures = 0; ;) {
      const failure = await this.#attempt(acknowledgeMs, first.resolve);
      if (!this.#opened) return this.#neverOpened(failure, first.reject);
      if (this.#ended !== undefined) return;
      const at = this.#acknowledgedAt;
      if (at !== undefined && settings.clock() - at >= steadyMs) tries = failures = 0;
      // A stream that was open for a moment resets the count if it broke off. If the server ended it, that counts as a
      // refusal.
      else failures = at === undefined || failure === undefined ? failures + 1 : 0;
      if (!settings.reconnect || (failure !== undefined && !isPassing(failure)) || failures >= settings.maxReopens)
        return this.end(endOf(failure));
      this.#endedWell = failure === undefined;
      await this.#pause.wait(Math.max(backoffMs(tries++, settings.random()), retryAfterMs(failure)));
      if (this.#ended !== undefined) return;
      this.#endedWell = false;
    }
  }

  #neverOpened(failure: Error | undefined, reject: (error: unknown) => void): void {
    reject(
      (this.#ended === undefined ? failure : this.#ended.error) ??
        new ConnectionError('closed', 'the subscription ended before it was open'),
    );
    this.end(endOf(failure));
  }

  /** One listen request, to its end; gives why it failed, or nothing when the server ended it in good order. */
  async #attempt(acknowledgeMs: number, acknowledged: () => void): Promise<Error | undefined> {
    const attempt = new AbortController();
    const give = (): void => attempt.abort();
    let broken: Error | undefined;
    this.#broken = (error) => {
      broken = error;
      give();
    };
    const cancel = after(acknowledgeMs === 0 ? Infinity : acknowledgeMs, () =>
      this.#broken?.(
        new ConnectionError('timeout', `the subscription was not acknowledged within ${acknowledgeMs} ms`),
      ),
    );
    this.#acknowledgedAt = undefined;
    this.#acknowledged = () => {
      cancel();
      const again = this.#opened;
      this.#opened = true;
      acknowledged();
      if (again) this.#options.heard({ type: 'reopened' });
    };
    this.#stop.signal.addEventListener('abort', give, { once: true });
    if (this.#ended !== undefined) give();
    try {
      const { connection, listen } = this.#options;
      const current = await connection.ready('subscriptions/listen', attempt.signal);
      const asked = listen(current, { notifications: toFilter(this.topics) }, attempt);
      this.#asked = asked;
      await asked.answer;
      return undefined;
    } catch (error) {
      return broken ?? asError(error);
    } finally {
      cancel();
      this.#asked = undefined;
      this.#stop.signal.removeEventListener('abort', give);
    }
  }

  #acknowledge(params: JsonObject): void {
    if (this.#acknowledgedAt !== undefined) return this.#warn('a subscription was acknowledged twice');
    const { connection, settings } = this.#options;
    try {
      const { notifications } = fromWire(connection.revision, subscriptionsAcknowledgedParamsShape, params);
      this.#honored = fromFilter(notifications, this.topics);
    } catch (cause) {
      const message = `the acknowledgement of a subscription is malformed: ${cause instanceof McpError ? cause.message : ''}`;
      return this.#broken?.(new ConnectionError('invalid-message', message, { cause }));
    }
    this.#acknowledgedAt = settings.clock();
    this.#acknowledged?.();
  }

  #warn(message: string): void {
    this.#options.settings.onWarning?.(message);
  }
}

function endOf(failure: Error | undefined): SubscriptionEnd {
  return failure === undefined ? { graceful: true } : { graceful: false, error: failure };
}

function retryAfterMs(error: Error | undefined): number {
  return error instanceof ConnectionError ? Math.min(maxAskedMs, error.retryAfterMs ?? 0) : 0;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new ConnectionError('closed', 'the subscription broke off', { cause: error });
}
