import type { ServerOptions } from '../../packages/parley/src/server/definition/options.ts';
import { createServer, type Server } from '../../packages/parley/src/server/server.ts';

const info = { name: 'tested', version: '1.0.0', title: 'Tested', websiteUrl: 'https://tested.example/' };

export function served(options: ServerOptions = {}): Server {
  const server = createServer(info, { onError: () => undefined, instructions: 'Be kind.', ...options });
  server.tool('echo', { input: { type: 'object' } }, (args) => JSON.stringify(args));
  return server;
}
