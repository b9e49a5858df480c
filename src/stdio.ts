/** Standard input and output: serving one client on them, and starting servers that speak over theirs. */

export { spawn, type SpawnOptions } from './stdio/client.ts';
export type { Environment } from './stdio/environment.ts';
export { serveStdio, type StdioServer, type StdioServerOptions } from './stdio/server.ts';
export { siblingPath, spawnSibling } from './stdio/sibling.ts';
export { streamTransport, type ByteStreams, type StreamTransportOptions } from './stdio/stream-transport.ts';
