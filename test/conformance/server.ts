/**
 * The server that the official conformance suite drives, at every revision at one URL:
 * `node test/conformance/server.ts --port 3000`; with `REDIS_URL` and `KEYS`, one of several processes of it.
 */

import { parseArgs } from 'node:util';
import { listen } from '../../packages/parley/src/node.ts';
import { redis } from '../../packages/parley/src/redis.ts';
import { createHost } from './host.ts';

const { REDIS_URL, KEYS = '' } = process.env;
const { values } = parseArgs({ options: { port: { type: 'string', default: '3000' } } });

const store = REDIS_URL === undefined ? undefined : redis(REDIS_URL, { name: 'conformance' });
const server = createHost(store && { store, rounds: { keys: [KEYS] } });
const http = await listen(server, { port: Number(values.port) });
console.log(http.url);

process.once('SIGTERM', async () => {
  await http.close();
  await server.close();
  await store?.close();
});
