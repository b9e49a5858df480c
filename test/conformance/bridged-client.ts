/**
 * The client of the suite with a bridge between it and the server, which is signed in at the server as the client would be:
 * `node test/conformance/bridged-client.ts <url>`. Exits with 1 when the scenario is unknown or goes wrong.
 */

import { createBridge } from '../../packages/parley/src/bridge.ts';
import { revisionOf, type RevisionDate } from '../../packages/parley/src/protocol.ts';
import { connectInMemory } from '../../packages/parley/src/testing.ts';
import { authorizationOf } from './client-authorization.ts';
import { playToEnd } from './client-scenarios.ts';

const url = process.argv[2];
const name = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const revision = revisionOf(process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] ?? '')?.date;
const context: unknown = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');

/** What the client speaks that is before the bridge. */
const before: RevisionDate = '2025-06-18';

if (url === undefined || revision === undefined) throw new TypeError('give the URL of the server and the revision');
await playToEnd(name, async (run) => {
  const bridge = await createBridge({
    upstream: url,
    ...authorizationOf(name, context),
    upstreamRevisions: [revision],
  });
  try {
    const client = await connectInMemory(bridge, { revision: before });
    await run(client, context);
    await client.close();
  } finally {
    await bridge.close();
  }
});
