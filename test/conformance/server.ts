/**
 * The server that the official conformance suite drives, at every revision at one URL:
 * `node test/conformance/server.ts --port 3000`.
 */

import { parseArgs } from 'node:util';
import { listen } from '../../src/node.ts';
import { createHost } from './host.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '3000' } } });

const server = createHost();
const http = await listen(server, { port: Number(values.port) });
console.log(http.url);

process.once('SIGTERM', () => {
  void http.close().then(() => server.close());
});
