/** Each planted fault is found in its row, and nothing is found in the server that they are planted in. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { chosenRevisions, revisions } from '../../packages/parley/src/protocol/revision.ts';
import { callFaults } from './call-faults.ts';
import { faults, metaOf } from './faults.ts';
import { faulty, json, result, type Fault } from './faulty.ts';
import { headerFaults } from './header-faults.ts';
import { meaningFaults } from './meaning-faults.ts';
import { writtenFaults } from './written-faults.ts';
import { toldFaults } from './told-faults.ts';
import { moreCallFaults, moreFaults } from './more-faults.ts';
import { sampled } from '../support/sampled.ts';
import { judgedAt } from './judging.ts';

const calls = [...['sum', 'SUM', 'ask', 'run'].map((name) => ({ name })), { name: 'place', args: { region: 'Oslo' } }];

async function judged(t: TestContext, fault: Fault, only: readonly string[] = []): Promise<CheckReport> {
  const url = await faulty(t, fault);
  return await judgedAt(t, url, { only, calls });
}

/** Judges by one row, in one version after the other until something is found: most faults show in the newest. */
async function judgedBy(t: TestContext, fault: Fault, row: string): Promise<CheckReport> {
  const url = await faulty(t, fault);
  for (const revision of revisions.toReversed()) {
    const report = await judgedAt(t, url, { only: [row], calls, revisions: [revision] });
    if (report.findings.length > 0) return report;
  }
  return await judgedAt(t, url, { only: [row], calls });
}

test('nothing is found in the server without a fault', async (t) => {
  const { findings, rows } = await judged(t, {});
  assert.deepEqual(findings, []);
  const held = new Set(rows.filter(({ verdict }) => verdict === 'holds').map(({ id }) => id));
  for (const row of ['tools-011', 'tools-035', 'elicit-018', 'mrtr-011', 'mrtr-026', 'progress-003', 'http-098'])
    assert.ok(held.has(row), `${row} is judged`);
});

for (const revision of revisions)
  test(`nothing is found in it where ${revision.date} alone is judged`, async (t) => {
    const url = await faulty(t, {});
    const { findings, ...report } = await judgedAt(t, url, { revisions: [revision] });
    assert.deepEqual(findings, []);
    assert.deepEqual(report.revisions, [{ revision: revision.date, spoken: true }]);
    assert.ok(report.rows.some(({ id, verdict }) => id === 'harden-no-json' && verdict === 'holds'));
  });

test('every wrong block of a result is found, with its place', async (t) => {
  const image = { type: 'image', data: '!', mimeType: 'image/png' };
  const fault = result('tools/call', (of) => void (of['content'] = [{ type: 'text', text: 'x' }, image, image]));
  const { findings } = await judged(t, fault, ['tools-029']);
  const places = findings.map(({ where = '' }) => where).filter((where) => where.startsWith('tools/sum/'));
  assert.deepEqual([...new Set(places)], ['tools/sum/content[1]', 'tools/sum/content[2]']);
});

test('every tool whose results break a rule is found', async (t) => {
  const fault = result('tools/call', (of) => void (of['structuredContent'] = { a: 1 }));
  const { findings } = await judged(t, fault, ['tools-013']);
  assert.ok(new Set(findings.map(({ where }) => where)).size > 1, JSON.stringify(findings.map(({ where }) => where)));
});

test('a declared capability whose method is not there is found', async (t) => {
  const [row = '', fault = {}] = toldFaults['no-templates'] ?? [];
  const { findings } = await judged(t, fault, [row]);
  assert.match(findings[0]?.why ?? '', /resources is declared, and resources\/templates\/list is not found/);
});

/** Answers a method with a text in the place of a result. */
function textFor(asked: string): Fault {
  return {
    request: ({ message: { method, id }, message }) =>
      // Newer revisions have no ping.
      method === asked && (asked !== 'ping' || metaOf(message) === undefined)
        ? json(200, { jsonrpc: '2.0', id, result: 'pong' })
        : undefined,
  };
}

test('one cause is one finding, of whatever else it is the cause', async (t) => {
  const causes = ['code-as-text', 'answers-notification', 'id-as-text', 'get-is-json', 'no-result-type', 'schema-null'];
  const all = { ...faults, ...meaningFaults };
  for (const name of sampled([...causes, 'any-revision-served-as-an-old-one', 'no-discover'])) {
    const [row, fault] = all[name] ?? assert.fail(name);
    const { findings } = await judged(t, fault);
    assert.deepEqual(
      findings.map(({ id }) => id),
      [row],
      name,
    );
  }
});

test('a text for a result, another media type, refused additions and pages without end are one finding each', async (t) => {
  const texts: typeof faults = {
    'ping-says-pong': ['ping-001', textFor('ping')],
    'tools-are-a-text': ['tools-002', textFor('tools/list')],
  };
  const names = 'plain-text refuses-tokens refuses-keys one-cursor-for-ever cursors-in-a-ring tool-on-two-pages'.split(
    ' ',
  );
  for (const name of sampled([...names, 'link-without-scheme', ...Object.keys(texts)])) {
    const [row, fault] = { ...toldFaults, ...texts }[name] ?? assert.fail(name);
    const url = await faulty(t, fault);
    const { findings } = await judgedAt(t, url, { revisions: chosenRevisions(['2025-11-25', '2026-07-28']), calls });
    assert.deepEqual(
      findings.map(({ id }) => id),
      [row],
      name,
    );
  }
});

test('a server that serves whoever leaves his capabilities out remembers nobody for that', async (t) => {
  const { findings } = await judged(t, {
    request(passing) {
      const meta = metaOf(passing.message);
      if (meta === undefined) return;
      meta[metaKey.clientCapabilities] ??= {};
      passing.body = JSON.stringify(passing.message);
    },
  });
  assert.deepEqual(
    findings.map(({ id }) => id),
    ['meta-010'],
  );
});

test('a result beside an error is found in every revision, by the row that says so there', async (t) => {
  const [, fault] = faults['result-and-error'] ?? assert.fail();
  const { findings } = await judged(t, fault, ['basic-001', 'basic-012']);
  assert.deepEqual(
    findings.map(({ id, revisions: found }) => [id, ...found]),
    [
      ['basic-001', '2025-11-25', '2026-07-28'],
      ['basic-012', '2024-11-05', '2025-03-26', '2025-06-18'],
    ],
  );
});

describe('a server with one fault', { concurrency: 6 }, () => {
  const planted = Object.entries({
    ...faults,
    ...callFaults,
    ...moreFaults,
    ...moreCallFaults,
    ...writtenFaults,
    ...meaningFaults,
    ...toldFaults,
    ...headerFaults,
  });
  for (const [name, [row, fault]] of sampled(planted, 8))
    test(`is found out: ${name} breaks ${row}`, async (t) => {
      const { findings, rows } = await judgedBy(t, fault, row);
      assert.deepEqual(
        findings.map(({ id }) => id),
        [row],
        JSON.stringify(rows),
      );
    });
});
