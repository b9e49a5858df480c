import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokensOf } from './tokens.ts';

test('what a person writes is read as Markdown', () => {
  const page = '# A page\n\nSome *words* with `code`, [a link](https://example.com) and \\*stars\\*.\n\n> - quoted\n\n';
  assert.deepEqual(
    tokensOf(page)?.flatMap(({ type }) => (type === 'space' ? [] : [type])),
    ['heading', 'paragraph', 'blockquote'],
  );
  // A busy machine may take as long as it likes.
  const long = tokensOf(page.repeat(900), () => 0);
  assert.equal(long?.filter(({ type }) => type === 'blockquote').length, 900);
});

for (const piece of ['>', '> - ', '1. ', '_a', 'a*', '\n|-|-|\n)', 'a@b.\n|-|-|\n'])
  test(`a text of ${JSON.stringify(piece)} alone ends nothing, and is given up when it takes too long`, () => {
    // Time passes by how often it is asked for, 500 times here.
    let looks = 0;
    assert.equal(
      tokensOf(piece.repeat(100_000 / piece.length), () => looks++),
      undefined,
    );
  });
