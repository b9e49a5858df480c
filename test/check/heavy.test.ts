/** What weighs on a machine: it is sent where that is wished alone, and finds who gives in to it. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttp, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { checkServer } from '../../packages/cli/src/check/run/check-server.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { toNodeHandler } from '../../packages/parley/src/node.ts';
import { exampleCommand } from '../support/cli-process.ts';
import { cleanServer } from './faulty.ts';

async function at(t: TestContext, http: Server): Promise<string> {
  http.listen(0, '127.0.0.1');
  t.after(() => http.closeAllConnections());
  t.after(() => http.close());
  await once(http, 'listening');
  // It listens on a port.
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

const rows = ['harden-huge-message', 'harden-slow-connections'];

/** A busy machine may take long to answer. */
const heavily = { heavy: true, timeoutMs: 120_000 } as const;

const found = ({ findings }: CheckReport): readonly string[] => findings.map(({ id }) => id);

test('a server of ours lives on, over both transports, and nothing of it is sent unless that is wished', async () => {
  const heavy = await checkServer(cleanServer(), { only: rows, heavy: true });
  assert.deepEqual([found(heavy), heavy.counts.judged], [[], 2]);
  const light = await checkServer(cleanServer(), { only: rows });
  assert.equal(light.counts.judged, 0);
  const [command = '', ...args] = exampleCommand;
  const lines = await checkServer({ command, args }, { only: rows, heavy: true });
  assert.deepEqual([found(lines), lines.counts.judged], [[], 1]);
});

test('a server that serves nobody beside many connections is found', async (t) => {
  const handler = toNodeHandler(cleanServer());
  // On a busy machine the connections last longer than Node lets them by default.
  const http = createHttp({ headersTimeout: 0, requestTimeout: 0 }, (request, response) => handler(request, response));
  let open = 0;
  http.on('connection', (socket) => {
    open++;
    socket.once('close', () => open--);
  });
  http.prependListener('request', (_, response) => {
    if (open > 250) response.end();
  });
  const report = await checkServer(await at(t, http), { only: rows.slice(1), ...heavily });
  assert.deepEqual(found(report), ['harden-slow-connections'], JSON.stringify(report.rows));
});

test('a server that a large message stops is found', async (t) => {
  const handler = toNodeHandler(cleanServer());
  const http = createHttp((request, response) => {
    if (Number(request.headers['content-length'] ?? 0) > 50_000_000) http.close();
    if (!http.listening) return void request.socket.destroy();
    handler(request, response);
  });
  // It is gone when it would be looked at once more.
  assert.deepEqual(found(await checkServer(await at(t, http), { only: rows.slice(0, 1), ...heavily })), [
    'harden-huge-message',
  ]);
});
