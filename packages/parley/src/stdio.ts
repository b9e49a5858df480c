/** Standard input and output: serving one client on them, and starting servers that speak over theirs. */

export { spawn, type SpawnOptions } from './transports/stdio/client/transport.ts';
export type { Environment } from './transports/stdio/client/environment.ts';
export { serveStdio, type StdioServer, type StdioServerOptions } from './transports/stdio/server/serve.ts';
export { siblingPath, spawnSibling } from './transports/stdio/client/sibling.ts';
export { streamTransport, type ByteStreams, type StreamTransportOptions } from './transports/stdio/stream-transport.ts';
