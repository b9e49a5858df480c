/** What three users make of an odd server over HTTP. */

import { createBridge } from '../../src/bridge.ts';
import { explainServer } from '../../src/cli/explain/server.ts';
import { connect } from '../../src/client.ts';
import { httpTransport } from '../../src/http/client/transport.ts';
import { memoryTransport } from '../../src/testing/memory-transport.ts';
import { freshUrl, type Fetch } from './peers.ts';

/** Whether explain says that a server works, and whether it does for a client, and through a bridge. */
export async function agreed(fetch: Fetch): Promise<readonly boolean[]> {
  const reach = (): ReturnType<typeof httpTransport> => httpTransport(freshUrl(), { fetch });
  const { works } = await explainServer({
    reach,
    timeoutMs: undefined,
    wire: false,
    signal: new AbortController().signal,
  });
  const direct = connect(reach()).then(async (client) => {
    await client.listTools();
    await client.close();
  });
  const bridged = createBridge({ upstream: reach(), onWarning: () => undefined }).then(async (bridge) => {
    const client = await connect(memoryTransport(bridge));
    await client.listTools();
    await client.close();
    await bridge.close();
  });
  const tried = await Promise.allSettled([direct, bridged]);
  return [works, ...tried.map(({ status }) => status === 'fulfilled')];
}
