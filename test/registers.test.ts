/** The registers of requirements and behaviours are ids, facts and places; whatever a title cites is in one of them. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { citedIds } from '../scripts/covered.ts';
import { checkPage } from '../scripts/check-page.ts';
import { rowsFiles } from '../scripts/register.ts';
import { behaviours, folder, fullBehaviours, fullRequirements, requirements, tableText } from '../scripts/registers.ts';
import { beside } from './support/beside.ts';

test('a requirement has an id of its own, a level and a place, and no sentence', () => {
  const rows = requirements();
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  for (const { id, level, ...cells } of rows) {
    assert.match(id, /^[a-z0-9]+-\d{3}$/);
    assert.match(level, /^(MUST|SHOULD)( NOT)?$/, id);
    for (const cell of Object.values(cells)) assert.match(cell, /^\S*$/, id);
  }
});

test('a behaviour has an id of its own and a few words', () => {
  const rows = behaviours();
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  for (const { id, words } of rows) {
    assert.match(id, /^[A-E]\d{2}$/);
    assert.match(words, /^.{5,79}$/, `${id} has no words in test/spec/behaviours.tsv, or too many`);
  }
});

test('whatever the title of a test cites is in a register', () => {
  const known = new Set([...requirements(), ...behaviours()].map(({ id }) => id));
  const unknown = [...citedIds()].filter(([id]) => !known.has(id)).map(([id, titles]) => `${id}: ${titles.join()}`);
  assert.deepEqual(unknown, []);
});

const again = 'npm run registers writes them anew';

const fullTable = beside('requirements.tsv');
if (fullTable !== undefined) {
  test('the requirements are those of the full register', () => {
    const text = readFileSync(join(folder, 'requirements.tsv'), 'utf8');
    assert.equal(tableText(fullRequirements(fullTable)), text, again);
  });
}

const fullList = beside('design/behaviours.md');
if (fullList !== undefined) {
  test('the behaviours are those of the full register', () => {
    assert.deepEqual(
      behaviours().map(({ id }) => id),
      fullBehaviours(fullList),
      again,
    );
  });
}

test('the rows that parley check judges are those of its rules', () => {
  for (const [file, text] of rowsFiles())
    assert.equal(readFileSync(join(folder, '../..', file), 'utf8'), text, 'npm run register writes them anew');
});

test('docs/check.md says what parley check judges', () => {
  assert.equal(
    readFileSync(join(folder, '../../docs/check.md'), 'utf8'),
    checkPage(),
    'npm run check-page writes it anew',
  );
});
