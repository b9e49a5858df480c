/** Arguments that travel in headers are judged whatever else a call of their tool has in its headers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../../src/server.ts';
import { judgedAt } from './judging.ts';
import { serveFaulty } from './faulty.ts';

const rows = ['http-097', 'http-098', 'http-099', 'http-100', 'http-101', 'http-102'];
const properties = {
  region: { type: 'string', 'x-mcp-header': 'Region' },
  size: { type: 'integer', 'x-mcp-header': 'Size' },
} as const;

test('of two arguments in headers the one that is not judged has its header', async (t) => {
  const server = createServer({ name: 'places', version: '1.0.0' });
  server.tool('place', { input: { type: 'object', properties } }, ({ region = 'nowhere' }) => region);
  const { url, close } = await serveFaulty({}, () => server);
  t.after(close);
  const report = await judgedAt(t, url, {
    only: rows,
    calls: [{ name: 'place', args: { region: 'Oslo', size: 4 } }],
  });
  assert.deepEqual(report.findings, []);
  assert.deepEqual(
    report.rows.map(({ id, verdict }) => [id, verdict]),
    rows.map((id) => [id, 'holds']),
  );
});
