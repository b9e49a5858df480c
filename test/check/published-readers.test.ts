/** What reports are for machines is judged by machines of others: SARIF by its official schema, JUnit by a reader of it. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { junitReport } from '../../packages/cli/src/check/report/junit.ts';
import { sarifReport } from '../../packages/cli/src/check/report/sarif.ts';
import { cacheFolder, installPackages } from '../../scripts/package-cache.ts';
import { Unavailable } from '../../scripts/toolchains/unavailable.ts';
import { faulty, json, type Fault } from './faulty.ts';
import { judgedAt } from './judging.ts';

/** The official schema, with a validator of its draft, and a reader of JUnit. */
const readers = { '@microsoft/jest-sarif': '1.0.0-beta.0', ajv: '6.12.6', junit2json: '4.0.0' };

/** Loads something of those packages; the test is skipped where nobody can fetch them. */
async function published(t: TestContext): Promise<((name: string) => unknown) | undefined> {
  const folder = cacheFolder('readers', readers);
  try {
    await installPackages(folder, readers);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    t.skip(error.message);
    return undefined;
  }
  return createRequire(join(folder, 'load.js'));
}

/** A server with faults of several kinds: of a MUST, of a SHOULD, at a place, and with odd characters. */
const ill: Fault = {
  request({ headers, message: { method, id } }) {
    delete headers['origin'];
    return method === 'completion/complete'
      ? json(200, { jsonrpc: '2.0', id, error: { code: -32_500, message: 'a\u0007 <b> & "c" ]]> \u{1f600}\nd' } })
      : undefined;
  },
  response(returning, { message: { method } }) {
    if (method === 'tools/list') returning.text = returning.text.replace('"description":"Does it."', '"description":5');
  },
};

/** Reports that have something of everything. */
async function reports(t: TestContext): Promise<readonly CheckReport[]> {
  const report = await judgedAt(t, await faulty(t, ill));
  const { findings } = report;
  assert.ok(new Set(findings.map(({ severity }) => severity)).size > 1 && findings.some(({ where }) => where));
  const known = findings.map((one, at) => (at % 2 === 0 ? { ...one, known: true as const } : one));
  return [report, { ...report, findings: known }, { ...report, transport: 'stdio', findings: [], rows: [] }];
}

interface Validator {
  addMetaSchema(schema: unknown): void;
  validate(schema: unknown, value: unknown): boolean;
  readonly errors: unknown;
}

test('a report as SARIF is valid by the official schema', async (t) => {
  const load = await published(t);
  if (load === undefined) return;
  const Ajv = load('ajv') as new (options: object) => Validator;
  const schema = load('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  const ajv = new Ajv({ schemaId: 'auto', validateSchema: false, allErrors: true, logger: false });
  ajv.addMetaSchema(load('ajv/lib/refs/json-schema-draft-04.json'));
  const all = await reports(t);
  const texts = all.flatMap((report) => [sarifReport(report), sarifReport(report, 'packages/parley/src/a server.ts')]);
  for (const text of texts) {
    assert.ok(ajv.validate(schema, JSON.parse(text)), JSON.stringify(ajv.errors, undefined, 1));
    // It is one that says no to what is none.
    const wrong = JSON.parse(
      text.replaceAll('"kind": "pass"', '"kind": "passed"').replace('"version": "2.1.0"', '"version": 2'),
    );
    assert.equal(ajv.validate(schema, wrong), false);
  }
});

interface ReadCase {
  readonly name: string;
  readonly failure?: readonly { readonly inner?: string; readonly message?: string }[];
  readonly skipped?: readonly unknown[];
}

interface ReadSuite {
  readonly name: string;
  readonly tests: number;
  readonly failures: number;
  readonly skipped: number;
  readonly testcase: readonly ReadCase[];
}

test('a report as JUnit is read as it was meant', async (t) => {
  const load = await published(t);
  if (load === undefined) return;
  const { parse } = load('junit2json') as {
    parse(xml: string): Promise<{ readonly testsuite?: readonly ReadSuite[] }>;
  };
  for (const report of await reports(t)) {
    const { testsuite: suites = [] } = await parse(junitReport(report));
    const cases = suites.flatMap(({ testcase }) => testcase);
    const ofVerdict = (is: (verdict: string) => boolean): number =>
      report.rows.filter(({ verdict }) => is(verdict)).length;
    assert.equal(cases.length, report.rows.length);
    assert.equal(
      cases.filter(({ skipped }) => skipped !== undefined).length,
      ofVerdict((one) => one.startsWith('not-')),
    );
    const failed = cases.filter(({ failure }) => failure !== undefined);
    assert.equal(
      failed.length,
      suites.reduce((sum, { failures }) => sum + failures, 0),
    );
    for (const { name, tests, testcase } of suites) assert.equal(testcase.length, tests, name);
    for (const { id, known, severity, sent, disputed } of report.findings) {
      if (known === true || severity !== 'error' || disputed !== undefined) continue;
      const one = failed.find(({ name }) => name.startsWith(`${id} `));
      assert.ok(one?.failure?.[0]?.inner?.includes(sent.split('\n')[0] ?? ''), id);
    }
  }
});
