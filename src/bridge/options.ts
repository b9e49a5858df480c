import { loadedOnce } from '../options/loaded-once.ts';
import { heldChannels, type TasksAsked } from './tasks/between.ts';
import { Chain } from '../connection/middleware/chain.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Host } from '../server/runtime/host.ts';
import type { OnEvent } from '../server/runtime/events/service-event.ts';
import { ServiceListeners } from '../server/runtime/events/listeners.ts';
import { toldStore } from '../server/runtime/events/told-store.ts';
import { createSeal } from '../sealing/seal.ts';
import { keysFrom, type SealingKeys } from '../sealing/sealing-key.ts';
import type { TaskOptions } from '../server/task-definition.ts';
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
  /** Name of the bridge, where it does not pass its client's name on. */
  readonly info?: Implementation;
  /**
   * Limit of upstream connections (child processes, sessions) that may be open at once; 64 by default. Beside the one
   * that stateless clients share, each client of a handshake revision needs one, and so does each stateless client that
   * has a principal or declares what a handshake server may ask it. Several upstreams share the number. Where all are
   * open the least recently used one that is idle makes way: a session goes on with another one, or ends with 404 where
   * calls may have left something in the server. Where all are in the middle of calls a client is refused with 503.
   * Those that are being closed count apart: as many as may be open (32 at least) may take their time.
   */
  readonly maxUpstreams?: number;
  /**
   * Limit of the upstream connections that are one principal's, or one address's (of IPv6 the first half of it) where there
   * are no principals; half of all by default. Behind a proxy these are all one address, unless `trustedProxies` names it.
   */
  readonly maxUpstreamsPerClient?: number;
  /**
   * Calls of tools that a server runs as tasks alone, by clients that ask for no task: `wait` (the default) asks for a task in their place and
   * answers when it has ended; `refuse` passes on that the server refuses them.
   */
  readonly taskOnly?: 'wait' | 'refuse';
  /**
   * Place for what the processes of this bridge share; its bus reaches sessions, parked calls, and what tasks ask, that another process holds. One that processes share needs
   * `rounds.keys`. Who made it closes it, after the bridge.
   */
  readonly store?: Store;
  /**
   * Tasks that the bridge keeps itself: those of clients of 2025-11-25 before a server of 2026-07-28. With a `store` that lasts they are listed, and
   * go on after a restart of the bridge; that of the bridge's `store` by default, or the memory of this process. And those that it asks for: a word
   * alone is `tasks.ask`.
   */
  readonly tasks?: BridgeTasks | TasksAsked;
  /** Limits of calls that wait for the answers of stateless clients, where the server asks in the middle of them. */
  readonly rounds?: BridgeRounds;
  /** Limits of how often clients may ask; none by default. */
  readonly rateLimits?: BridgeRates;
  /** Hears errors that are masked from clients; by default they go to the console's error stream. */
  readonly onError?: (error: unknown, where: string) => void;
  /** Hears what happens to it, as `onEvent` of a server does: sessions, streams, refused requests, its store, its end. */
  readonly onEvent?: OnEvent;
  /** Hears what was ignored or could not be delivered; by default it goes to the console's error stream. */
  readonly onWarning?: (message: string) => void;
  /**
   * Time that an upstream may take to start and answer the first question before it is taken for an older one, in
   * milliseconds; 8000.
   */
  readonly probeTimeoutMs?: number;
  /** Gives up connecting; once the bridge stands it has no effect. */
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
  /** The one that clients are at the server; it must be chosen where there is `auth` and the bridge is guarded. */
  readonly upstreamAuth?: UpstreamAuth;
  /** The login of a person that it wants, where its transport has `auth` that asks nobody by itself. */
  readonly login?: UpstreamLogin;
}

/** The servers that a bridge makes one of, and how it behaves. */
export interface MergedBridgeOptions extends BridgeBehavior {
  /** The servers by name, the first in order first. A name shows in the names of tools and prompts. */
  readonly upstreams: Readonly<Record<string, UpstreamOptions>>;
  /**
   * Rule by which tools and prompts are called `server__name`: where two servers have the same name (`collisions`, the
   * default), or everywhere.
   */
  readonly prefix?: PrefixMode;
  /**
   * Time that one server may take to answer when something of all of them is asked for; 10000 ms. Then its part is left
   * out, and it is waited for no more until it answers. The bridge begins with the first server that is there, or after a
   * second; the others join later.
   */
  readonly patienceMs?: number;
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
  /** The one that clients are at the server; it must be chosen where there is `auth` and the bridge is guarded. */
  readonly upstreamAuth?: UpstreamAuth;
  /** The login of a person that it wants, where its transport has `auth` that asks nobody by itself. */
  readonly login?: UpstreamLogin;
}

/**
 * Users of a connection to an upstream.
 *
 * - `per-client`: each session of a handshake revision before a handshake server has one of its own. Stateless clients
 *   share by principal and by what they declare; a call that the server may question shares with no other such call.
 * - `shared`: all clients use one. There a server of a handshake revision can ask nobody: its questions are refused.
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
  readonly revisions: Host['revisions'];
  readonly maxUpstreams: number;
  readonly maxUpstreamsPerClient: number;
  readonly parked: PoolOptions['parked'];
  readonly store: Store | undefined;
  readonly taskOnly: 'wait' | 'refuse';
  /** The middleware that all messages pass, on both sides. */
  readonly chain: Chain;
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
  const parked = parkedOptions(options.rounds ?? {}, store, (cause) => onError(cause, 'rounds.keys'));
  return {
    info: options.info ?? { name: 'parley-bridge', version: '0.1.0' },
    revisions: chosenRevisions(options.revisions),
    maxUpstreams,
    maxUpstreamsPerClient,
    parked: { ...parked, listeners },
    store,
    listeners,
    taskOnly,
    chain: new Chain(),
    rates: undefined,
    tasks: tasksOf(typeof tasks === 'string' ? undefined : tasks, store),
    asked,
    onError,
    onWarning: harmless(options.onWarning ?? ((message) => console.error(message))),
  };
}

/** Options of one bridge alone: by them it has its own store in memory, whoever else is made with the same. */
function tasksOf(tasks: BridgeTasks | undefined, shared: Store | undefined): BridgeTasks {
  const store = tasks?.store ?? shared?.tasks;
  return { ...tasks, ...(store === undefined ? {} : { store }) };
}

function parkedOptions(
  { keys, ttlMs = 300_000, bus }: BridgeRounds,
  store: Store | undefined,
  failed: (cause: unknown) => void,
): Omit<PoolOptions['parked'], 'listeners'> {
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1)
    throw new TypeError(`rounds.ttlMs must be a positive integer, not ${shown(ttlMs)}`);
  const seal = createSeal(keys && keysFrom(keys, failed, 'rounds.keys'), { purpose: 'rounds' });
  return { seal, ttlMs, bus: bus ?? (store && busOf(store)), now: Date.now };
}

/** A result may be held by several processes; a parked call has one holder, and what is asked of either one answer. */
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

/** @throws TypeError for what no server can be reached by, and for a `sharing` that there is none of. */
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
