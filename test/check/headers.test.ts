/** Headers that say again what stands in the body are judged each by itself. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { metaOf } from './faults.ts';
import { eachMessage, serveFaulty } from './faulty.ts';
import { judgedAt } from './judging.ts';

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

test('where no older revision is spoken a header of another one is refused as a mismatch', async (t) => {
  const stateless = revisions.filter(({ clientDescribed }) => clientDescribed === 'each-request');
  const server = createServer({ name: 'new', version: '1.0.0' }, { revisions: stateless.map(({ date }) => date) });
  let code = -32_022;
  const { url, close } = await serveFaulty(
    {
      response(returning, { headers, message }) {
        if (metaOf(message) !== undefined && !stateless.some(({ date }) => date === headers['mcp-protocol-version']))
          eachMessage(returning, ({ error }) => void (isObject(error) && (error['code'] = code)));
      },
    },
    () => server,
  );
  t.after(close);
  // The one in the header is not spoken either.
  assert.deepEqual((await judgedAt(t, url, { only: ['http-066'] })).findings, []);
  code = -32_600;
  const { findings } = await judgedAt(t, url, { only: ['http-066'] });
  assert.deepEqual(
    findings.map(({ id, why }) => [id, why]),
    [['http-066', 'the error has the code -32600, and not -32020']],
  );
});
