import { loadedOnce } from '../options/loaded-once.ts';
import { heldChannels, type TasksAsked } from './tasks/task-forms.ts';
import { MiddlewareStack } from '../connection/middleware/middleware-stack.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { ServerCore } from '../server/runtime/server-core.ts';
import type { OnEvent } from '../server/runtime/events/service-event.ts';
import { ServiceListeners } from '../server/runtime/events/listeners.ts';
import { toldStore } from '../server/runtime/events/observed-store.ts';
import { createSeal } from '../sealing/seal.ts';
import { keysFrom, type SealingKeys } from '../sealing/sealing-key.ts';
import type { TaskOptions } from '../server/definition/task-definition.ts';
import type { Implementation } from '../protocol/features/common.ts';
import { errorPrinter } from '../server/runtime/masking.ts';
import { harmless } from '../options/harmless.ts';
import { shown } from '../options/shown.ts';
import { chosenRevisions, type RevisionDate } from '../protocol/revision.ts';
import type { Bus } from '../storage/bus.ts';
import { refuseNoStore } from '../storage/given.ts';
import type { Store } from '../storage/store.ts';
import type { BridgeRates, RatesOfBridge } from './rates.ts';
import type { UpstreamLogin } from './upstream-login.ts';
import type { PoolOptions } from './upstream/pool-options.ts';
import type { UpstreamAuth, UpstreamCredentials } from './upstream-auth.ts';

/** Options of a bridge, whatever it stands in front of. */
export interface BridgeBehavior {
  /** The revisions spoken to clients; all of them by default. */
  readonly revisions?: readonly RevisionDate[];
  /** The revisions spoken to upstream servers; all of them by default. */
  readonly upstreamRevisions?: readonly RevisionDate[];
  /** Name of the bridge, when it does not forward its client's name. */
  readonly info?: Implementation;
  /**
   * Limit of open upstream connections (child processes, sessions); 64 by default. Stateless clients share one. In
   * addition, each client of a session-based version needs one. So does each stateless client that has a principal or
   * declares capabilities that a session-based server may use for questions. Several upstreams share the number. If all
   * are open, the least recently used idle one is closed. Its session continues with another one, or ends with 404 if
   * calls may have left state in the server. If all are in the middle of calls, a client gets 503. Connections that are
   * being closed count separately: as many as may be open (at least 32).
   */
  readonly maxUpstreams?: number;
  /**
   * Limit of the upstream connections of one principal, or of one address (for IPv6, its first half) without
   * principals; half of all by default. Behind a proxy all clients have one address, unless `trustedProxies` names it.
   */
  readonly maxUpstreamsPerClient?: number;
  /**
   * Calls of tools that a server runs as tasks alone, by clients that ask for no task: `wait` (the default) asks for a task in their place and
   * answers when it has ended; `refuse` passes on that the server refuses them.
   */
  readonly taskOnly?: 'wait' | 'refuse';
  /**
   * Store for data that the processes of this bridge share. Its bus reaches sessions, suspended calls and task
   * questions that another process holds. A shared store needs `rounds.keys`. The creator of the store closes it, after
   * the bridge.
   */
  readonly store?: Store;
  /**
   * Tasks that the bridge keeps itself: those of clients of 2025-11-25 before a server of 2026-07-28. With a `store` that lasts they are listed, and
   * go on after a restart of the bridge; that of the bridge's `store` by default, or the memory of this process. And those that it asks for: a word
   * alone is `tasks.ask`.
   */
  readonly tasks?: BridgeTasks | TasksAsked;
  /** Limits of calls that wait for answers of stateless clients, if the server asks in the middle of them. */
  readonly rounds?: BridgeRounds;
  /** Rate limits of clients; none by default. */
  readonly rateLimits?: BridgeRates;
  /** Receives errors that are masked from clients; by default they go to the console's error stream. */
  readonly onError?: (error: unknown, where: string) => void;
  /** Receives events, as `onEvent` of a server does: sessions, streams, rejected requests, its store, its end. */
  readonly onEvent?: OnEvent;
  /** Receives warnings about ignored or undeliverable data; by default they go to the console's error stream. */
  readonly onWarning?: (message: string) => void;
  /**
   * Time that an upstream may take to start and answer the first question before it is taken for an older one, in
   * milliseconds; 8000.
   */
  readonly probeTimeoutMs?: number;
  /** Aborts connecting. Once the bridge is ready it has no effect. */
  readonly signal?: AbortSignal;
}

/** The server behind a bridge, and the options of the bridge. */
export interface BridgeOptions extends BridgeBehavior {
  /** The server behind the bridge: a transport, or a URL. */
  readonly upstream: Transport | URL | string;
  /** The clients that share a connection to it; `per-client` by default. */
  readonly sharing?: Sharing;
  /** Authorization at a server that is given by its URL. */
  readonly auth?: UpstreamCredentials;
  /** The identity of clients at the server. Required if there is `auth` and the bridge is protected. */
  readonly upstreamAuth?: UpstreamAuth;
  /** The interactive login for the server, if the `auth` of its transport cannot ask the user itself. */
  readonly login?: UpstreamLogin;
}

/** The servers that a bridge makes one of, and how it behaves. */
export interface MergedBridgeOptions extends BridgeBehavior {
  /** The servers by name, the first in order first. A name shows in the names of tools and prompts. */
  readonly upstreams: Readonly<Record<string, UpstreamOptions>>;
  /**
   * Rule for the names `server__name` of tools and prompts: on name collisions (`collisions`, the default), or always.
   */
  readonly prefix?: PrefixMode;
  /**
   * Time that one server may take to answer when something of all of them is asked for; 10000 ms. Then its part is left
   * out, and it is waited for no more until it answers. The bridge begins with the first server that is there, or after a
   * second; the others join later.
   */
  readonly serverTimeoutMs?: number;
}

/** The place of a server's name in the names that it offers. */
export type PrefixMode = 'collisions' | 'always';

/** One of several servers behind a bridge. */
export interface UpstreamOptions {
  /** The server: a transport, or a URL. */
  readonly upstream: Transport | URL | string;
  /** The revisions spoken to this server; those of the bridge by default. */
  readonly revisions?: readonly RevisionDate[];
  /** The clients that share a connection to it; `per-client` by default. */
  readonly sharing?: Sharing;
  /** Authorization at a server that is given by its URL. */
  readonly auth?: UpstreamCredentials;
  /** The identity of clients at the server. Required if there is `auth` and the bridge is protected. */
  readonly upstreamAuth?: UpstreamAuth;
  /** The interactive login for the server, if the `auth` of its transport cannot ask the user itself. */
  readonly login?: UpstreamLogin;
}

/**
 * Users of a connection to an upstream.
 *
 * - `per-client`: for a session-based server, each downstream session has its own. Stateless clients share by principal
 *   and by declared capabilities. A call that the server may question shares with no other such call.
 * - `shared`: all clients use one. A session-based server cannot ask questions there: they are rejected.
 */
export type Sharing = 'per-client' | 'shared';

/** Options of the tasks that a bridge keeps and asks for; every one has a default. They are those of a server, and one more. */
export interface BridgeTasks extends Omit<TaskOptions, 'executor'> {
  /**
   * Tools of a server of 2025-11-25 that run as tasks for clients of 2026-07-28 that take some: `required` (the default) those that do not run
   * otherwise; `always` those that may, too.
   */
  readonly ask?: TasksAsked;
}

/** Limits of parked calls, and the processes that may take them up. */
export interface BridgeRounds {
  /**
   * The keys that seal `requestState`, 32 bytes each, as bytes or in base64: the first seals, any opens. A function is asked each minute. Without keys
   * one is made for this process alone. Where clients are known by principals they seal that of a server of 2026-07-28 too, up to 262,144 characters of it.
   */
  readonly keys?: SealingKeys;
  /** Time that a client may take to bring its answers, in milliseconds; 300000. Then the call is cancelled upstream. */
  readonly ttlMs?: number;
  /**
   * Reaches parked calls, and what tasks ask, that another process holds; processes that share it must share keys. The bus of the bridge's `store` by default; without
   * either a client must come back to the process that it asked first.
   */
  readonly bus?: Bus;
}

/** The behaviour of a bridge with every default filled in. */
export interface Settings {
  readonly info: Implementation;
  readonly revisions: ServerCore['revisions'];
  readonly maxUpstreams: number;
  readonly maxUpstreamsPerClient: number;
  readonly suspended: PoolOptions['suspended'];
  readonly store: Store | undefined;
  readonly taskOnly: 'wait' | 'refuse';
  /** The middleware that all messages pass, on both sides. */
  readonly chain: MiddlewareStack;
  readonly rates: RatesOfBridge | undefined;
  readonly tasks: BridgeTasks;
  readonly asked: TasksAsked;
  /** Listeners to what happens, which may come at any time. */
  readonly listeners: ServiceListeners;
  readonly onError: (error: unknown, where: string) => void;
  readonly onWarning: (message: string) => void;
}

/**
 * Fills the defaults in.
 *
 * @throws TypeError for a number that is out of bounds.
 */
export function bridgeSettingsOf(options: BridgeBehavior): Settings {
  const {
    maxUpstreams = 64,
    maxUpstreamsPerClient = Math.ceil(maxUpstreams / 2),
    taskOnly = 'wait',
    tasks = {},
  } = options;
  const asked = (typeof tasks === 'string' ? tasks : tasks.ask) ?? 'required';
  if (taskOnly !== 'wait' && taskOnly !== 'refuse')
    throw new TypeError(`taskOnly is wait or refuse, not ${shown(taskOnly)}`);
  if (asked !== 'required' && asked !== 'always')
    throw new TypeError(`tasks.ask is required or always, not ${shown(asked)}`);
  for (const [name, value] of Object.entries({ maxUpstreams, maxUpstreamsPerClient }))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new TypeError(`${name} must be a positive integer, not ${shown(value)}`);
  const listeners = new ServiceListeners(options.onEvent, options);
  refuseNoStore(options.store, options.rounds?.keys);
  const store = options.store && toldStore(options.store, listeners);
  const onError = harmless(options.onError ?? errorPrinter());
  const suspended = suspendedCallsOptions(options.rounds ?? {}, store, (cause) => onError(cause, 'rounds.keys'));
  return {
    info: options.info ?? { name: 'parley-bridge', version: '0.1.0' },
    revisions: chosenRevisions(options.revisions),
    maxUpstreams,
    maxUpstreamsPerClient,
    suspended: { ...suspended, listeners },
    store,
    listeners,
    taskOnly,
    chain: new MiddlewareStack(),
    rates: undefined,
    tasks: tasksOf(typeof tasks === 'string' ? undefined : tasks, store),
    asked,
    onError,
    onWarning: harmless(options.onWarning ?? ((message) => console.error(message))),
  };
}

/**
 * Options object of this bridge alone. A store in memory belongs to it, even if another bridge gets the same options.
 */
function tasksOf(tasks: BridgeTasks | undefined, shared: Store | undefined): BridgeTasks {
  const store = tasks?.store ?? shared?.tasks;
  return { ...tasks, ...(store === undefined ? {} : { store }) };
}

function suspendedCallsOptions(
  { keys, ttlMs = 300_000, bus }: BridgeRounds,
  store: Store | undefined,
  failed: (cause: unknown) => void,
): Omit<PoolOptions['suspended'], 'listeners'> {
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1)
    throw new TypeError(`rounds.ttlMs must be a positive integer, not ${shown(ttlMs)}`);
  const seal = createSeal(keys && keysFrom(keys, failed, 'rounds.keys'), { purpose: 'rounds' });
  return { seal, ttlMs, bus: bus ?? (store && busOf(store)), now: Date.now };
}

/** Several processes may hold a result. A suspended call has one owner, and a question to either gets one answer. */
function isOfOne(channel: string): boolean {
  return !channel.startsWith(heldChannels) || channel.slice(heldChannels.length).includes('/');
}

/** Bus of a store, as parked calls need it: their texts have any length. It is loaded by the first of them. */
function busOf(store: Store): Bus {
  const bus = loadedOnce<Bus>(async () => (await import('../storage/long-texts.ts')).busOfLongTexts(store, isOfOne));
  return {
    publish: async (channel, text) => await (await bus()).publish(channel, text),
    subscribe: async (channel, hear, onGap) => await (await bus()).subscribe(channel, hear, onGap),
  };
}

/** @throws TypeError for an invalid upstream, and for an unknown `sharing`. */
export function checkUpstream(where: string, { upstream, sharing, login }: UpstreamOptions): void {
  const given: unknown = upstream;
  const isUrl = given instanceof URL || (typeof given === 'string' && /^https?:/i.test(given) && URL.canParse(given));
  if (!isUrl && !(typeof given === 'object' && given !== null && 'open' in given))
    throw new TypeError(
      `${where}: upstream is a URL (http: or https:) or a transport, such as spawn('node', ['server.js']); not ${shown(given)}`,
    );
  if (login !== undefined && (typeof login?.known !== 'function' || typeof login.keep !== 'function'))
    throw new TypeError(`${where}: login has the functions known and keep, and may have signIn`);
  if (sharing !== undefined && sharing !== 'per-client' && sharing !== 'shared')
    throw new TypeError(`${where}: sharing is per-client or shared, not ${shown(sharing)}`);
}
