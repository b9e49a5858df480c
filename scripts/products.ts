/** The products of the package: which rooms of the library a program may load if it imports one entry point. */

import { entryPoints, roomOf } from './check/rooms-table.ts';

/** Rooms that belong to no product. Every product is made of them. */
const common: ReadonlySet<string> = new Set([
  entryPoints,
  'json',
  'options',
  'jsonrpc',
  'protocol',
  'schema',
  'sealing',
  'auth/common',
  'storage',
  'connection',
  'tasks',
  'transports/stdio',
  'transports/node',
]);

/** What a transport knows of a server. These modules are small, and belong to no product either. */
const seams: ReadonlySet<string> = new Set(['server/runtime/request-handler.ts', 'server/runtime/batch.ts']);

const server = ['server', 'server/runtime'];
const client = ['client', 'transports/http/client'];
const authorizedClient = ['auth/client'];
const protectedServer = ['auth/server'];
const bridge = [...server, ...client, ...authorizedClient, 'auth/consent', 'bridge'];
const nodeTransports = [
  'transports/node/server',
  'transports/node/client',
  'transports/node/credentials',
  'transports/node/login',
];
const stdioTransports = ['transports/stdio/server', 'transports/stdio/client'];

/** The rooms that each entry point may load beside the common ones, at its start or later. */
const roomsOf: Readonly<Record<string, readonly string[]>> = {
  index: [...bridge, 'transports/http/server'],
  server,
  client,
  bridge,
  protect: protectedServer,
  account: [...authorizedClient, 'auth/consent', 'auth/accounts', 'server'],
  http: ['transports/http/server', 'transports/http/client', 'server/runtime'],
  oauth: authorizedClient,
  stdio: [...stdioTransports, 'server/runtime'],
  node: [...nodeTransports, 'transports/http/server', 'server/runtime'],
  sqlite: ['storage/sqlite'],
  postgres: ['storage/postgres'],
  redis: ['storage/redis'],
  otel: ['telemetry'],
  protocol: [],
  testing: [...server, ...client, 'testing'],
};

/** Whether a program that imports an entry point may load a module, which is named by its path in the sources of the library. */
export function mayLoad(entry: string, path: string): boolean {
  const room = roomOf(path);
  const rooms = roomsOf[entry];
  if (rooms === undefined) throw new Error(`${entry} has no row in scripts/products.ts`);
  return room !== undefined && (common.has(room) || seams.has(path) || rooms.includes(room));
}
