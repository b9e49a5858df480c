import { refuseNearMethod } from '../mistakes/near-method.ts';
import { shown } from '../mistakes/shown.ts';
import { methodNames } from '../protocol/catalogue.ts';
import type { ActsBehind, Endpoint, Served } from '../host/endpoint.ts';
import type { Host } from '../host/host.ts';
import { createEndpoint } from '../host/serve.ts';
import { listMethods } from './merged/lists.ts';
import { openMerged, type Merged } from './merged/merged.ts';
import { openSingle, type Single, type SingleOptions, type UpstreamFacts } from './single/single.ts';
import type { ConnectUpstream } from './upstream/opener.ts';
import type { Middleware, Uses } from '../peer/middleware/middleware.ts';
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
import type { UpstreamStanding } from './merged/slot.ts';
import type { UpstreamIdentity } from './upstream-auth.ts';

/** One endpoint in front of one server, for clients of every revision; serve it like a server. */
export interface Bridge extends Served, Uses {
  /** Description of the server behind the bridge; where each client is itself there, nothing but its URL is known. */
  readonly upstream: UpstreamFacts;
  /**
   * Answers a request of a browser for the pages at which people sign in at the server (`upstreamAuth` with `as: 'per-principal'`);
   * `undefined` for any other request, which is for others.
   */
  pages(request: Request): Promise<Response> | undefined;
  /** Ends every conversation and every upstream connection. */
  close(): Promise<void>;
}

/** One endpoint in front of several servers, for clients of every revision; serve it like a server. */
export interface MergedBridge extends Served, Uses {
  /** Standing of each server, in order. */
  readonly upstreams: readonly UpstreamStanding[];
  /** Answers a request of a browser for the pages at which people sign in at one of the servers; `undefined` for any other. */
  pages(request: Request): Promise<Response> | undefined;
  /** Ends every conversation and every upstream connection. */
  close(): Promise<void>;
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
   * Makes one of several servers. Those that are not reached in time join later; their part is missing until then.
   *
   * @throws ConnectionError when none of them is reached.
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
    if (options.tasks !== undefined) (await import('./tasks/kept/task-options.ts')).checkKeptTasks(options.tasks);
    return 'upstreams' in options ? mergedBridge(options, connect) : singleBridge(options, connect);
  }
  return create;
}

/** @throws TypeError for options that do not say what is behind the bridge, or say it twice. */
function checkTarget(options: Partial<BridgeOptions & MergedBridgeOptions> | undefined): void {
  if ((options?.upstream === undefined) === (options?.upstreams === undefined))
    throw new TypeError('createBridge takes { upstream } for one server or { upstreams } for several');
}

async function settingsOf(options: BridgeBehavior): Promise<Settings> {
  const settings = bridgeSettingsOf(options);
  const { rateLimits } = options;
  return rateLimits === undefined
    ? settings
    : { ...settings, rates: (await import('./rates.ts')).ratesOf(rateLimits, settings) };
}

async function singleBridge(options: BridgeOptions, connect: ConnectUpstream): Promise<Bridge> {
  checkUpstream('createBridge', options);
  const settings = await settingsOf(options);
  const acting = await actingAs({ createBridge: options }, settings);
  const identity = acting.identities.get('createBridge') ?? everybody;
  const places = placesOf(settings);
  const parts = { ...options, ...settings, connect, places };
  if (acting.asCallers) {
    const late = await import('./principals/open.ts');
    const principals = late.principalsOf(settings, places, (principal, signal) =>
      late.openFor(principal, identity, { ...parts, signal }),
    );
    return { ...guardable(principals, acting, settings), upstream: unknownFacts(options.upstream) };
  }
  const single = await openSingle({ ...parts, auth: authOf(identity) });
  tellOfService(settings, [[single.facts?.description ?? '', identity]]);
  return {
    ...guardable(served(within(single.host, settings), single), acting, settings),
    get upstream() {
      return single.facts ?? unknownFacts(options.upstream);
    },
  };
}

async function mergedBridge(options: MergedBridgeOptions, connect: ConnectUpstream): Promise<MergedBridge> {
  const settings = await settingsOf(options);
  const { upstreams, patienceMs = 10_000 } = options;
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
  if (!Number.isSafeInteger(patienceMs) || patienceMs < 1)
    throw new TypeError(`patienceMs must be a positive integer, not ${shown(patienceMs)}`);
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
      state: 'connecting' as const,
      failure: undefined,
      facts: undefined,
    }));
    return { ...guardable(principals, acting, settings), upstreams: upstreamsOf };
  }
  const merged = await openSeveral(parts, (single, identity) => openSingle({ ...single, auth: authOf(identity) }));
  return {
    ...guardable(served(within(merged.host, settings), merged), acting, settings),
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
  const { upstreams, prefix = 'collisions', patienceMs = 10_000, upstreamRevisions, probeTimeoutMs, signal } = options;
  let stands = false;
  const merged = await openMerged({
    settings,
    prefix,
    patienceMs,
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

/** Says of whom nobody would think: clients that are told apart here are one machine there. */
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
  readonly behind: ActsBehind | undefined;
  /** Answers requests of browsers for the pages at which people sign in. */
  pages(request: Request): Promise<Response> | undefined;
}

const noPages = (): undefined => undefined;

/** The identity where there are no credentials. */
const everybody: UpstreamIdentity = { kind: 'one', auth: undefined, isService: false };

function authOf(identity: UpstreamIdentity): SingleOptions['auth'] {
  return 'auth' in identity ? identity.auth : undefined;
}

/**
 * Finds out whom a bridge is at each server. Most bridges have no credentials, and load nothing for it.
 *
 * @throws TypeError for choices that make no sense.
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
  if (!hasCredentials) return { identities: new Map(), asCallers: false, behind: undefined, pages: noPages };
  const { behindOf, identityOf, isOfPrincipals } = await import('./upstream-auth.ts');
  const identities = new Map(Object.entries(upstreams).map(([name, options]) => [name, identityOf(name, options)]));
  const all = [...identities.values()];
  const behind = behindOf(all);
  if (!all.some(({ kind }) => kind === 'per-principal'))
    return { identities, asCallers: all.some(isOfPrincipals), behind, pages: noPages };
  const { signingIn } = await import('./principals/signing-in.ts');
  return { ...signingIn(identities, settings), asCallers: true, behind };
}

function guardable(standalone: Standalone, { behind, pages }: Acting, settings: Settings): WithPages {
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
    pages,
  };
}

/** Facts of a server that nobody is connected to for all. */
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
  readonly endpoint: Endpoint;
  close(): Promise<void>;
}

/** The same, with pages and middleware. */
interface WithPages extends Standalone, Uses, Pick<Acting, 'pages'> {}

function within(host: Host, { rates }: Settings): Host {
  return rates?.within(host) ?? host;
}

function served(host: Parameters<typeof createEndpoint>[0], standing: Standing): Standalone {
  const endpoint = createEndpoint(host, () => standing.stop());
  return {
    endpoint,
    close: async () => {
      await endpoint.close();
      await standing.close();
    },
  };
}
