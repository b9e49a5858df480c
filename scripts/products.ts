/** The products of the package: which rooms of `src/` a program may load if it imports one entry point. */

import { entryPoints, roomOf } from './check/rooms-table.ts';

/** Rooms that belong to no product. Every product is made of them. */
const common: ReadonlySet<string> = new Set([
  entryPoints,
  'json',
  'mistakes',
  'jsonrpc',
  'protocol',
  'schema',
  'seal',
  'auth',
  'store',
  'peer',
  'tasks',
  'stdio',
  'node',
]);

/** What a transport knows of a server. These modules are small, and belong to no product either. */
const seams: ReadonlySet<string> = new Set(['host/endpoint.ts', 'host/batch.ts']);

const server = ['server', 'host'];
const client = ['client', 'http/client'];
const authorizedClient = ['oauth'];
const protectedServer = ['protect'];
const bridge = [...server, ...client, ...authorizedClient, 'consent', 'bridge'];
const commandLine = ['cli', 'check', 'inspect', 'wire', 'fidelity'];
const nodeTransports = ['node/server', 'node/client', 'node/credentials', 'node/login'];
const stdioTransports = ['stdio/server', 'stdio/client'];

/** The rooms that each entry point may load beside the common ones, at its start or later. */
const roomsOf: Readonly<Record<string, readonly string[]>> = {
  index: [...bridge, 'http/server'],
  server,
  client,
  bridge,
  protect: protectedServer,
  account: [...authorizedClient, 'consent', 'account', 'server'],
  http: ['http/server', 'http/client', 'host'],
  oauth: authorizedClient,
  stdio: [...stdioTransports, 'host'],
  node: [...nodeTransports, 'http/server', 'host'],
  sqlite: ['sqlite'],
  postgres: ['postgres'],
  redis: ['redis'],
  otel: ['otel'],
  protocol: [],
  testing: [...server, ...client, 'testing'],
  'cli/main': [
    ...commandLine,
    ...bridge,
    ...nodeTransports,
    ...stdioTransports,
    'http/server',
    'redis',
    'otel',
    'testing',
  ],
};

/** Whether a program that imports an entry point may load a module, which is named by its path in `src/`. */
export function mayLoad(entry: string, path: string): boolean {
  const room = roomOf(path);
  const rooms = roomsOf[entry];
  if (rooms === undefined) throw new Error(`${entry} has no row in scripts/products.ts`);
  return room !== undefined && (common.has(room) || seams.has(path) || rooms.includes(room));
}
