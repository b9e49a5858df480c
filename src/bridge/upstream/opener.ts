import { GapBrake } from './gap-brake.ts';
import type { Client } from '../../client/client.ts';
import { hearGaps, useWithin } from '../../client/create-client.ts';
import type { ConnectOptions } from '../../client/options.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import type { Chain } from '../../connection/middleware/chain.ts';
import type { Negotiated } from '../../client/connection/negotiate.ts';
import type { Implementation } from '../../protocol/features/common.ts';
import type { CacheStore } from '../../storage/cache.ts';
import { memoryCacheStore } from '../../storage/memory/cache.ts';
import type { UpstreamTools } from '../known-tools.ts';
import { ended } from './closing.ts';
import type { UpstreamCredentials } from '../upstream-auth.ts';
import type { OpenClient } from './upstream-options.ts';

/** Opens a client to the upstream server. */
export type ConnectUpstream = (
  target: Transport | URL | string,
  options: ConnectOptions & { readonly auth?: UpstreamCredentials },
) => Promise<Client>;

/** Options that the connections of one upstream have in common. */
export interface OpenerOptions {
  /** The way of one connection to it: of the main one, or another. */
  wayOf(isMain: boolean): Transport | URL | string;
  readonly connect: ConnectUpstream;
  /** Authorization of every connection, where it is by URL. */
  readonly auth?: UpstreamCredentials | undefined;
  /** True when what may be answered depends on who calls, so that nothing is kept. */
  readonly keepsNothing?: boolean | undefined;
  /** Name of the bridge, where it does not pass its client's name on. */
  readonly info: Implementation;
  readonly tools: UpstreamTools;
  /** The middleware of the bridge. */
  readonly chain: Chain;
  readonly upstreamRevisions?: readonly string[] | undefined;
  readonly probeTimeoutMs?: number | undefined;
  /** Gives up the first connection; later ones are opened until they are closed. */
  readonly signal?: AbortSignal | undefined;
  onWarning(message: string): void;
}

/**
 * Makes what opens connections to one upstream, each of them as often as it is lost for good; what the first one finds
 * out is known to the later ones.
 */
export function opener(options: OpenerOptions): (isMain: boolean) => OpenClient {
  const { auth, connect, info, tools, chain, upstreamRevisions, probeTimeoutMs, signal, onWarning } = options;
  let negotiated: Negotiated | undefined;
  const cacheStore = options.keepsNothing === true ? noStore : memoryCacheStore();
  const over =
    (way: Transport | URL | string): OpenClient =>
    async ({ onLog, onNotification, onReconnect, onGap, onRequest }, self, closed) => {
      const client = await connect(way, {
        ...(auth === undefined ? {} : { auth }),
        info: self?.info ?? info,
        capabilities: self?.capabilities ?? {},
        advertise: false,
        ...(upstreamRevisions === undefined ? {} : { revisions: upstreamRevisions }),
        ...(negotiated === undefined ? {} : { negotiated }),
        ...(probeTimeoutMs === undefined ? {} : { probeTimeoutMs }),
        signal: negotiated !== undefined || signal === undefined ? closed : AbortSignal.any([closed, signal]),
        // Results go to somebody else, who may keep and check them: a bridge changes and refuses nothing.
        validateOutput: false,
        exactNumbers: true,
        // Only requests that say so use what is kept.
        cache: 'bypass',
        cacheStore,
        cacheKey: 'upstream',
        onRequest,
        onLog,
        onNotification,
        onReconnect,
        onWarning,
      }).catch(async (error: unknown): Promise<never> => {
        // The place of a process is free when it has ended.
        await ended(way);
        throw error;
      });
      negotiated = client.negotiated;
      useWithin(client, chain);
      const gaps = new GapBrake(onGap);
      hearGaps(client, () => gaps.note());
      void client.closed.then(() => gaps.close());
      client.learnTools(tools.mirroring);
      return client;
    };
  return (isMain) => over(options.wayOf(isMain));
}

/** Keeps nothing. */
const noStore: CacheStore = { get: () => undefined, set: () => undefined, delete: () => undefined };
