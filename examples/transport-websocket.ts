/** A transport of your own: MCP over a WebSocket, where each text frame is a message. */

import { once } from 'node:events';
import {
  ConnectionError,
  messageText,
  parseMessage,
  type Channel,
  type Receiver,
  type Transport,
} from 'parley-mcp/protocol';
import { answerReceived, toText, type RequestHandler, type Servable } from 'parley-mcp/server';
import { WebSocket, WebSocketServer, type RawData } from 'ws';

/** How long a message may be, and how much may wait for a peer that does not read, in bytes. */
const most = { message: 4 * 1024 * 1024, waiting: 16 * 1024 * 1024 };

/** A server that listens. */
export interface WebSocketServed {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves on a port of this machine; each WebSocket is a conversation with one client. */
export async function serveWebSocket(served: Servable, port = 0): Promise<WebSocketServed> {
  const server = new WebSocketServer({
    port,
    host: '127.0.0.1',
    maxPayload: most.message,
    // Pages of the web can open WebSockets to this machine; none of them is a client.
    verifyClient: ({ origin }: { readonly origin?: string }) => origin === undefined,
  });
  server.on('connection', (socket, request) => serveSocket(served.endpoint, socket, request.socket.remoteAddress));
  await once(server, 'listening');
  // A server that listens on a port has an address that is an object.
  const { port: taken } = server.address() as { readonly port: number };
  return {
    url: `ws://127.0.0.1:${taken}`,
    close: async () => {
      server.close();
      for (const socket of server.clients) socket.terminate();
    },
  };
}

function serveSocket(endpoint: RequestHandler, socket: WebSocket, address: string | undefined): void {
  const send = (message: Parameters<typeof toText>[0]): void => {
    const text = toText(message);
    if (text === undefined || socket.readyState !== WebSocket.OPEN) return;
    socket.send(text);
    // Whoever asks and never reads is no client.
    if (socket.bufferedAmount > most.waiting) socket.terminate();
  };
  const conversation = endpoint.openConnection({ lasting: true, network: 'tcp', address, send });
  socket.on('message', (data, isBinary) => {
    let value: unknown;
    try {
      value = parseMessage(textOf(data, isBinary), { exactNumbers: endpoint.exactNumbers });
    } catch (error) {
      return send(conversation.unreadable(String(error)));
    }
    answerReceived(conversation, value, (response) => response !== undefined && send(response));
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => conversation.close());
}

/** Reaches a server over a WebSocket; every conversation has one of its own. The URL must hold no secret. */
export function webSocketTransport(url: string): Transport {
  // No more facts: a WebSocket is a plain stream of messages.
  return { description: url, address: url, open: (receiver) => openSocket(url, receiver) };
}

async function openSocket(url: string, receiver: Receiver): Promise<Channel> {
  const socket = new WebSocket(url, { maxPayload: most.message });
  try {
    await once(socket, 'open');
  } catch (cause) {
    throw new ConnectionError('refused', 'the server is not reached', { cause });
  }
  let ended: ConnectionError | undefined;
  const end = (error: ConnectionError): void => {
    if (ended !== undefined) return;
    ended = error;
    socket.terminate();
    receiver.closed(error);
  };
  socket.on('message', (data, isBinary) => {
    if (ended !== undefined) return;
    try {
      const text = textOf(data, isBinary);
      receiver.message(parseMessage(text, { exactNumbers: receiver.exactNumbers }), { text });
    } catch (error) {
      receiver.problem(error instanceof Error ? error : new Error(String(error)));
    }
  });
  socket.on('error', (cause) => end(new ConnectionError('closed', 'the connection broke', { cause })));
  socket.on('close', () => end(new ConnectionError('closed', 'the server closed the connection')));
  return {
    async send(message) {
      const text = messageText(message);
      if (ended !== undefined) throw ended;
      if (socket.bufferedAmount > most.waiting)
        throw new ConnectionError('too-large', `${socket.bufferedAmount} bytes wait for the server`);
      socket.send(text);
    },
    async close() {
      ended ??= new ConnectionError('closed', 'the conversation was closed here');
      socket.close();
    },
  };
}

/** @throws TypeError for a binary frame: a message is text. */
function textOf(data: RawData, isBinary: boolean): string {
  if (isBinary || !Buffer.isBuffer(data)) throw new TypeError('a message must be a text frame');
  return data.toString('utf8');
}
