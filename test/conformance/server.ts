/**
 * The server that the official conformance suite drives, at every revision at one URL:
 * `node test/conformance/server.ts --port 3000`.
 */

import { parseArgs } from 'node:util';
import { listen } from '../../src/node.ts';
import { createServer } from '../../src/server.ts';
import { addAskingTools } from './asking-tools.ts';
import { addContentTools } from './content-tools.ts';
import { addPrompts } from './prompts.ts';
import { addResources } from './resources.ts';
import { addRoundTools } from './round-tools.ts';
import { addStreamTools } from './stream-tools.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '3000' } } });

const server = createServer(
  { name: 'parley-conformance', version: '1.0.0' },
  { cache: { ttlMs: 60_000, cacheScope: 'public' } },
);
addContentTools(server);
addStreamTools(server);
addAskingTools(server);
addRoundTools(server);
addResources(server);
addPrompts(server);

const http = await listen(server, { port: Number(values.port) });
console.log(http.url);

process.once('SIGTERM', () => {
  void http.close().then(() => server.close());
});
