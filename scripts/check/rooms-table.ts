/** The rooms of `src/`, and what each may import: arrows point down. */

/** The files at the top of `src/`, as a room of their own. */
export const entryPoints = 'entry points';

/** The rooms that each room may import beside itself. A room within a room is named by its path. */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  json: [],
  mistakes: [],
  jsonrpc: ['json'],
  protocol: ['json'],
  schema: [],
  seal: ['jsonrpc'],
  auth: ['jsonrpc', 'seal'],
  store: ['jsonrpc', 'protocol', 'seal', 'mistakes'],
  // The flows that authorize a client.
  oauth: ['auth', 'store', 'seal', 'jsonrpc', 'mistakes'],
  // Pages on which persons give their consent.
  consent: ['auth', 'store', 'seal', 'jsonrpc'],
  // Shared by both ends.
  peer: ['json', 'jsonrpc', 'protocol', 'store'],
  // Tasks of either end.
  tasks: ['peer', 'json', 'jsonrpc', 'protocol', 'seal', 'store'],
  // Servers.
  host: ['auth', 'peer', 'json', 'jsonrpc', 'protocol', 'seal', 'store', 'mistakes'],
  server: ['tasks', 'host', 'peer', 'auth', 'jsonrpc', 'protocol', 'schema', 'seal', 'store', 'mistakes'],
  // Spans and metrics for OpenTelemetry.
  otel: ['host', 'peer', 'jsonrpc', 'protocol', 'store', 'mistakes'],
  // Clients.
  client: ['tasks', 'peer', 'json', 'jsonrpc', 'protocol', 'schema', 'store', 'mistakes'],
  // Access control of servers.
  protect: ['auth', 'host', 'jsonrpc', 'mistakes'],
  // Accounts of callers at other services.
  account: ['consent', 'oauth', 'auth', 'server', 'protocol', 'store', 'seal', 'jsonrpc', 'mistakes'],
  // The bridge, and the table of what it keeps.
  bridge: [
    'tasks',
    'server',
    'client',
    'host',
    'peer',
    'auth',
    'oauth',
    'consent',
    'json',
    'jsonrpc',
    'protocol',
    'seal',
    'store',
    'mistakes',
  ],
  fidelity: ['protocol'],
  // The recorder at the transports of a client.
  wire: ['json', 'jsonrpc', 'protocol', 'auth', 'http/client'],
  // The checks of servers and clients of others.
  check: [
    'wire',
    'auth',
    'client',
    'host',
    'peer',
    'schema',
    'json',
    'jsonrpc',
    'protocol',
    'mistakes',
    'store',
    'stdio/client',
    'node',
    'node/server',
  ],
  // A process of this machine, and its page, which knows only their protocol.
  inspect: [
    'wire',
    'fidelity',
    'check',
    'client',
    'tasks',
    'auth',
    'schema',
    'json',
    'jsonrpc',
    'protocol',
    'http/client',
    'stdio/client',
    'mistakes',
  ],
  'inspect/page': ['inspect', 'inspect/page/form', 'json'],
  'inspect/page/form': [],
  // The two halves of a transport do not import each other.
  'http/server': ['auth', 'host', 'peer', 'json', 'jsonrpc', 'protocol', 'store', 'mistakes'],
  'http/client': ['auth', 'json', 'jsonrpc', 'protocol', 'mistakes'],
  stdio: ['json', 'jsonrpc', 'mistakes'],
  'stdio/server': ['stdio', 'host', 'json', 'jsonrpc', 'mistakes'],
  'stdio/client': ['stdio', 'jsonrpc', 'mistakes'],
  node: ['peer', 'jsonrpc'],
  'node/credentials': ['store', 'jsonrpc'],
  'node/login': ['node', 'auth', 'mistakes'],
  'node/server': ['http/server', 'host', 'auth', 'jsonrpc', 'mistakes'],
  'node/client': ['http/client', 'jsonrpc', 'mistakes'],
  sqlite: ['store', 'jsonrpc'],
  postgres: ['store', 'jsonrpc', 'mistakes'],
  redis: ['store', 'seal', 'jsonrpc', 'mistakes'],
  testing: ['server', 'client', 'host', 'peer', 'jsonrpc', 'protocol', 'schema', 'auth', 'store', 'mistakes'],
  // A program like that of any user, which also imports internals.
  cli: [
    entryPoints,
    'bridge',
    'server',
    'client',
    'fidelity',
    'check',
    'inspect',
    'wire',
    'host',
    'peer',
    'json',
    'jsonrpc',
    'protocol',
    'http/server',
    'http/client',
    'stdio/server',
    'stdio/client',
    'node/server',
    'node/client',
    'node/credentials',
    'node/login',
    'node',
    'auth',
    'oauth',
    'redis',
    'otel',
    'seal',
    'store',
    'mistakes',
  ],
};

/** The rooms that most others may import. The table of ARCHITECTURE.md names them for each other alone. */
export const baseRooms: ReadonlySet<string> = new Set([
  'json',
  'mistakes',
  'jsonrpc',
  'protocol',
  'schema',
  'seal',
  'auth',
  'store',
]);

/** The rooms that run anywhere: no module of Node, no global of Node. */
export const neutral: ReadonlySet<string> = new Set([
  'json',
  'mistakes',
  'jsonrpc',
  'protocol',
  'schema',
  'auth',
  'seal',
  'protect',
  'oauth',
  'consent',
  'account',
  'store',
  'peer',
  'otel',
  'tasks',
  'host',
  'server',
  'client',
  'bridge',
  'fidelity',
  'http/server',
  'http/client',
  'postgres',
]);

/** What a transport may see of a server: its endpoint, and the pure functions on messages that both sides need. */
export const edgeView: ReadonlySet<string> = new Set([
  'host/caller.ts',
  'host/endpoint.ts',
  'host/batch.ts',
  'host/judged.ts',
  'host/protection.ts',
  'host/request-meta.ts',
  'host/events/service-event.ts',
  'host/session-record.ts',
]);

/** The room of a file of `src/`: the innermost that has a name. */
export function roomOf(path: string): string | undefined {
  if (!path.includes('/')) return entryPoints;
  const parts = path.split('/').slice(0, -1);
  for (let depth = parts.length; depth > 0; depth--) {
    const name = parts.slice(0, depth).join('/');
    if (name in rooms) return name;
  }
  return undefined;
}
