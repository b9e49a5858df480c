import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseRevision, chosenRevisions, commonRevision, newestRevision, revisionOf, revisions } from './revision.ts';

const handshake = chosenRevisions(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);

const offers: readonly (readonly [unknown, string])[] = [
  ['2024-11-05', '2024-11-05'],
  ['2025-06-18', '2025-06-18'],
  ['2025-11-25', '2025-11-25'],
  ['2026-07-28', '2025-11-25'],
  ['2099-01-01', '2025-11-25'],
  ['1.0', '2025-11-25'],
  ['', '2025-11-25'],
  ['draft', '2025-11-25'],
  [undefined, '2025-11-25'],
];

for (const [asked, answered] of offers) {
  test(`a client that asks for ${JSON.stringify(asked)} is offered ${answered}`, () => {
    assert.equal(chooseRevision(revisions, asked)?.date, answered);
  });
}

test('a counter-offer is the newest that the server speaks', () => {
  assert.equal(chooseRevision(chosenRevisions(['2025-03-26', '2025-06-18']), '2025-11-25')?.date, '2025-06-18');
});

test('a server without a handshake has nothing to offer', () => {
  assert.equal(chooseRevision([newestRevision], '2025-11-25'), undefined);
});

test('a client picks the newest revision in common', () => {
  assert.equal(commonRevision(revisions, ['2025-03-26', '2026-07-28', 'x', 7])?.date, '2026-07-28');
  assert.equal(commonRevision(handshake, ['2026-07-28', '2025-03-26'])?.date, '2025-03-26');
  assert.equal(commonRevision(revisions, ['2026-07-28', '2025-03-26'], 'handshake')?.date, '2025-03-26');
  assert.equal(commonRevision(revisions, ['2099-01-01']), undefined);
});

test('a revision is found by its date alone', () => {
  assert.equal(revisionOf('2026-07-28'), newestRevision);
  for (const name of ['draft', '2026-06-30', '__proto__', 20260728, undefined])
    assert.equal(revisionOf(name), undefined);
});

test('a choice of revisions is sorted, and refuses what is none', () => {
  assert.deepEqual(
    chosenRevisions(['2025-11-25', '2024-11-05', '2025-11-25']).map(({ date }) => date),
    ['2024-11-05', '2025-11-25'],
  );
  assert.throws(() => chosenRevisions(['2026-06-30']), TypeError);
  assert.throws(() => chosenRevisions([]), TypeError);
});
