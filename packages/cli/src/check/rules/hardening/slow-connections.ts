import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { settledWithin } from '../../../../../parley/src/jsonrpc/timeout.ts';

/** Connections whose requests never come to an end. */
export interface SlowConnections {
  /** Number of those that were opened, and that the server has not closed since. */
  readonly opened: number;
  /** Number of those that the server has neither accepted nor refused. */
  readonly waiting: number;
  /** Sends one more byte on each. */
  drip(): void;
  close(): void;
}

/** Opens connections to a server of HTTP, each with the beginning of a request. Those that are refused are left out. */
export async function openSlowly(url: URL, count: number, waitTimeoutMs: number): Promise<SlowConnections> {
  const sockets = Array.from({ length: count }, () => begun(url));
  const opening = sockets.map(
    (socket) =>
      new Promise<void>((resolve) => {
        socket.once('drain', resolve).once('close', () => resolve());
        socket.write(`POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\nx-slow: `, () => resolve());
      }),
  );
  await settledWithin(waitTimeoutMs, Promise.all(opening));
  const isOpen = (socket: Socket): boolean => !socket.destroyed && !socket.connecting;
  return {
    get opened() {
      return sockets.filter(isOpen).length;
    },
    get waiting() {
      return sockets.filter(({ connecting, destroyed }) => connecting && !destroyed).length;
    },
    drip() {
      for (const socket of sockets) if (isOpen(socket)) socket.write('a');
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function begun({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket =
    protocol === 'https:'
      ? connectSecurely({ host, port: Number(port || 443), servername: host })
      : connect({ host, port: Number(port || 80) });
  // It is left out.
  socket.on('error', () => undefined).resume();
  return socket;
}
