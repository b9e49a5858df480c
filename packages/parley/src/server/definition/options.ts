import { shown } from '../../options/shown.ts';
import type { CacheHint } from '../../protocol/features/envelope.ts';
import type { ServerRounds } from '../runtime/server-core.ts';
import type { OnEvent } from '../runtime/events/service-event.ts';
import { ServiceListeners } from '../runtime/events/listeners.ts';
import { toldStore } from '../runtime/events/observed-store.ts';
import { keysFrom, type SealingKeys } from '../../sealing/sealing-key.ts';
import { errorPrinter } from '../runtime/masking.ts';
import { harmless } from '../../options/harmless.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import type { Extensions } from '../../protocol/extension.ts';
import { isExtensionId } from '../../protocol/meta.ts';
import { chosenRevisions, type Revision, type RevisionDate } from '../../protocol/revision.ts';
import type { Store } from '../../storage/store.ts';
import { checkServerOptions } from './mistakes.ts';
import type { RateLimits } from '../rates/rate-limit.ts';
import type { SubscriptionLimits } from './subscriptions.ts';
import type { TaskOptions } from './task-definition.ts';

/** Options of a server; every one has a default. */
export interface ServerOptions {
  /** Natural-language guidance that clients may hand to a model. */
  readonly instructions?: string;
  /** The revisions to speak, by date; all of them by default. */
  readonly revisions?: readonly RevisionDate[];
  /** Capabilities to declare beyond those that follow from what is registered, such as `tools` added later. */
  readonly capabilities?: ServerCapabilities;
  /**
   * Extensions that the server supports, by id, with the settings of each (`{}` for none); see also `server.extension`.
   * They are declared in `capabilities.extensions` in every revision. Up to 2025-11-25 they are also declared in
   * `experimental`.
   */
  readonly extensions?: Extensions;
  /** Number of entries that a page of a list holds; 1000 by default. */
  readonly pageSize?: number;
  /** The hint on lists and `server/discover`; `{ ttlMs: 0, cacheScope: 'private' }` by default. */
  readonly cache?: CacheHint;
  /**
   * Choice whether log messages may be sent; true by default.
   *
   * @deprecated Since 2026-07-28 (SEP-2577); the first revision from 2027-07-28 on may remove it.
   */
  readonly logging?: boolean;
  /**
   * Store for data that the processes of this server share: large and used states of rounds, changes of lists and of
   * subscribed resources, rate limits, and tasks if it supports them. Without one, each process keeps its own data. A
   * shared store needs `rounds.keys`. The creator of the store closes it, after the server.
   */
  readonly store?: Store;
  /** Rounds of handlers that ask their clients; see `RoundOptions`. */
  readonly rounds?: RoundOptions;
  /** Limits of how often each client may ask, open sessions, call tools; without limits by default, but for requests about tasks. */
  readonly rateLimits?: RateLimits;
  /** Options for tools with `task`; see `TaskOptions`. */
  readonly tasks?: TaskOptions;
  /** Limits of subscriptions; 1000 resources per client by default, and as many listen streams as the transports admit. */
  readonly subscriptions?: Partial<SubscriptionLimits>;
  /**
   * True if clients may read the messages of all errors that handlers throw: the model those of tools, and the caller
   * those of resources, prompts, completions and own methods. False by default, since messages may hold secrets (paths,
   * queries, keys). Then a client reads the message of a `ToolError` or an `McpError`, and of any other error only that
   * the request failed.
   */
  readonly exposeErrors?: boolean;
  /**
   * Receives every error that is masked from the peer, and the place where it happened. By default it is written to the
   * console's error stream.
   */
  readonly onError?: (error: unknown, where: string) => void;
  /**
   * Receives events: sessions, streams, rejected requests, its store, its end. Each event names its `type`. No event
   * has a secret or text from a peer. The server does not wait for it and ignores its errors.
   */
  readonly onEvent?: OnEvent;
  /**
   * Receives warnings about things that work but go against advice of the specification, such as a tool name that some
   * clients reject. By default it is written to the console's error stream.
   */
  readonly onWarning?: (message: string) => void;
}

/** Options of conversations with a client that take several requests (2026-07-28) or a wait. */
export interface RoundOptions {
  /**
   * The keys that seal `requestState`, 32 bytes each, as bytes or in base64: the first seals, any opens. Processes that
   * share them can continue each other's conversations. A function is called each minute, so keys can change while the
   * process runs. If it fails, the previous keys stay in use. By default this process makes a key of its own.
   */
  readonly keys?: SealingKeys;
  /** Time that a client may take for one round, in milliseconds; an hour by default. */
  readonly ttlMs?: number;
  /** The largest state that travels, in characters; 65,536 by default. A larger one waits in the server's `store`, or without one in memory. */
  readonly maxStateLength?: number;
  /**
   * Single use of a `requestState`. By default it is good for one request only, once the client has answered a question or an effect of `ctx.once` ran: a request
   * that is delivered again does not run again, and gets the outcome of the first delivery for ten minutes. `true` also covers states that nothing came before; `false`
   * lets the handler run with each delivery.
   *
   * Processes that share keys must share the store, or each of them runs a repeated request. That a state was used is remembered until it expires; if there is no
   * room for that, states that were not used yet are refused as busy.
   */
  readonly singleUse?: boolean;
  /** Limit of rounds of one request; 32 by default. */
  readonly maxRounds?: number;
  /**
   * Time that a handshake client may take to answer one question, in milliseconds; ten minutes by default. 0 and
   * `Infinity` set no limit.
   */
  readonly requestTimeoutMs?: number;
  /** The time, in milliseconds since 1970; `Date.now` by default. */
  now?(): number;
}

/** Options with their defaults filled in. */
export interface ResolvedOptions {
  readonly instructions: string | undefined;
  readonly revisions: readonly Revision[];
  readonly capabilities: ServerCapabilities;
  readonly extensions: Extensions;
  readonly pageSize: number;
  readonly cache: CacheHint;
  readonly logging: boolean;
  readonly store: Store | undefined;
  readonly rounds: ServerRounds;
  readonly requestTimeoutMs: number;
  readonly subscriptions: SubscriptionLimits;
  readonly rateLimits: RateLimits;
  readonly tasks: TaskOptions;
  readonly exposeErrors: boolean;
  /** Listeners to what happens, which may come at any time. */
  readonly listeners: ServiceListeners;
  readonly onError: (error: unknown, where: string) => void;
  readonly onWarning: (message: string) => void;
}

/** @throws TypeError for an option that makes no sense. */
export function resolveOptions(options: ServerOptions, service?: string): ResolvedOptions {
  checkServerOptions(options);
  const pageSize = options.pageSize ?? 1000;
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw new TypeError(`pageSize must be a positive integer, not ${shown(pageSize)}`);
  for (const id of Object.keys(options.capabilities?.extensions ?? {})) {
    if (!isExtensionId(id))
      throw new TypeError(`capabilities.extensions: ${JSON.stringify(id)} is no identifier such as com.example/name`);
  }
  const listeners = new ServiceListeners(options.onEvent, options);
  const store = options.store && toldStore(options.store, listeners);
  const onError = harmless(options.onError ?? errorPrinter(options.exposeErrors ?? false));
  return {
    instructions: options.instructions,
    revisions: chosenRevisions(options.revisions),
    capabilities: options.capabilities ?? {},
    extensions: options.extensions ?? {},
    pageSize,
    cache: options.cache ?? { ttlMs: 0, cacheScope: 'private' },
    logging: options.logging ?? true,
    store,
    listeners,
    rounds: { ...roundsOf(options.rounds ?? {}, store, (cause) => onError(cause, 'rounds.keys')), service },
    // As with the timeouts of clients, 0 is no limit.
    requestTimeoutMs: (options.rounds?.requestTimeoutMs ?? 600_000) || Number.POSITIVE_INFINITY,
    subscriptions: {
      resourcesPerClient: options.subscriptions?.resourcesPerClient ?? 1000,
      listeners: options.subscriptions?.listeners ?? Number.POSITIVE_INFINITY,
    },
    rateLimits: options.rateLimits ?? {},
    tasks: tasksOf(options.tasks ?? {}, store),
    exposeErrors: options.exposeErrors ?? false,
    onError,
    onWarning: harmless(options.onWarning ?? ((message) => console.error(message))),
  };
}

function tasksOf(tasks: TaskOptions, shared: Store | undefined): TaskOptions {
  return tasks.store !== undefined || shared?.tasks === undefined ? tasks : { ...tasks, store: shared.tasks };
}

function roundsOf(
  { keys = [], ttlMs, maxStateLength, singleUse, maxRounds = 32, now }: RoundOptions,
  shared: Store | undefined,
  failed: (cause: unknown) => void,
): ServerRounds {
  // An invalid key is reported at once. The seal itself is made when a handler first asks.
  const records = shared?.records;
  return {
    keys: keysFrom(keys, failed, 'rounds.keys'),
    ttlMs,
    maxStateLength,
    records,
    singleUse,
    maxRounds,
    now,
  };
}
