/** Servers that speak HTTP+SSE, the transport of 2024-11-05. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { faults } from './faults.ts';
import { faulty, json, type Fault } from './faulty.ts';
import { judgedAt } from './judging.ts';

async function judged(t: TestContext, fault: Fault, only: readonly string[] = []): Promise<CheckReport> {
  const url = new URL('/sse', await faulty(t, fault));
  // A machine that is busy is silent for longer than a server may be that says nothing.
  return await judgedAt(t, url, { only, waitTimeoutMs: 20_000 });
}

test('nothing is found in a server that speaks by HTTP+SSE, and no session is told', async (t) => {
  const { findings, revisions, rows } = await judged(t, {});
  assert.deepEqual(findings, []);
  const [first, ...others] = revisions;
  assert.deepEqual(first, { revision: '2024-11-05', spoken: true, over: 'sse' });
  assert.ok(others.every(({ spoken }) => !spoken));
  const held = new Set(rows.filter(({ verdict }) => verdict === 'holds').map(({ id }) => id));
  for (const row of ['sse-001', 'sse-002', 'sse-004', 'sse-007', 'basic-009', 'lifecycle-013', 'tools-024'])
    assert.ok(held.has(row), `${row} is judged: ${JSON.stringify(rows.filter(({ id }) => id === row))}`);
});

const planted: Readonly<Record<string, readonly [row: string, fault: Fault]>> = {
  'answers-in-the-post': [
    'sse-001',
    {
      request: ({ message: { id } }) =>
        id === 'parley-check-ping' ? json(200, { jsonrpc: '2.0', id, result: {} }) : undefined,
    },
  ],
  'greets-first': [
    'sse-002',
    { piece: (text) => text.replace(/^event: endpoint/m, 'event: hello\ndata: you\n\nevent: endpoint') },
  ],
  'messages-of-another-type': ['sse-007', { piece: (text) => text.replaceAll(/^event: message/gm, 'event: reply') }],
  'stream-for-any-page': [
    'sse-004',
    { request: ({ headers, method }) => void (method === 'GET' && delete headers['origin']) },
  ],
  'messages-of-any-page': [
    'sse-004',
    { request: ({ headers, method }) => void (method === 'POST' && delete headers['origin']) },
  ],
};

describe('a server by HTTP+SSE with one fault', { concurrency: 4 }, () => {
  for (const [name, [row, fault]] of Object.entries(planted))
    test(`is found out: ${name} breaks ${row}`, async (t) => {
      const { findings, rows } = await judged(t, fault, [row]);
      assert.deepEqual(
        findings.map(({ id }) => id),
        [row],
        JSON.stringify(rows),
      );
      assert.doesNotMatch(JSON.stringify(findings), /messages\?[^"…]/);
    });

  test('is found out by rules of any transport too: an id as a text', async (t) => {
    const [row, fault] = faults['id-as-text'] ?? [];
    const { findings } = await judged(
      t,
      { piece: (text) => eachData(text, (data) => altered(fault, data)) },
      row === undefined ? [] : [row],
    );
    assert.deepEqual(
      findings.map(({ id }) => id),
      [row],
    );
  });
});

/** Has a fault that alters answers alter the data of events. */
function altered(fault: Fault | undefined, data: string): string {
  const returning = { status: 200, headers: { 'content-type': 'application/json' }, text: data };
  const message = { method: data.includes('"tools":[') ? 'tools/list' : 'other' };
  void fault?.response?.(returning, { method: 'POST', path: '/messages', headers: {}, message, body: '' });
  return returning.text;
}

function eachData(text: string, change: (data: string) => string): string {
  return text.replaceAll(/^data: (\{.*\})$/gm, (_, data: string) => `data: ${change(data)}`);
}
