/**
 * The client that the official conformance suite starts once for each scenario, which it names in the environment:
 * `node test/conformance/client.ts <url>`. Exits with 1 when the scenario is unknown or goes wrong.
 */

import { connect, type ConnectOptions, type HttpTransportOptions } from '../../packages/parley/src/client.ts';
import { authorizationOf } from './client-authorization.ts';
import { playToEnd } from './client-scenarios.ts';

const url = process.argv[2];
const name = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const revision = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'];
const context: unknown = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');

/** The answers to whatever a scenario asks; content that is left out is filled in with defaults. */
const options: ConnectOptions & HttpTransportOptions = {
  ...authorizationOf(name, context),
  info: { name: 'parley-conformance', version: '1.0.0' },
  ...(revision === undefined ? {} : { revisions: [revision] }),
  onElicit: () => 'accept',
  onSample: () => 'Hello!',
  roots: [{ uri: 'file:///conformance', name: 'conformance' }],
};

if (url === undefined) throw new TypeError('give the URL of the server');
await playToEnd(name, async (run) => {
  const client = await connect(url, options);
  try {
    await run(client, context);
  } finally {
    await client.close();
  }
});
