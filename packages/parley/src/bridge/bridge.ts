import { refuseNearMethod } from '../options/near-method.ts';
import { shown } from '../options/shown.ts';
import { methodNames } from '../protocol/catalogue.ts';
import type { UpstreamIdentityPolicy, RequestHandler, Servable } from '../server/runtime/request-handler.ts';
import type { ServerCore } from '../server/runtime/server-core.ts';
import { createEndpoint } from '../server/runtime/conversation/serve.ts';
import { listMethods } from './merged/lists.ts';
import { openMerged, type Merged } from './merged/merged.ts';
import { openSingle, type Single, type SingleOptions, type UpstreamFacts } from './single/single.ts';
import type { ConnectUpstream } from './upstream/opener.ts';
import type { Middleware, HasMiddleware } from '../connection/middleware/middleware.ts';
import { checkNames } from './option-names.ts';
import {
  checkUpstream,
  bridgeSettingsOf,
  type BridgeBehavior,
  type BridgeOptions,
  type MergedBridgeOptions,
  type Settings,
  type UpstreamOptions,
} from './options.ts';
import { ConnectionLimit } from './upstream/connection-limit.ts';
import { standingOf, type UpstreamStanding } from './merged/backend.ts';
import type { UpstreamGrant } from './principals/sign-in.ts';
import type { People, SignOutOptions } from './principals/signing-in.ts';
import { behindOf, identityOf, isOfPrincipals, type UpstreamIdentity } from './upstream-auth.ts';
import { ratesOf } from './rates.ts';
import { checkKeptTasks } from './tasks/stored/task-options.ts';

/** The part of a bridge that knows its clients by their principals. */
export interface BridgeOfPrincipals extends Servable, HasMiddleware {
  /**
   * Answers a request of a browser for the pages at which people sign in at a server (`upstreamAuth` with `as: 'per-principal'`);
   * `undefined` for any other request, which is for others.
   */
  pages(request: Request): Promise<Response> | undefined;
  /**
   * State of each server for one principal; empty while the principal has no connections here. If all clients share the
   * connections, it is the same for every principal.
   */
  upstreamsOf(principal: string): readonly UpstreamStanding[];
  /** Lists what users granted at the servers where each signs in: for one principal, or for all with stored data. */
  grants(principal?: string): Promise<readonly UpstreamGrant[]>;
  /**
   * Signs a user out: ends the user's sessions and connections, revokes and deletes the grants, and deletes the
   * consents. Other processes that share the store notice at the next refusal.
   *
   * @returns Whether there were tokens and all were revoked. Tokens that could not be revoked are valid until they
   * expire.
   */
  signOut(principal: string, options?: SignOutOptions): Promise<{ readonly revoked: boolean }>;
  /** Ends every conversation and every upstream connection. */
  close(): Promise<void>;
}

/** One endpoint in front of one server, for clients of every revision; serve it like a server. */
export interface Bridge extends BridgeOfPrincipals {
  /** Description of the server behind the bridge; where each client is itself there, nothing but its URL is known. */
  readonly upstream: UpstreamFacts;
}

/** One endpoint in front of several servers, for clients of every revision; serve it like a server. */
export interface MergedBridge extends BridgeOfPrincipals {
  /** Standing of each server, in order. */
  readonly upstreams: readonly UpstreamStanding[];
}

/** Makes bridges, in front of one server or of several. */
export interface CreateBridge {
  /**
   * Puts a bridge in front of a server; it connects once, so that a server that cannot be reached fails here.
   *
   * @throws ConnectionError when the server is not reached or answers nothing that is MCP.
   */
  (options: BridgeOptions): Promise<Bridge>;
  /**
   * Makes one of several servers. A server that is not reached in time joins later; its tools and other items are
   * missing until then.
   *
   * @throws ConnectionError if no server is reached.
   */
  (options: MergedBridgeOptions): Promise<MergedBridge>;
}

/** Makes `createBridge` of a way to connect; the entry point gives it one that knows HTTP. */
export function bridgeOver(connect: ConnectUpstream): CreateBridge {
  function create(options: BridgeOptions): Promise<Bridge>;
  function create(options: MergedBridgeOptions): Promise<MergedBridge>;
  async function create(
    options: BridgeOptions | MergedBridgeOptions,
    ...others: readonly unknown[]
  ): Promise<Bridge | MergedBridge> {
    checkTarget(options);
    if (others.some((other) => other !== undefined))
      throw new TypeError('createBridge takes all its options in one object');
    checkNames(options);
    if (options.tasks !== undefined) checkKeptTasks(options.tasks);
    return 'upstreams' in options ? mergedBridge(options, connect) : singleBridge(options, connect);
  }
  return create;
}

/** @throws TypeError for options that name no upstream, or name it twice. */
function checkTarget(options: Partial<BridgeOptions & MergedBridgeOptions> | undefined): void {
  if ((options?.upstream === undefined) === (options?.upstreams === undefined))
    throw new TypeError('createBridge takes { upstream } for one server or { upstreams } for several');
}

async function settingsOf(options: BridgeBehavior): Promise<Settings> {
  const settings = bridgeSettingsOf(options);
  const { rateLimits } = options;
  return rateLimits === undefined ? settings : { ...settings, rates: ratesOf(rateLimits, settings) };
}

async function singleBridge(options: BridgeOptions, connect: ConnectUpstream): Promise<Bridge> {
  checkUpstream('createBridge', options);
  const settings = await settingsOf(options);
  const acting = await actingAs({ createBridge: options }, settings);
  const identity = acting.identities.get('createBridge') ?? everybody;
  const places = placesOf(settings);
  const upstream = unknownFacts(options.upstream);
  const parts = { ...options, ...settings, connect, places };
  if (acting.asCallers) {
    const late = await import('./principals/open.ts');
    const principals = late.principalsOf(settings, places, (principal, signal) =>
      late.openOwn(upstream.description, principal, identity, { ...parts, signal }),
    );
    return { ...guardable(principals, acting, settings), upstream };
  }
  const single = await openSingle({ ...parts, auth: authOf(identity) });
  tellOfService(settings, [[single.facts?.description ?? '', identity]]);
  return {
    ...guardable(
      served(within(single.host, settings), single, () => [
        standingOf(single.facts?.description ?? upstream.description, single),
      ]),
      acting,
      settings,
    ),
    get upstream() {
      return single.facts ?? upstream;
    },
  };
}

async function mergedBridge(options: MergedBridgeOptions, connect: ConnectUpstream): Promise<MergedBridge> {
  const settings = await settingsOf(options);
  const { upstreams, serverTimeoutMs = 10_000 } = options;
  const entries = Object.entries(upstreams);
  if (entries.length === 0) throw new TypeError('upstreams must name a server at least');
  for (const [name, entry] of entries) {
    checkUpstream(`upstreams.${name}`, entry);
  }
  const acting = await actingAs(upstreams, settings);
  const { identities } = acting;
  const { maxUpstreams, maxUpstreamsPerClient } = settings;
  const [name, most] = acting.asCallers
    ? ['maxUpstreamsPerClient', maxUpstreamsPerClient]
    : ['maxUpstreams', maxUpstreams];
  if (entries.length > most)
    throw new TypeError(`${name} is ${most}, which is too few for ${entries.length} upstreams`);
  if (!Number.isSafeInteger(serverTimeoutMs) || serverTimeoutMs < 1)
    throw new TypeError(`serverTimeoutMs must be a positive integer, not ${shown(serverTimeoutMs)}`);
  tellOfService(settings, [...identities]);
  const parts = { options, settings, connect, places: placesOf(settings), identities };
  if (acting.asCallers) {
    const late = await import('./principals/open.ts');
    const principals = late.principalsOf(settings, parts.places, (principal, signal) =>
      openSeveral({ ...parts, options: { ...options, signal } }, (single, identity) =>
        late.openFor(principal, identity, single),
      ),
    );
    const upstreamsOf = entries.map(([one]) => ({
      name: one,
      state: 'per-principal' as const,
      failure: undefined,
      facts: undefined,
    }));
    return { ...guardable(principals, acting, settings), upstreams: upstreamsOf };
  }
  const merged = await openSeveral(parts, (single, identity) => openSingle({ ...single, auth: authOf(identity) }));
  return {
    ...guardable(
      served(within(merged.host, settings), merged, () => merged.upstreams),
      acting,
      settings,
    ),
    get upstreams() {
      return merged.upstreams;
    },
  };
}

/** Parts that servers behind one endpoint are opened with. */
interface SeveralParts {
  readonly options: MergedBridgeOptions;
  readonly settings: Settings;
  readonly connect: ConnectUpstream;
  readonly places: ConnectionLimit;
  readonly identities: ReadonlyMap<string, UpstreamIdentity>;
}

/** Opens all servers, each in its way. */
async function openSeveral(
  { options, settings, connect, places, identities }: SeveralParts,
  open: (single: SingleOptions, identity: UpstreamIdentity) => Promise<Single>,
): Promise<Merged> {
  const {
    upstreams,
    prefix = 'collisions',
    serverTimeoutMs = 10_000,
    upstreamRevisions,
    probeTimeoutMs,
    signal,
  } = options;
  let stands = false;
  const merged = await openMerged({
    settings,
    prefix,
    serverTimeoutMs,
    random: Math.random,
    servers: Object.entries(upstreams).map(([name, { upstream, revisions = upstreamRevisions, sharing, login }]) => [
      name,
      (closed, onWarning) => {
        const single = {
          ...settings,
          upstream,
          connect,
          places,
          sharing,
          login,
          silent: listMethods,
          ofPart: true,
          member: name,
          probeTimeoutMs,
          upstreamRevisions: revisions,
          signal: signal === undefined || stands ? closed : AbortSignal.any([closed, signal]),
          onWarning,
        };
        return open(single, identities.get(name) ?? everybody);
      },
    ]),
  });
  stands = true;
  return merged;
}

/** Warns about a surprise: clients that are separate here are one identity at the server. */
function tellOfService({ onWarning }: Settings, identities: readonly (readonly [string, UpstreamIdentity])[]): void {
  for (const [name, identity] of identities)
    if (identity.kind === 'one' && identity.isService)
      onWarning(`all clients of this bridge are one machine at ${name} (upstreamAuth 'service')`);
}

/** Identities of a bridge at the servers behind it. */
interface Acting {
  /** The choice for each of them, by name. */
  readonly identities: ReadonlyMap<string, UpstreamIdentity>;
  /** True where clients are themselves at one of them. */
  readonly asCallers: boolean;
  readonly behind: UpstreamIdentityPolicy | undefined;
  /** Those who sign in themselves. */
  readonly people?: People;
}

/** The identity if there are no credentials. */
const everybody: UpstreamIdentity = { kind: 'one', auth: undefined, isService: false };

function authOf(identity: UpstreamIdentity): SingleOptions['auth'] {
  return 'auth' in identity ? identity.auth : undefined;
}

/**
 * Finds the identity of a bridge at each server. Most bridges have no credentials, and load no code for it.
 *
 * @throws TypeError for invalid choices.
 */
async function actingAs(
  upstreams: Readonly<Record<string, UpstreamOptions | BridgeOptions>>,
  settings: Settings,
): Promise<Acting> {
  const hasCredentials = Object.values(upstreams).some(
    ({ upstream, auth, upstreamAuth }) =>
      auth !== undefined ||
      upstreamAuth !== undefined ||
      (typeof upstream === 'object' && 'open' in upstream && upstream.authorization !== undefined),
  );
  if (!hasCredentials) return { identities: new Map(), asCallers: false, behind: undefined };
  const identities = new Map(Object.entries(upstreams).map(([name, options]) => [name, identityOf(name, options)]));
  const all = [...identities.values()];
  const behind = behindOf(all);
  if (!all.some(({ kind }) => kind === 'per-principal'))
    return { identities, asCallers: all.some(isOfPrincipals), behind };
  const { signingIn } = await import('./principals/signing-in.ts');
  const people = signingIn(identities, settings);
  return { identities: people.identities, asCallers: true, behind, people };
}

function guardable(standalone: Standalone, { behind, people }: Acting, settings: Settings): BridgeOfPrincipals {
  const { chain, store, listeners } = settings;
  const { endpoint } = standalone;
  return {
    use: (first: string | Middleware, second?: Middleware) => {
      refuseNearMethod(first, methodNames);
      chain.use(first, second);
      listeners.follow(first);
    },
    endpoint: behind === undefined && store === undefined ? endpoint : { ...endpoint, behind, store, listeners },
    close: () => standalone.close(),
    pages: (request) => people?.pages(request),
    upstreamsOf: (principal) => standalone.standings(principal),
    grants: async (principal) => (await people?.grants(principal)) ?? [],
    async signOut(principal, options) {
      // Twice: a token that is refreshed during the sign-out would stay valid, and a request would keep cached data.
      await standalone.end?.(principal);
      const ended = (await people?.signOut(principal, options)) ?? { revoked: false };
      await standalone.end?.(principal);
      return ended;
    },
  };
}

/** Facts about a server that has no shared connection. */
function unknownFacts(upstream: BridgeOptions['upstream']): UpstreamFacts {
  const url = typeof upstream === 'object' && 'open' in upstream ? undefined : new URL(upstream);
  const description = url === undefined ? 'a server' : `${url.origin}${url.pathname}`;
  return { description, revision: undefined, server: undefined, capabilities: {} };
}

function placesOf({ maxUpstreams, maxUpstreamsPerClient, onWarning }: Settings): ConnectionLimit {
  return new ConnectionLimit(maxUpstreams, maxUpstreamsPerClient, onWarning);
}

/** Host behind an endpoint, with its end. */
interface Standing {
  stop(): void;
  close(): Promise<void>;
}

/** Something that is served, with its end. */
interface Standalone {
  readonly endpoint: RequestHandler;
  standings(principal: string): readonly UpstreamStanding[];
  /** Ends the connections and the data of one principal. */
  end?(principal: string): Promise<void>;
  close(): Promise<void>;
}

function within(host: ServerCore, { rates }: Settings): ServerCore {
  return rates?.within(host) ?? host;
}

function served(
  host: Parameters<typeof createEndpoint>[0],
  standing: Standing,
  standings: Standalone['standings'],
): Standalone {
  const endpoint = createEndpoint(host, () => standing.stop());
  return {
    endpoint,
    standings,
    close: async () => {
      await endpoint.close();
      await standing.close();
    },
  };
}
