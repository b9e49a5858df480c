/** What the tests of the `fetch` of Node have in common. */

import type { FetchRequest, FetchResponse } from '../../packages/parley/src/jsonrpc/fetch.ts';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export const post: FetchRequest = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{}',
  redirect: 'manual',
  signal: new AbortController().signal,
};
export const get: FetchRequest = { method: 'GET', headers: {}, redirect: 'manual', signal: post.signal };

/** A response of a raw server. */
export const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** The body of a response, as Latin-1. */
export async function textOf({ body }: FetchResponse): Promise<string> {
  const reader = body?.getReader();
  let text = '';
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
    text += Buffer.from(next.value ?? []).toString('latin1');
  return text;
}

/** A server that is a socket: `answer` is told how many requests came on the connection, and on all. */
export async function rawServer(
  t: TestContext,
  answer: (socket: Socket, onThis: number, onAll: number) => void,
): Promise<{ readonly url: string; readonly requests: () => number }> {
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let onThis = 0;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => answer(socket, ++onThis, ++requests));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // A server that listens on a port has the address of one.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests: () => requests };
}
