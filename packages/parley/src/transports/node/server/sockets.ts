/** The connections of a server, as they come and go. One address has as many as it leaves free. */

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ownerOf } from '../../../auth/common/owner.ts';
import { Quota } from '../../http/server/exchanges/quota.ts';
import { harmless } from '../../../options/harmless.ts';
import { isProxyAmong, type TrustedProxies } from './proxies/trusted-proxies.ts';

/** Limits of connections. */
export interface SocketLimits {
  readonly maxConnections?: number | undefined;
  /** Proxies, each of which has connections for many. */
  readonly trustedProxies?: TrustedProxies | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Follows the connections that are open. */
export function socketsOf(server: Server, limits: SocketLimits): ReadonlyMap<Socket, unknown> {
  const { maxConnections: most = 20_000, trustedProxies, onWarning = console.error } = limits;
  const isProxy = isProxyAmong(trustedProxies);
  const warn = harmless(onWarning);
  server.maxConnections = most;
  const sockets = new Map<Socket, { readonly owner?: string | undefined }>();
  const places = new Quota(most);
  let warned = false;
  // One function for all of them: each connection would keep its own as long as it is open.
  const forget = function (this: Socket): void {
    places.give(sockets.get(this) ?? {});
    sockets.delete(this);
  };
  server.on('connection', (socket) => {
    const { remoteAddress: address = '' } = socket;
    const client = { owner: address === '' || isProxy(address) ? undefined : ownerOf(undefined, address) };
    if (places.full(client) === 'own') {
      if (!warned)
        warn(
          `connections of ${address} are closed: it has as many of maxConnections (${most}) as are free; if it is a proxy, name it in trustedProxies`,
        );
      warned = true;
      return void socket.destroy();
    }
    places.take(client);
    sockets.set(socket, client);
    socket.on('close', forget);
  });
  return sockets;
}
