/** Standard input and output: serving one client on them, and starting servers that speak over theirs. */

export { spawn, type SpawnOptions } from './stdio/client/transport.ts';
export type { Environment } from './stdio/client/environment.ts';
export { serveStdio, type StdioServer, type StdioServerOptions } from './stdio/server/serve.ts';
export { siblingPath, spawnSibling } from './stdio/client/sibling.ts';
export { streamTransport, type ByteStreams, type StreamTransportOptions } from './stdio/stream-transport.ts';
