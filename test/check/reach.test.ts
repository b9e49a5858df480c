/** Where a server of this machine listens: one that others can reach is found, over both transports of HTTP. */

import assert from 'node:assert/strict';
import { createServer as createHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { toNodeHandler } from '../../packages/parley/src/node.ts';
import { serveFaulty, cleanServer } from './faulty.ts';
import { judgedAt } from './judging.ts';

async function judged(t: TestContext, host: string, path: string): Promise<CheckReport> {
  const { url, close } = await serveFaulty({}, cleanServer, { host });
  t.after(close);
  const at = new URL(path, url);
  return await judgedAt(t, at, { only: ['http-005', 'sse-005'] });
}

for (const [row, path] of [
  ['http-005', '/mcp'],
  ['sse-005', '/sse'],
] as const)
  test(`a server that listens at every address of its machine breaks ${row}`, async (t) => {
    const near = await judged(t, '127.0.0.1', path);
    assert.deepEqual(near.findings, []);
    assert.ok(
      near.rows.some(({ id, verdict }) => id === row && verdict === 'holds'),
      JSON.stringify(near.rows),
    );
    const { findings } = await judged(t, '0.0.0.0', path);
    assert.deepEqual(
      findings.map(({ id }) => id),
      [row],
    );
  });

for (const [row, path] of [
  ['http-005', '/mcp?key=of-the-user'],
  ['sse-005', '/sse?key=of-the-user'],
] as const)
  test(`nothing of the user is shown to whoever listens at another address: ${row}`, async (t) => {
    const shown: string[] = [];
    const serve = toNodeHandler(cleanServer(), { ssePair: { sse: '/sse', messages: '/messages' } });
    t.after(() => serve.close());
    const server = createHttp((request, response) => {
      if (request.socket.localAddress === '127.0.0.1') return serve(request, response);
      shown.push(JSON.stringify([request.url, request.rawHeaders]));
      response.writeHead(404, { 'content-type': 'text/plain' }).end('somebody else');
    });
    await new Promise<void>((resolve) => void server.listen(0, '0.0.0.0', resolve));
    t.after(() => (server.closeAllConnections(), server.close()));
    // A server that listens on a port has such an address.
    const url = new URL(path, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const { findings, rows } = await judgedAt(t, url, {
      credentials: { headers: { Authorization: 'Bearer of-the-user', 'X-Key': 'of-the-user' } },
      only: [row],
    });
    assert.deepEqual(findings, []);
    assert.ok(
      rows.some(({ id, verdict }) => id === row && verdict === 'holds'),
      JSON.stringify(rows),
    );
    assert.notDeepEqual(shown, []);
    assert.doesNotMatch(shown.join('\n'), /of-the-user|mcp-session-id/i);
  });
