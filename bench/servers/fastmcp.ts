/** `fastmcp` with its own HTTP server. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type * as Fast from 'fastmcp';
import type * as Zod from 'zod';
import { peer } from '../harness/peers.ts';
import { ready } from './support.ts';
import { descriptions, largeText, moreNames } from './tools.ts';

const { FastMCP } = await peer<typeof Fast>('fastmcp');
const z = await peer<typeof Zod>('zod');

const quiet = (): void => undefined;
const server = new FastMCP({
  name: 'bench',
  version: '1.0.0',
  logger: { debug: quiet, error: quiet, info: quiet, log: quiet, warn: quiet },
});
const numbers = z.object({ a: z.number(), b: z.number() });
server.addTool({
  name: 'add',
  description: descriptions.add,
  parameters: numbers,
  execute: async ({ a, b }) => String(a + b),
});
server.addTool({ name: 'large', description: descriptions.large, execute: async () => largeText });
server.addTool({
  name: 'length',
  description: descriptions.length,
  parameters: z.object({ text: z.string() }),
  execute: async ({ text }) => String(text.length),
});
for (const name of moreNames)
  server.addTool({
    name,
    description: `The ${name}.`,
    parameters: numbers,
    execute: async ({ a }) => String(a),
  });

const port = await freePort();
await server.start({ transportType: 'httpStream', httpStream: { port, host: '127.0.0.1', endpoint: '/mcp' } });
ready(`http://127.0.0.1:${port}/mcp`);

/** It does not tell which port the system chose for it. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  // A server that listens on a port has such an address.
  const { port: free } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return free;
}
