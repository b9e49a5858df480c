import type { Endpoint, Served } from '../host/endpoint.ts';
import { createEndpoint } from '../host/serve.ts';
import { listMethods } from './merged/lists.ts';
import { openMerged } from './merged/merged.ts';
import { openSingle, type UpstreamFacts } from './single/single.ts';
import type { ConnectUpstream } from './upstream/opener.ts';
import { checkNames } from './option-names.ts';
import {
  checkUpstream,
  bridgeSettingsOf,
  type BridgeOptions,
  type MergedBridgeOptions,
  type Settings,
} from './options.ts';
import { ConnectionLimit } from './upstream/connection-limit.ts';
import type { UpstreamStanding } from './merged/slot.ts';

/** One endpoint in front of one server, for clients of every revision; serve it like a server. */
export interface Bridge extends Served {
  /** Description of the server behind the bridge. */
  readonly upstream: UpstreamFacts;
  /** Ends every conversation and every upstream connection. */
  close(): Promise<void>;
}

/** One endpoint in front of several servers, for clients of every revision; serve it like a server. */
export interface MergedBridge extends Served {
  /** Standing of each server, in order. */
  readonly upstreams: readonly UpstreamStanding[];
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
  async function create(options: BridgeOptions | MergedBridgeOptions): Promise<Bridge | MergedBridge> {
    checkTarget(options);
    checkNames(options);
    return 'upstreams' in options ? mergedBridge(options, connect) : singleBridge(options, connect);
  }
  return create;
}

/** @throws TypeError for options that do not say what is behind the bridge, or say it twice. */
function checkTarget(options: Partial<BridgeOptions & MergedBridgeOptions> | undefined): void {
  if ((options?.upstream === undefined) === (options?.upstreams === undefined))
    throw new TypeError('createBridge takes { upstream } for one server or { upstreams } for several');
}

async function singleBridge(options: BridgeOptions, connect: ConnectUpstream): Promise<Bridge> {
  checkUpstream('createBridge', options);
  const settings = bridgeSettingsOf(options);
  const single = await openSingle({ ...options, ...settings, connect, places: placesOf(settings) });
  return {
    ...served(single.host, single),
    get upstream() {
      return single.facts;
    },
  };
}

async function mergedBridge(options: MergedBridgeOptions, connect: ConnectUpstream): Promise<MergedBridge> {
  const settings = bridgeSettingsOf(options);
  const { upstreams, prefix = 'collisions', patienceMs = 10_000, upstreamRevisions, probeTimeoutMs, signal } = options;
  const entries = Object.entries(upstreams);
  if (entries.length === 0) throw new TypeError('upstreams must name a server at least');
  for (const [name, entry] of entries) {
    checkUpstream(`upstreams.${name}`, entry);
  }
  if (entries.length > settings.maxUpstreams)
    throw new TypeError(`maxUpstreams is ${settings.maxUpstreams}, which is too few for ${entries.length} upstreams`);
  if (!Number.isSafeInteger(patienceMs) || patienceMs < 1)
    throw new TypeError(`patienceMs must be a positive integer, not ${patienceMs}`);
  const places = placesOf(settings);
  let stands = false;
  const merged = await openMerged({
    settings,
    prefix,
    patienceMs,
    random: Math.random,
    servers: entries.map(([name, { upstream, revisions = upstreamRevisions, sharing }]) => [
      name,
      (closed, onWarning) =>
        openSingle({
          ...settings,
          upstream,
          connect,
          places,
          sharing,
          silent: listMethods,
          ofPart: true,
          probeTimeoutMs,
          upstreamRevisions: revisions,
          signal: signal === undefined || stands ? closed : AbortSignal.any([closed, signal]),
          onWarning,
        }),
    ]),
  });
  stands = true;
  return {
    ...served(merged.host, merged),
    get upstreams() {
      return merged.upstreams;
    },
  };
}

function placesOf({ maxUpstreams, maxUpstreamsPerClient }: Settings): ConnectionLimit {
  return new ConnectionLimit(maxUpstreams, maxUpstreamsPerClient);
}

/** Host behind an endpoint, with its end. */
interface Standing {
  stop(): void;
  close(): Promise<void>;
}

function served(
  host: Parameters<typeof createEndpoint>[0],
  standing: Standing,
): { readonly endpoint: Endpoint; close(): Promise<void> } {
  const endpoint = createEndpoint(host, () => standing.stop());
  return {
    endpoint,
    close: async () => {
      await endpoint.close();
      await standing.close();
    },
  };
}
