import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as rest } from 'node:timers/promises';
import { rawHttp } from './http.ts';

test('a request that waits for a connection is not taken for one that is not answered', async (t) => {
  const server = createServer((_, response) => void rest(400).then(() => response.end('{}')));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const http = rawHttp(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`));
  t.after(() => {
    http.close();
    server.closeAllConnections();
    server.close();
  });
  const send = async (waitTimeoutMs: number) =>
    (await http.send({ method: 'POST', headers: {}, body: '{}', waitTimeoutMs })).end;
  const ends = await Promise.all(Array.from({ length: 24 }, () => send(1_000)));
  assert.deepEqual(new Set(ends), new Set(['complete']));
  // Once it is on its way, its time runs.
  assert.equal(await send(100), 'silent');
});
