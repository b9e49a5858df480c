import type { Served } from '../peer/endpoint.ts';
import { createEndpoint } from '../peer/serve.ts';
import { openMember, type UpstreamFacts } from './member.ts';
import type { ConnectUpstream } from './opener.ts';
import { settingsOf, type BridgeOptions } from './options.ts';

/** One endpoint in front of one server, for clients of every revision; serve it like a server. */
export interface Bridge extends Served {
  /** What was found behind the bridge. */
  readonly upstream: UpstreamFacts;
  /** Ends every conversation and every upstream connection. */
  close(): Promise<void>;
}

/** Makes `createBridge` of a way to connect; the entry point gives it one that knows HTTP. */
export function bridgeOver(connect: ConnectUpstream): (options: BridgeOptions) => Promise<Bridge> {
  return (options) => createBridge(options, connect);
}

async function createBridge(options: BridgeOptions, connect: ConnectUpstream): Promise<Bridge> {
  const member = await openMember({ ...options, ...settingsOf(options), connect });
  const endpoint = createEndpoint(member.host, () => member.stop());
  return {
    endpoint,
    get upstream() {
      return member.facts;
    },
    close: async () => {
      await endpoint.close();
      await member.close();
    },
  };
}
