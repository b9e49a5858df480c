import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Endable } from './inspected.ts';

/** Has a server listen on loopback for the time of a test. @returns Its origin, such as `http://127.0.0.1:4711`. */
export async function originOf(t: Endable, http: Server): Promise<string> {
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.after(async () => {
    const closed = once(http, 'close');
    http.close();
    http.closeAllConnections();
    await closed;
  });
  // What listens at a port has an address of this form.
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}
