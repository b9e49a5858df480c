/** Faults beside one another: one that much depends on hides no others. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { CheckReport } from '../../src/check/report.ts';
import { textReport } from '../../src/check/report/text.ts';
import { isObject } from '../../src/jsonrpc/message.ts';
import { revisions } from '../../src/protocol/revision.ts';
import { eachMessage, faulty, json, type Fault } from './faulty.ts';
import { judgedAt } from './judging.ts';

async function judged(t: TestContext, fault: Fault, only: readonly string[] = []): Promise<CheckReport> {
  const url = await faulty(t, fault);
  return await judgedAt(t, url, { revisions: revisions.filter(({ date }) => date === '2025-11-25'), only });
}

const refused = (id: unknown) => json(200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });

test('where ping is not answered, another request stands for it, and ping alone is found', async (t) => {
  const { findings, rows } = await judged(t, {
    request: ({ message: { method, id } }) => (method === 'ping' ? refused(id) : undefined),
  });
  assert.deepEqual(
    findings.map(({ id }) => id),
    ['ping-001'],
  );
  const unjudged = rows.filter(({ verdict, why }) => verdict === 'not-judged' && /right ping/.test(why ?? ''));
  assert.deepEqual(unjudged, []);
});

test('where ping is not answered, an answered notification and a wrong Origin are found', async (t) => {
  const { findings } = await judged(
    t,
    {
      request({ message: { method, id }, headers }) {
        delete headers['origin'];
        if (method === 'notifications/cancelled') return json(200, { jsonrpc: '2.0', id: 1, result: {} });
        return method === 'ping' ? refused(id) : undefined;
      },
    },
    ['basic-018', 'http-003', 'ping-001'],
  );
  assert.deepEqual(
    findings.map(({ id }) => id),
    ['basic-018', 'http-003', 'ping-001'],
  );
});

test('where nothing harmless is answered, the report says why rows are not judged, once for all of them', async (t) => {
  const report = await judged(
    t,
    {
      request: ({ message: { method, id } }) =>
        method === 'ping' || String(method).endsWith('/list') ? refused(id) : undefined,
    },
    ['basic', 'http', 'ping'],
  );
  const text = textReport(report);
  assert.match(
    text,
    /^ {2}not judged: \d+ rows, \S+, \S+ and others: they need a right ping to be answered with a result \(ping-001\): mend it, and run again$/m,
  );
  assert.equal(text.split('right ping').length - 1, 1, text);
});

test('every message that is not valid by the schema is told, each with its place', async (t) => {
  const { findings } = await judged(t, {
    response(returning, { message: { method } }) {
      if (returning.text === '') return;
      eachMessage(returning, ({ result }) => {
        if (!isObject(result)) return;
        if (method === 'prompts/list') delete result['prompts'];
        if (method === 'resources/list' && Array.isArray(result['resources'])) delete result['resources'][0]?.name;
      });
    },
  });
  assert.deepEqual(
    findings.filter(({ id }) => id === 'wire-schema').map(({ where }) => where),
    ['prompts/list prompts', 'resources/list resources[0].name'],
  );
});
