import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { after } from '../../../jsonrpc/timeout.ts';

/** Time that a request still has whose bytes were there when its time was over, in milliseconds. */
const moreMs = 10_000;

/** The connections of each server whose requests have more time. */
const late = new WeakMap<Server, Map<Socket, () => void>>();

/**
 * Finds out whether a request is late only because this process had no time to read it: Node looks for late requests
 * before it reads. Then the request gets more time, once. Otherwise it is refused.
 *
 * @param refuse Called when the request is late after all.
 */
export function unlessUnread(server: Server, socket: Socket, refuse: () => void): void {
  const waiting = late.get(server) ?? begin(server);
  if (waiting.has(socket)) return;
  const before = socket.bytesRead;
  const end = (): void => {
    forget(waiting, socket);
    refuse();
  };
  const look = (): void => {
    if (!waiting.has(socket)) return;
    if (socket.bytesRead === before) return end();
    waiting.set(socket, after(moreMs, end));
    socket.once('close', () => forget(waiting, socket));
  };
  waiting.set(socket, () => undefined);
  // Between two turns, what has arrived is read.
  setImmediate(() => setImmediate(look));
}

function begin(server: Server): Map<Socket, () => void> {
  const waiting = new Map<Socket, () => void>();
  late.set(server, waiting);
  // A request whose head has arrived is limited where its body is read.
  server.on('request', ({ socket }: IncomingMessage) => {
    if (waiting.size > 0) forget(waiting, socket);
  });
  return waiting;
}

function forget(waiting: Map<Socket, () => void>, socket: Socket): void {
  waiting.get(socket)?.();
  waiting.delete(socket);
}
