/** Bridges that make one of several servers of ours in memory. */

import type { TestContext } from 'node:test';
import { createBridge, type MergedBridge, type MergedBridgeOptions } from '../../packages/parley/src/bridge.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../packages/parley/src/server/server.ts';
import type { ServerOptions } from '../../packages/parley/src/server/definition/options.ts';

/** How a front is made for a test; it complains to nobody. */
export type QuietFrontOptions = Partial<Omit<MergedBridgeOptions, 'upstreams'>> & { readonly warnings?: string[] };

/** A server that speaks one revision alone, under a name. */
export function namedServer(name: string, date: RevisionDate, options: ServerOptions = {}): Server {
  return createServer({ name, version: '1.0.0' }, { revisions: [date], onError: () => undefined, ...options });
}

/** Puts a bridge in front of several servers, or ways to servers, until the test is over. */
export async function frontOf(
  t: TestContext,
  servers: Readonly<Record<string, Server | Transport>>,
  options: QuietFrontOptions = {},
): Promise<MergedBridge> {
  const { warnings, ...rest } = options;
  const upstreams = Object.entries(servers).map(([name, server]) => [
    name,
    { upstream: 'open' in server ? server : memoryTransport(server) },
  ]);
  const bridge = await createBridge({
    upstreams: Object.fromEntries(upstreams),
    onWarning: (message) => void warnings?.push(message),
    onError: () => undefined,
    ...rest,
  });
  t.after(() => bridge.close());
  return bridge;
}
