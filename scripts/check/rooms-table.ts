/** The rooms of both packages, and what each may import: arrows point down. Those of the command line begin with `cli`. */

/** The files at the top of the library, as a room of their own. */
export const entryPoints = 'entry points';

/** The rooms that each room may import beside itself. A room within a room is named by its path. */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  json: [],
  options: [],
  jsonrpc: ['json'],
  protocol: ['json'],
  schema: [],
  sealing: ['jsonrpc'],
  'auth/common': ['jsonrpc', 'sealing'],
  storage: ['jsonrpc', 'protocol', 'sealing', 'options'],
  // The flows that authorize a client.
  'auth/client': ['auth/common', 'storage', 'sealing', 'jsonrpc', 'options'],
  // Pages on which persons give their consent.
  'auth/consent': ['auth/common', 'storage', 'sealing', 'jsonrpc'],
  // Shared by both ends.
  connection: ['json', 'jsonrpc', 'protocol', 'storage'],
  // Tasks of either end.
  tasks: ['connection', 'json', 'jsonrpc', 'protocol', 'sealing', 'storage'],
  // Servers.
  'server/runtime': ['auth/common', 'connection', 'json', 'jsonrpc', 'protocol', 'sealing', 'storage', 'options'],
  server: [
    'tasks',
    'server/runtime',
    'connection',
    'auth/common',
    'jsonrpc',
    'protocol',
    'schema',
    'sealing',
    'storage',
    'options',
  ],
  // Spans and metrics for OpenTelemetry.
  telemetry: ['server/runtime', 'connection', 'jsonrpc', 'protocol', 'storage', 'options'],
  // Clients.
  client: ['tasks', 'connection', 'json', 'jsonrpc', 'protocol', 'schema', 'storage', 'options'],
  // Access control of servers.
  'auth/server': ['auth/common', 'server/runtime', 'jsonrpc', 'options'],
  // Accounts of callers at other services.
  'auth/accounts': [
    'auth/consent',
    'auth/client',
    'auth/common',
    'server',
    'protocol',
    'storage',
    'sealing',
    'jsonrpc',
    'options',
  ],
  // The bridge, and the table of what it keeps.
  bridge: [
    'tasks',
    'server',
    'client',
    'server/runtime',
    'connection',
    'auth/common',
    'auth/client',
    'auth/consent',
    'json',
    'jsonrpc',
    'protocol',
    'sealing',
    'storage',
    'options',
  ],
  'cli/compatibility': ['protocol'],
  // The recorder at the transports of a client.
  'cli/recorder': ['json', 'jsonrpc', 'protocol', 'auth/common', 'transports/http/client'],
  // The checks of servers and clients of others.
  'cli/check': [
    'cli/recorder',
    'auth/common',
    'client',
    'server/runtime',
    'connection',
    'schema',
    'json',
    'jsonrpc',
    'protocol',
    'options',
    'storage',
    'transports/stdio/client',
    'transports/node',
    'transports/node/server',
  ],
  // A process of this machine, and its page, which knows only their protocol.
  'cli/inspect': [
    'cli/recorder',
    'cli/compatibility',
    'cli/check',
    'client',
    'tasks',
    'auth/common',
    'schema',
    'json',
    'jsonrpc',
    'protocol',
    'transports/http/client',
    'transports/stdio/client',
    'options',
  ],
  'cli/inspect/page': ['cli/inspect', 'cli/inspect/page/form', 'json'],
  'cli/inspect/page/form': [],
  // The two halves of a transport do not import each other.
  'transports/http/server': [
    'auth/common',
    'server/runtime',
    'connection',
    'json',
    'jsonrpc',
    'protocol',
    'storage',
    'options',
  ],
  'transports/http/client': ['auth/common', 'json', 'jsonrpc', 'protocol', 'options'],
  'transports/stdio': ['json', 'jsonrpc', 'options'],
  'transports/stdio/server': ['transports/stdio', 'server/runtime', 'json', 'jsonrpc', 'options'],
  'transports/stdio/client': ['transports/stdio', 'jsonrpc', 'options'],
  'transports/node': ['connection', 'jsonrpc'],
  'transports/node/credentials': ['storage', 'jsonrpc'],
  'transports/node/login': ['transports/node', 'auth/common', 'jsonrpc', 'options'],
  'transports/node/server': ['transports/http/server', 'server/runtime', 'auth/common', 'jsonrpc', 'options'],
  'transports/node/client': ['transports/http/client', 'jsonrpc', 'options'],
  'storage/sqlite': ['storage', 'jsonrpc'],
  'storage/postgres': ['storage', 'jsonrpc', 'options'],
  'storage/redis': ['storage', 'sealing', 'jsonrpc', 'options'],
  testing: [
    'server',
    'client',
    'server/runtime',
    'connection',
    'jsonrpc',
    'protocol',
    'schema',
    'auth/common',
    'storage',
    'options',
  ],
  // A program like that of any user, which also imports internals.
  // The program that people start.
  cli: ['cli/commands', 'jsonrpc'],
  'cli/commands': [
    entryPoints,
    'bridge',
    'server',
    'client',
    'cli/compatibility',
    'cli/check',
    'cli/inspect',
    'cli/recorder',
    'server/runtime',
    'connection',
    'json',
    'jsonrpc',
    'protocol',
    'transports/http/server',
    'transports/http/client',
    'transports/stdio/server',
    'transports/stdio/client',
    'transports/node/server',
    'transports/node/client',
    'transports/node/credentials',
    'transports/node/login',
    'transports/node',
    'auth/common',
    'auth/client',
    'storage/redis',
    'telemetry',
    'sealing',
    'storage',
    'options',
  ],
};

/** The rooms that most others may import. The table of ARCHITECTURE.md names them for each other alone. */
export const baseRooms: ReadonlySet<string> = new Set([
  'json',
  'options',
  'jsonrpc',
  'protocol',
  'schema',
  'sealing',
  'auth/common',
  'storage',
]);

/** The rooms that run anywhere: no module of Node, no global of Node. */
export const neutral: ReadonlySet<string> = new Set([
  'json',
  'options',
  'jsonrpc',
  'protocol',
  'schema',
  'auth/common',
  'sealing',
  'auth/server',
  'auth/client',
  'auth/consent',
  'auth/accounts',
  'storage',
  'connection',
  'telemetry',
  'tasks',
  'server/runtime',
  'server',
  'client',
  'bridge',
  'cli/compatibility',
  'transports/http/server',
  'transports/http/client',
  'storage/postgres',
]);

/** What a transport may see of a server: its endpoint, and the pure functions on messages that both sides need. */
export const edgeView: ReadonlySet<string> = new Set([
  'server/runtime/caller.ts',
  'server/runtime/request-handler.ts',
  'server/runtime/batch.ts',
  'server/runtime/parsed-message.ts',
  'server/runtime/protection.ts',
  'server/runtime/request-meta.ts',
  'server/runtime/events/service-event.ts',
  'server/runtime/session-record.ts',
]);

/** The room of a source file: the innermost that has a name. */
export function roomOf(path: string): string | undefined {
  if (!path.includes('/')) return entryPoints;
  const parts = path.split('/').slice(0, -1);
  for (let depth = parts.length; depth > 0; depth--) {
    const name = parts.slice(0, depth).join('/');
    if (name in rooms) return name;
  }
  return undefined;
}
