import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestRevision } from '../../../../parley/src/protocol/revision.ts';
import type { CheckReport, Finding } from '../report.ts';
import { textReport } from '../report/text.ts';
import { inPractice } from './in-practice.ts';

function found(id: string, more: Partial<Finding> = {}): Finding {
  return {
    id,
    severity: 'error',
    level: 'MUST',
    revisions: ['2025-11-25'],
    message: `${id} holds`,
    why: `${id} does not hold`,
    sent: '{}',
    came: '{}',
    fix: 'mend it',
    ...more,
  };
}

function reportOf(...findings: readonly Finding[]): CheckReport {
  return {
    tool: { name: 'parley-check', version: '1.0.0' },
    target: 'server.js',
    transport: 'stdio',
    revisions: [{ revision: '2025-11-25', spoken: true }],
    counts: {
      judged: findings.length,
      broken: findings.length,
      differing: 0,
      notSeen: 0,
      notApplicable: 0,
      notJudged: 0,
      notAllowed: 0,
      disputed: 0,
      messages: 7,
    },
    findings,
    uncalled: [],
    rows: findings.map(({ id, severity }) => ({
      id,
      revision: '2025-11-25',
      verdict: severity === 'error' ? 'breaks' : 'differs',
    })),
  };
}

const toolError = { text: 'MCP error -32602: Tool nobody not found', type: 'text' };
const unknownTool = found('tools-024', {
  severity: 'warning',
  level: 'SHOULD',
  why: 'it got a result with isError, and no error of the protocol',
  came: JSON.stringify({ result: { content: [{ type: 'text', text: toolError.text }], isError: true } }),
});
const anyCursor = found('page-009', { severity: 'warning', level: 'SHOULD', why: 'it was served' });

test('a statement on which no client relies is a note, and fails nothing', () => {
  const { findings, counts, rows } = inPractice(reportOf(found('basic-019')));
  assert.deepEqual(
    [findings[0]?.severity, counts.broken, counts.differing, rows[0]?.verdict],
    ['note', 0, 1, 'differs'],
  );
  assert.match(textReport(inPractice(reportOf(found('basic-019')))), /^· basic-019 is not kept \(2025-11-25\): only /m);
});

test('known traits of an SDK are one line', () => {
  const text = textReport(inPractice(reportOf(unknownTool, anyCursor)));
  assert.match(
    text,
    /^· 2 known traits of @modelcontextprotocol\/sdk 1\.x \(tools-024, page-009\): --strict shows each$/m,
  );
  assert.doesNotMatch(text, /^!/m);
});

test('the SDK with the newest revision has traits of its own', () => {
  const zod = found('basic-016', { severity: 'warning', came: '{"message":"[\\n {\\n \\"code\\": \\"a"}' });
  const older = inPractice(reportOf(zod)).findings[0]?.trait;
  const newest = { ...reportOf(zod), revisions: [{ revision: newestRevision.date, spoken: true }] };
  assert.deepEqual(
    [older, inPractice(newest).findings[0]?.trait],
    ['@modelcontextprotocol/sdk 1.x', '@modelcontextprotocol/server 2.x'],
  );
});

test('without a text of the SDK, nothing is one of its traits', () => {
  const { findings } = inPractice(reportOf(anyCursor));
  assert.deepEqual([findings[0]?.severity, findings[0]?.trait], ['warning', undefined]);
});

test('a broken MUST counts beside the traits of an SDK', () => {
  const { findings } = inPractice(reportOf(unknownTool, found('tools-008')));
  assert.deepEqual(
    findings.map(({ id, severity }) => [id, severity]),
    [
      ['tools-008', 'error'],
      ['tools-024', 'note'],
    ],
  );
});

test('the findings that affect most clients come first', () => {
  const wire = found('wire-schema', { where: 'tools/list tools[1].description' });
  const warned = found('basic-016', { severity: 'warning', level: 'SHOULD' });
  const { findings } = inPractice(reportOf(wire, warned, found('http-003'), found('stdio-003')));
  assert.deepEqual(
    findings.map(({ id, affects }) => [id, affects]),
    [
      ['stdio-003', 'every client'],
      ['http-003', 'the security of the server'],
      ['wire-schema', 'clients that use tools'],
      ['basic-016', 'every client'],
    ],
  );
});

test('a server without errors has one finding, which names the other rows', () => {
  const silent = { severity: 'warning', level: 'SHOULD', why: 'it was not answered', came: 'silence' } as const;
  const ids = ['prompts-009', 'resources-013', 'tools-024'];
  const { findings } = inPractice(reportOf(...ids.map((id) => found(id, silent))));
  assert.deepEqual(
    findings.map(({ id, also, affects }) => [id, also, affects]),
    [['prompts-009', ['resources-013', 'tools-024'], 'every client']],
  );
});

test('a statement that later revisions have under another id is one finding', () => {
  const same = { message: 'A response has a result or an error', why: 'it has neither' };
  const older = found('basic-011', { ...same, revisions: ['2025-03-26'] });
  const { findings } = inPractice(reportOf(older, found('basic-013', same)));
  assert.deepEqual(
    findings.map(({ id, also, revisions }) => [id, also, revisions]),
    [['basic-011', ['basic-013'], ['2025-03-26', '2025-11-25']]],
  );
});

test('a finding that is not in the baseline stands apart from one that is', () => {
  const same = { message: 'A response has a result or an error', why: 'it has neither' };
  const { findings } = inPractice(reportOf(found('basic-011', { ...same, known: true }), found('basic-013', same)));
  assert.equal(findings.length, 2);
});
