/** A server of HTTP that answers as it is told, rightly or not. */

import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Endable } from './inspected.ts';

/** Makes the rest of a response to a request. */
export type Reply = (method: string, params: Record<string, unknown>) => object;

/** Serves answers that no server of ours would send. @returns Its address. */
export async function speaking(t: Endable, reply: Reply): Promise<string> {
  const server = createHttpServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => {
      text += piece;
    });
    request.on('end', () => {
      const { id, method, params } = JSON.parse(text === '' ? '{}' : text) as {
        id?: number;
        method: string;
        params: Record<string, unknown>;
      };
      if (id === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...reply(method, params) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  // A server that listens on a port has the address of one.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
