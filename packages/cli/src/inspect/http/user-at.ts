import { readFileSync } from 'node:fs';

/** Two ends of a connection of this machine, over IPv4. */
export interface LocalEnds {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

/** Tables of connections of Linux: of IPv4, and of IPv6, in which programs may have addresses of IPv4 too. */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'];

/** Finds the user at the other end of a connection of this machine; `undefined` where the system does not tell. */
export function userAt(
  { remoteAddress, remotePort, localAddress, localPort }: LocalEnds,
  read: (table: string) => string = (table) => readFileSync(table, 'utf8'),
): number | undefined {
  const [theirs, ours] = [written(remoteAddress, remotePort), written(localAddress, localPort)];
  if (theirs === undefined || ours === undefined) return undefined;
  for (const table of tables) {
    let text: string;
    try {
      text = read(table);
    } catch {
      // The table does not exist.
      continue;
    }
    const user = userIn(text, theirs, ours);
    if (user !== undefined) return user;
  }
  return undefined;
}

/**
 * Tells whether the user of a connection may have the page: the owner of this process, an unknown user, and the
 * administrator, who can read the process anyway and runs port relays (of WSL2, or of containers).
 */
export function mayEnter(user: number | undefined, own: number | undefined): boolean {
  return user === undefined || user === own || user === 0;
}

/** Finds the user of a connection in a table. */
function userIn(table: string, theirs: string, ours: string): number | undefined {
  for (const line of table.split('\n')) {
    const [, from = '', to = '', , , , , user] = line.trim().split(/\s+/);
    if (from.endsWith(theirs) && to.endsWith(ours)) return Number(user);
  }
  return undefined;
}

/** An end as the tables have it: the bytes of the address from the last to the first, and the port. */
function written(address: string | undefined, port: number | undefined): string | undefined {
  if (address === undefined || port === undefined || !/^[\d.]+$/.test(address)) return undefined;
  const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0');
  const bytes = address.split('.').map((byte) => hex(Number(byte), 2));
  return `${bytes.toReversed().join('')}:${hex(port, 4)}`;
}
