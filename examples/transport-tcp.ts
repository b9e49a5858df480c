/** MCP over a TCP socket. Each line is one message. */

import { createConnection, createServer, type Socket } from 'node:net';
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

/** Maximum length of a line, and of the output that waits for a slow peer, in bytes. */
const most = { line: 4 * 1024 * 1024, waiting: 16 * 1024 * 1024 };

/** A server that listens. */
export interface TcpServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves on a port of this machine. Each connection belongs to one client. */
export async function serveTcp(served: Servable, port = 0): Promise<TcpServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveSocket(served.endpoint, socket);
  });
  server.maxConnections = 1000;
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    // The address of a server that listens on a port is an object.
    port: (server.address() as { readonly port: number }).port,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function serveSocket(endpoint: RequestHandler, socket: Socket): void {
  const send = (message: Parameters<typeof toText>[0]): void => {
    const text = toText(message);
    if (text === undefined || socket.destroyed) return;
    socket.write(`${text}\n`);
    // This client sends requests and does not read the answers.
    if (socket.writableLength > most.waiting) socket.destroy();
  };
  const conversation = endpoint.openConnection({ lasting: true, network: 'tcp', address: socket.remoteAddress, send });
  readLines(socket, {
    line(text) {
      let value: unknown;
      try {
        value = parseMessage(text, { exactNumbers: endpoint.exactNumbers });
      } catch (error) {
        return send(conversation.unreadable(String(error)));
      }
      answerReceived(conversation, value, (response) => response !== undefined && send(response));
    },
    tooLong() {
      send(conversation.unreadable(`a line is longer than ${most.line} bytes`));
      socket.destroySoon();
    },
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => conversation.close());
}

/** Connects to a server over TCP. Each `open` makes a new connection. */
export function tcpTransport(port: number, host = '127.0.0.1'): Transport {
  const address = `tcp://${host}:${port}`;
  // A socket is a plain stream of messages, so no other property is needed.
  return { description: address, address, open: (receiver) => openSocket(createConnection({ port, host }), receiver) };
}

async function openSocket(socket: Socket, receiver: Receiver): Promise<Channel> {
  try {
    await once(socket, 'connect');
  } catch (cause) {
    throw new ConnectionError('refused', 'the server is not reached', { cause });
  }
  let ended: ConnectionError | undefined;
  const end = (error: ConnectionError): void => {
    if (ended !== undefined) return;
    ended = error;
    socket.destroy();
    receiver.closed(error);
  };
  readLines(socket, {
    line(text) {
      try {
        receiver.message(parseMessage(text, { exactNumbers: receiver.exactNumbers }), { text });
      } catch (error) {
        receiver.problem(error instanceof Error ? error : new Error(String(error)));
      }
    },
    tooLong: () => end(new ConnectionError('too-large', `a line is longer than ${most.line} bytes`)),
  });
  socket.on('error', (cause) => end(new ConnectionError('closed', 'the connection broke', { cause })));
  socket.on('close', () => end(new ConnectionError('closed', 'the server closed the connection')));
  return {
    async send(message) {
      const text = messageText(message);
      if (ended !== undefined) throw ended;
      if (socket.writableLength > most.waiting)
        throw new ConnectionError('too-large', `${socket.writableLength} bytes wait for the server`);
      socket.write(`${text}\n`);
    },
    async close() {
      ended ??= new ConnectionError('closed', 'the conversation was closed here');
      socket.destroySoon();
    },
  };
}

interface LineReader {
  line(text: string): void;
  /** Called once. Reading stops then. */
  tooLong(): void;
}

/** Splits a stream into lines, and limits their length. */
function readLines(socket: Socket, { line, tooLong }: LineReader): void {
  const decoder = new TextDecoder();
  let parts: Buffer[] = [];
  let held = 0;
  let isOver = false;
  const add = (part: Buffer): void => {
    held += part.length;
    isOver = held > most.line;
    if (isOver) parts = [];
    else parts.push(part);
  };
  socket.on('data', (chunk: Buffer) => {
    let begin = 0;
    while (!isOver) {
      const newline = chunk.indexOf(0x0a, begin);
      add(chunk.subarray(begin, newline < 0 ? undefined : newline));
      if (isOver) return tooLong();
      if (newline < 0) return;
      const text = decoder.decode(Buffer.concat(parts));
      [parts, held, begin] = [[], 0, newline + 1];
      if (text.trim() !== '') line(text);
    }
  });
}
