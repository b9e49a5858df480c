/** What the servers here share, each of which is a script of its own: ways to serve on a free port of loopback, which is printed. */

import { createServer, Server, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { toNodeHandler } from '@modelcontextprotocol/node';

/** Serves a handler of web requests at `/mcp`. */
export function serveFetch(fetch: (request: Request) => Promise<Response>): void {
  const handle = toNodeHandler({ fetch });
  // Node's own types say `undefined` where the handler's leave a field out.
  const serve = handle as (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  tellWhere(createServer((request, response) => void serve(request, response))).listen(0, '127.0.0.1');
}

/** From now on whatever listens does so on a free port of loopback, whichever port it asks for. */
export function keepToLoopback(): void {
  const listen = Server.prototype.listen;
  Server.prototype.listen = function listenOnLoopback(this: Server, ...given: readonly unknown[]): Server {
    const heard = given.findLast((value) => typeof value === 'function');
    // A listener of `listening` takes nothing.
    if (heard !== undefined) this.once('listening', heard as () => void);
    return Reflect.apply(listen, tellWhere(this), [0, '127.0.0.1']);
  };
}

/** After each report of progress: the first SDK loses over stdio what arrives together with the result. */
export async function breath(): Promise<void> {
  await pause(20);
}

function tellWhere(server: Server): Server {
  return server.once('listening', () => {
    // A server on a port has an address of this form.
    const { port } = server.address() as AddressInfo;
    console.log(`http://127.0.0.1:${port}/mcp`);
  });
}
