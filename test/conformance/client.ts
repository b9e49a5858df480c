/**
 * The client that the official conformance suite starts once for each scenario, which it names in the environment:
 * `node test/conformance/client.ts <url>`. Exits with 1 when the scenario is unknown or goes wrong.
 */

import { connect, type Client, type ConnectOptions, type HttpTransportOptions } from '../../src/client.ts';
import { authorizationOf } from './client-authorization.ts';
import { scenarios } from './client-scenarios.ts';

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

async function play(run: (client: Client, context: unknown) => Promise<unknown>, address: string): Promise<void> {
  const client = await connect(address, options);
  try {
    await run(client, context);
  } finally {
    await client.close();
  }
}

const run = scenarios.get(name);
try {
  if (url === undefined) throw new TypeError('give the URL of the server');
  if (run === undefined) throw new TypeError(`there is no scenario ${JSON.stringify(name)}`);
  await play(run, url);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
