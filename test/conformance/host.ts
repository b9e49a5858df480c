/** What the official conformance suite asks of a server, in one. */

import { createServer, type Server, type ServerOptions } from '../../packages/parley/src/server.ts';
import { addAskingTools } from './asking-tools.ts';
import { addContentTools } from './content-tools.ts';
import { addPrompts } from './prompts.ts';
import { addResources } from './resources.ts';
import { addRoundTools } from './round-tools.ts';
import { addStreamTools } from './stream-tools.ts';
import { addTaskTools } from './task-tools.ts';

/** Makes it. */
export function createHost(options: ServerOptions = {}): Server {
  const server = createServer(
    { name: 'parley-conformance', version: '1.0.0' },
    { cache: { ttlMs: 60_000, cacheScope: 'public' }, ...options },
  );
  addContentTools(server);
  addStreamTools(server);
  addAskingTools(server);
  addRoundTools(server);
  addTaskTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}
