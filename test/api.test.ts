/** What the built package exports: it changes only when somebody means it, and all of it is named and described. */

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { apiReports, type ApiReport } from '../scripts/api-reports.ts';
import { root } from './support/sources.ts';

const skip = existsSync(join(root, 'dist/index.d.ts')) ? false : 'the package is not built: npm run build';

/** Types that only work out what others are made of, or are the parts of `MethodTypes`; nobody writes their names. */
const workings = new Set([
  'ArgumentNames',
  'AskingOf',
  'CompletionMethods',
  'ElicitationMethods',
  'Flat',
  'EntryOf',
  'FromJsonSchema',
  'JsonSchemaKeywords',
  'LifecycleMethods',
  'ListOf',
  'LoggingMethods',
  'NameOf',
  'NoArguments',
  'NoFields',
  'MayBeMissing',
  'OutputValue',
  'PlainReturn',
  'PromptMethods',
  'ResourceMethods',
  'RootMethods',
  'SamplingMethods',
  'StandardProperties',
  'SubscriptionMethods',
  'TaskMethods',
  'ToolMethods',
  'VariableNames',
  'VariablesOf',
  'WithoutOutput',
]);

describe('the public surface', { skip }, () => {
  let reports: readonly ApiReport[] = [];
  before(() => {
    reports = apiReports(globSync('dist/*.d.ts', { cwd: root }).map((path) => join(root, path)));
  });

  test('is what api/ says; `npm run api` writes it down anew', () => {
    const written = globSync('*', { cwd: join(root, 'api') });
    assert.deepEqual(written.toSorted(), reports.map(({ file }) => file).toSorted());
    for (const { file, text } of reports) assert.equal(text, readFileSync(join(root, 'api', file), 'utf8'), file);
  });

  test('has a doc comment on every name', () => {
    assert.deepEqual(
      reports.flatMap(({ file, undocumented }) => undocumented.map((name) => `${file}: ${name}`)),
      [],
    );
  });

  test('names no type that no entry point exports', () => {
    const exported = new Set(reports.flatMap((report) => report.exported));
    // A second type of the same name has a number behind it.
    const named = reports.flatMap(({ forgotten }) => forgotten.map((name) => name.replace(/_\d+$/, '')));
    assert.deepEqual(
      [...new Set(named)].filter((name) => !exported.has(name) && !workings.has(name)),
      [],
    );
  });
});
