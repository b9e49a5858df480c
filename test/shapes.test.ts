/** Holds the tables of `packages/parley/src/protocol` against what the official schema of every revision says. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisionOf, revisions, type RevisionDate } from '../packages/parley/src/protocol/revision.ts';
import { fullSchema } from './support/beside.ts';
import { definitionsOf, document, type Definitions } from './support/official-definitions.ts';
import { Comparison, shapeProblems } from './support/shape-comparison.ts';
import { allowed, explained, renamed } from './support/shape-differences.ts';

const definitions = (date: string): Definitions => definitionsOf(document(date));

for (const revision of revisions) {
  test(`the tables say of ${revision.date} what its official schema says`, () => {
    assert.deepEqual(shapeProblems(revision, definitions(revision.date)), []);
    const full = fullSchema(revision.date);
    if (full !== undefined) assert.deepEqual(shapeProblems(revision, definitionsOf(full)), []);
  });
}

test('every allowed difference is one', () => {
  const used = new Set<string>();
  for (const revision of revisions) {
    const comparison = new Comparison(revision, definitions(revision.date));
    comparison.run();
    for (const difference of comparison.used) used.add(difference);
  }
  assert.deepEqual(
    [...allowed.keys()].filter((difference) => !used.has(difference)),
    [],
  );
});

test('what is explained is in an official schema', () => {
  const names = new Set(
    revisions.flatMap(({ date }) => Object.keys(definitions(date)).flatMap((name) => [name, `${date} ${name}`])),
  );
  const strange = [...explained.keys(), ...renamed.keys()].filter((name) => !names.has(name));
  assert.deepEqual(strange, []);
});

test('every revision has a schema to be compared with', () => {
  const dates: readonly RevisionDate[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
  assert.deepEqual(
    revisions.map((revision) => revision.date),
    dates,
  );
  for (const date of dates) {
    assert.notEqual(revisionOf(date), undefined);
    assert.ok(Object.keys(definitions(date)).length > 70);
  }
});
