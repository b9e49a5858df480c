/** Servers that are started anew by each connection, as processes on stdio are: each has its state to itself. */

import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';

/** A transport each of whose conversations has a server of its own, without the cost of a process. */
export function processesOf(start: () => Servable): Transport {
  return {
    description: 'a process',
    ownsProcess: true,
    open: async (receiver) => await memoryTransport(start()).open(receiver),
  };
}
