import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokensOf } from './tokens.ts';

test('what a person writes is read as Markdown', () => {
  const page = '# A page\n\nSome *words* with `code`, [a link](https://example.com) and \\*stars\\*.\n\n> - quoted\n\n';
  assert.deepEqual(
    tokensOf(page)?.flatMap(({ type }) => (type === 'space' ? [] : [type])),
    ['heading', 'paragraph', 'blockquote'],
  );
  assert.equal(tokensOf(page.repeat(900))?.at(-1)?.type, 'blockquote');
});

for (const piece of ['>', '> - ', '1. ', '_a', 'a*', '\n|-|-|\n)', 'a@b.\n|-|-|\n'])
  test(`a text of ${JSON.stringify(piece)} alone ends nothing, and is given up when it takes too long`, () => {
    const began = performance.now();
    const tokens = tokensOf(piece.repeat(100_000 / piece.length));
    // Without an end some take half a minute; the machine may be busy.
    assert.ok(performance.now() - began < 5_000);
    assert.equal(tokens, undefined);
  });
