import type { JsonObject } from '../../protocol/features/common.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import { unawaited, type RepeatableOptions } from '../requests/reconnecting.ts';
import { mayPass } from '../connection/retry.ts';

/** Sends one request. */
export type SendRequest = (method: string, params: JsonObject, options: RepeatableOptions) => Promise<unknown>;

/** Parts of its client that watching resources needs. */
export interface WatchesOptions {
  readonly request: SendRequest;
  warn(message: string, cause: unknown): void;
}

interface Watched {
  /** Number of subscriptions that want it. */
  count: number;
  /** True when the server watches it now, and `undefined` when that is not known. */
  on: boolean | undefined;
  /** Aborts the request that asks the server to watch it, while that is in flight. */
  asking: AbortController | undefined;
  /** Last of the requests that tell the server of it: one thing after the other. */
  tail: Promise<void>;
}

/** Limit of requests for single resources that are under way at once. */
const atOnce = 16;

/**
 * The resources that the server of a handshake revision was asked to watch, each once however many want it.
 * (Spec 2025-11-25, Resources: `resources/subscribe` and `resources/unsubscribe`.)
 */
export class ClientWatches {
  readonly #options: WatchesOptions;
  readonly #watched = new Map<string, Watched>();
  /** The way to the newest connection with all subscriptions. */
  #latest: SendRequest | undefined;

  constructor(options: WatchesOptions) {
    this.#options = options;
  }

  /** Tells whether the server watches a resource. */
  has(uri: string): boolean {
    return this.#watched.get(uri)?.on === true;
  }

  /**
   * Subscribes to resources. A resource that the server refuses is left out, with a warning.
   *
   * @throws ConnectionError if the server does not answer; the resources must still be released then.
   */
  async hold(uris: readonly string[]): Promise<void> {
    for (const uri of uris) this.#of(uri).count++;
    await inBatches(uris, (uri) => this.#adjust(uri, this.#options.request));
  }

  /**
   * Unsubscribes. A failure becomes a warning, since no caller needs the outcome.
   *
   * @param isAwaited True if a caller waits until the server has been notified. Otherwise it does not keep the process
   *   alive.
   */
  async release(uris: readonly string[], isAwaited: boolean): Promise<void> {
    this.forget(uris);
    const { request, warn } = this.#options;
    const send: SendRequest = isAwaited ? request : (method, params) => request(method, params, unawaited);
    await inBatches(uris, async (uri) => {
      try {
        await this.#adjust(uri, send);
      } catch (error) {
        // A connection that ended took its watches with it.
        if (error instanceof ConnectionError && error.reason === 'closed') return;
        warn(`a resource may still be watched: ${shownUri(uri)}`, error);
      }
    });
  }

  /** Drops the subscriptions. The server that had them is gone, and the next one does not get them. */
  forget(uris: readonly string[]): void {
    for (const uri of uris) {
      const watched = this.#of(uri);
      watched.count--;
      if (watched.count === 0) watched.asking?.abort();
    }
  }

  /**
   * Tells a new connection of all that is wanted; whatever it is, it watches nothing yet.
   *
   * @returns Those of which it is not known whether it does.
   */
  async restore(request: SendRequest): Promise<readonly string[]> {
    this.#latest = request;
    for (const [uri, watched] of this.#watched) {
      if (watched.count === 0) this.#watched.delete(uri);
      watched.on = false;
      // Pending requests of the old connection no longer matter.
      watched.tail = Promise.resolve();
    }
    return await this.again([...this.#watched.keys()], request);
  }

  /**
   * Sends some subscriptions to the connection again, and returns those that are still unconfirmed.
   *
   * @param isLast True if a temporary refusal counts as permanent.
   */
  async again(uris: readonly string[], request: SendRequest, isLast = false): Promise<readonly string[]> {
    const left: string[] = [];
    await inBatches(uris, async (uri) => {
      // Another connection replaced this one, and gets its own requests.
      if (this.#latest !== request) return;
      try {
        await this.#adjust(uri, request, isLast);
      } catch (error) {
        if (this.#latest !== request) return;
        left.push(uri);
        this.#options.warn(`a resource could not be watched again for now: ${shownUri(uri)}`, error);
      }
    });
    return left;
  }

  #of(uri: string): Watched {
    const known = this.#watched.get(uri);
    if (known !== undefined) return known;
    const watched: Watched = { count: 0, on: false, asking: undefined, tail: Promise.resolve() };
    this.#watched.set(uri, watched);
    return watched;
  }

  /** Subscribes or unsubscribes a resource, as is wanted when its turn comes. Rejects if a retry may succeed. */
  #adjust(uri: string, request: SendRequest, isLast = true): Promise<void> {
    const watched = this.#of(uri);
    const turn = watched.tail.then(() => this.#turn(uri, watched, { request, isLast }));
    watched.tail = turn.catch(() => {});
    return turn;
  }

  async #turn(
    uri: string,
    watched: Watched,
    { request, isLast }: { readonly request: SendRequest; readonly isLast: boolean },
  ): Promise<void> {
    const wanted = watched.count > 0;
    const asking = wanted ? new AbortController() : undefined;
    watched.asking = asking;
    try {
      if (wanted === watched.on) return;
      await request(wanted ? 'resources/subscribe' : 'resources/unsubscribe', { uri }, { signal: asking?.signal });
      watched.on = wanted;
    } catch (error) {
      // Nothing more can be done about a resource that it keeps watching.
      watched.on = wanted && isUnanswered(error) ? undefined : false;
      // A server that watched it before, as one behind a bridge, may be out of reach for a moment.
      if (!(error instanceof McpError) || (wanted && !isLast && mayPass(error))) throw error;
      this.#options.warn(`the server would not ${wanted ? 'watch' : 'let go of'} ${shownUri(uri)}`, error);
    } finally {
      if (watched.asking === asking) watched.asking = undefined;
      if (watched.count === 0 && watched.on === false && this.#watched.get(uri) === watched) this.#watched.delete(uri);
    }
  }
}

/** Tells whether a request was sent and cancelled, so that the server may have acted on it. */
function isUnanswered(error: unknown): boolean {
  return error instanceof ConnectionError && (error.reason === 'aborted' || error.reason === 'timeout');
}

async function inBatches(uris: readonly string[], run: (uri: string) => Promise<void>): Promise<void> {
  for (let from = 0; from < uris.length; from += atOnce) await Promise.all(uris.slice(from, from + atOnce).map(run));
}

/** A URI in a warning: without its query, in which there may be a key. */
function shownUri(uri: string): string {
  return (uri.split('?', 1)[0] ?? '').slice(0, 200);
}
