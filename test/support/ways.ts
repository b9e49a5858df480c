/** The ways in which a client of this process reaches a server of it. */

import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import { createHandler } from '../../packages/parley/src/transports/http/server/fetch.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import type { Server } from '../../packages/parley/src/server/server.ts';

/** One way, and what makes a transport of it. */
export interface Way {
  readonly name: string;
  reach(server: Server): Transport;
}

/** Without a process or a socket between. */
export const ways: readonly Way[] = [
  { name: 'memory', reach: (server) => memoryTransport(server) },
  {
    name: 'HTTP',
    reach(server) {
      const handler = createHandler(server);
      return httpTransport('http://127.0.0.1/mcp', { fetch: (url, request) => handler(new Request(url, request)) });
    },
  },
];
