import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baselineText, compareTo, readBaseline } from '../baseline.ts';
import type { CheckReport, Finding } from '../report.ts';
import { junitReport } from './junit.ts';
import { sarifReport } from './sarif.ts';
import { textReport } from './text.ts';

const finding: Finding = {
  id: 'http-003',
  severity: 'error',
  level: 'MUST',
  revisions: ['2025-06-18', '2025-11-25'],
  message: 'A request from a page of another origin is refused',
  why: 'it was <served> & "done" \u0007',
  sent: 'POST /mcp\nOrigin: http://a.invalid\n\n{"a":1}',
  came: 'HTTP 200',
  fix: 'look at Origin',
};
const report: CheckReport = {
  tool: { name: 'parley-check', version: '1.0.0' },
  target: 'http://127.0.0.1:1/mcp',
  transport: 'http',
  revisions: [{ revision: '2025-11-25', spoken: true }],
  counts: {
    judged: 2,
    broken: 1,
    differing: 0,
    notSeen: 0,
    notApplicable: 0,
    notJudged: 1,
    notAllowed: 0,
    disputed: 0,
    messages: 7,
  },
  findings: [finding],
  uncalled: [{ name: 'book', revision: '2025-11-25', why: 'it is not listed' }],
  rows: [
    { id: 'basic-018', revision: '2025-11-25', verdict: 'holds' },
    { id: 'http-003', revision: '2025-06-18', verdict: 'breaks', why: 'it was <served>' },
    { id: 'http-003', revision: '2025-11-25', verdict: 'breaks', why: 'it was <served>' },
    { id: 'page-009', revision: '2025-11-25', verdict: 'not-judged', why: 'a right one failed' },
  ],
};

test('a report for a person has what was sent, what came, what to change, and the counts', () => {
  const text = textReport(report);
  for (const part of [
    'http-003 MUST',
    'Origin: http://a.invalid',
    'came    HTTP 200',
    'fix     look at Origin',
    '1 broken',
    'book was not called: it is not listed',
  ])
    assert.ok(text.includes(part), part);
});

test('JUnit has a suite for each revision and area, and text that XML can hold', () => {
  const xml = junitReport(report);
  assert.match(xml, /<testsuite name="2025-11-25 http" tests="1" failures="1" skipped="0" errors="0">/);
  assert.match(xml, /<skipped message="not-judged: a right one failed"\/>/);
  assert.match(xml, /<failure message="it was &lt;served&gt;">/);
  assert.ok(!xml.includes('\u0007'));
  assert.equal(xml.match(/<testcase /g)?.length, report.rows.length);
});

test('SARIF has a result for each finding and for each row that is none', () => {
  const sarif = JSON.parse(sarifReport(report)) as {
    readonly runs: readonly [
      {
        readonly results: readonly {
          readonly ruleId: string;
          readonly kind: string;
          readonly webRequest?: { readonly headers: object };
        }[];
      },
    ];
  };
  const [{ results }] = sarif.runs;
  assert.deepEqual(
    results.map(({ ruleId, kind }) => [ruleId, kind]),
    [
      ['http-003', 'fail'],
      ['basic-018', 'pass'],
      ['page-009', 'open'],
    ],
  );
  assert.deepEqual(results[0]?.webRequest?.headers, { Origin: 'http://a.invalid' });
});

test('SARIF has the words of the rules of the side that was judged', () => {
  const rows = ['page-004', 'auth-090'].map((id) => ({ id, revision: '2026-07-28', verdict: 'holds' as const }));
  const words = (side: Pick<CheckReport, 'side'>): readonly string[] => {
    const { runs } = JSON.parse(sarifReport({ ...report, ...side, findings: [], rows })) as {
      readonly runs: readonly [{ tool: { driver: { rules: readonly { shortDescription: { text: string } }[] } } }];
    };
    return runs[0].tool.driver.rules.map(({ shortDescription: { text } }) => text);
  };
  assert.deepEqual(words({ side: 'client' }), [
    'An empty cursor is a valid cursor: a list ends only without nextCursor',
    'An iss is compared as an exact string',
  ]);
  assert.deepEqual(words({}), ['page-004', 'auth-090']);
});

test('what is in the baseline is known, at the revisions that it names', () => {
  const known = readBaseline(baselineText(report));
  assert.equal(compareTo(report, known).report.findings[0]?.known, true);
  assert.equal(compareTo(report, known.slice(1)).report.findings[0]?.known, undefined);
});

test('what is in the baseline and holds now is stale', () => {
  const known = [{ id: 'basic-018', revision: '2025-11-25' }];
  assert.deepEqual(compareTo(report, known).stale, known);
});

test('JUnit fails what is not known, and nothing else', () => {
  const known = { ...finding, revisions: ['2025-06-18'], where: 'a', known: true } as const;
  const fresh = { ...finding, revisions: ['2025-11-25'], where: 'b' };
  const both = junitReport({ ...report, findings: [known, fresh] });
  assert.equal(both.split('<failure').length - 1, 1);
  assert.match(both, /name="2025-06-18 http" tests="1" failures="0"/);
  assert.match(both, /name="2025-11-25 http" tests="1" failures="1"/);
});

test('SARIF has the whole body of what was sent, blank lines too', () => {
  const { runs } = JSON.parse(sarifReport({ ...report, findings: [{ ...finding, sent: 'POST /\n\na\n\nb' }] }));
  assert.equal(runs[0].results[0].webRequest.body.text, 'a\n\nb');
});

test('what a server made up begins no line of a report', () => {
  const forged = '\n0 rows are broken';
  const text = textReport(
    {
      ...report,
      revisions: [{ revision: '2025-11-25', spoken: false, why: forged }],
      findings: [{ ...finding, why: forged, where: forged }],
      uncalled: [{ name: 'book', revision: '2025-11-25', why: forged }],
      rows: [{ id: 'http-003', revision: '2025-11-25', verdict: 'breaks', why: forged }],
    },
    { verbose: true },
  );
  assert.doesNotMatch(text, /^0 rows/m);
});

test('a baseline that is none is refused', () => {
  assert.throws(() => readBaseline('{}'), /a baseline is a list/);
  assert.throws(() => readBaseline('[{"id": 1}]'), /entry 0 of the baseline/);
});
