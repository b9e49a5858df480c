/** Where a server of this machine listens: one that others can reach is found, over both transports of HTTP. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { rawHttp } from '../../src/check/bench/http.ts';
import { judgeServer } from '../../src/check/check.ts';
import type { CheckReport } from '../../src/check/report.ts';
import { serveFaulty, cleanServer } from './faulty.ts';

async function judged(t: TestContext, host: string, path: string): Promise<CheckReport> {
  const { url, close } = await serveFaulty({}, cleanServer, { host });
  t.after(close);
  const at = new URL(path, url);
  const http = rawHttp(at);
  t.after(() => http.close());
  return await judgeServer({
    way: { over: 'http', http },
    target: url,
    info: { name: 'parley-check', version: '1.0.0' },
    only: ['http-005', 'sse-005'],
    isNear: true,
    signal: t.signal,
  });
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
