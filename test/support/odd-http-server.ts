/** A server over HTTP that is written by hand, so that it can answer wrongly, or not at all. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Endable } from './inspected.ts';

type Message = Readonly<Record<string, unknown>>;

/** Answers a message in its own way. @returns True where it did. */
export type OddAnswer = (message: Message, response: ServerResponse) => boolean;

/** A server that can be taken down, and put up again at the same address. */
export interface OddServer {
  readonly url: string;
  down(): Promise<void>;
  up(): Promise<void>;
}

/** Answers of a plain server of sessions: it has one tool, and says nothing unasked. */
const results: Readonly<Record<string, Message>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'odd', version: '1' },
  },
  'tools/list': { tools: [{ name: 'odd', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
  ping: {},
};

/** Serves it for the time of a test. */
export async function oddServer(t: Endable, odd: OddAnswer): Promise<OddServer> {
  let server: Server;
  let port = 0;
  const down = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const up = async (): Promise<void> => {
    server = createServer((request, response) => void answer(request, response, odd));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    // It listens at a port, so that the address is one of those.
    ({ port } = server.address() as AddressInfo);
  };
  await up();
  t.after(down);
  return { url: `http://127.0.0.1:${port}/mcp`, down, up };
}

async function answer(request: IncomingMessage, response: ServerResponse, odd: OddAnswer): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += String(piece);
  // The client sends nothing else.
  const message = JSON.parse(text) as Message;
  if (odd(message, response)) return;
  const method = String(message['method']);
  if (message['id'] === undefined) return void response.writeHead(202).end();
  const result = results[method];
  const body =
    result === undefined
      ? { jsonrpc: '2.0', id: message['id'], error: { code: -32601, message: `no ${method}` } }
      : { jsonrpc: '2.0', id: message['id'], result };
  json(response, body);
}

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status: number = 200): true {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  return true;
}
