import { GapBrake } from './gap-brake.ts';
import type { Client } from '../../client/api/client.ts';
import { hearGaps, useWithin } from '../../client/create-client.ts';
import type { ConnectOptions } from '../../client/api/options.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import type { MiddlewareStack } from '../../connection/middleware/middleware-stack.ts';
import type { Negotiated } from '../../client/api/negotiated.ts';
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
  /** Authorization of every connection, if the upstream is a URL. */
  readonly auth?: UpstreamCredentials | undefined;
  /** True if answers depend on the caller, so that nothing is cached. */
  readonly keepsNothing?: boolean | undefined;
  /** Name of the bridge, when it does not forward its client's name. */
  readonly info: Implementation;
  readonly tools: UpstreamTools;
  /** The middleware of the bridge. */
  readonly chain: MiddlewareStack;
  readonly upstreamRevisions?: readonly string[] | undefined;
  readonly probeTimeoutMs?: number | undefined;
  /** Aborts the first connection. Later ones are opened until they are closed. */
  readonly signal?: AbortSignal | undefined;
  onWarning(message: string): void;
}

/**
 * Makes the function that opens connections to one upstream, again after each permanent loss. Later connections use the
 * findings of the first.
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
        // The bridge's clients may cache and validate results: a bridge changes and rejects nothing.
        validateOutput: false,
        exactNumbers: true,
        // Only requests that set `cache` use the cache.
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
      client.primeTools(tools.mirroring);
      return client;
    };
  return (isMain) => over(options.wayOf(isMain));
}

/** Keeps nothing. */
const noStore: CacheStore = { get: () => undefined, set: () => undefined, delete: () => undefined };
