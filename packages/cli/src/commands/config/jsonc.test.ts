import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJsonc, plainJson } from './jsonc.ts';

test('comments and trailing commas become blanks, and strings stay', () => {
  const text = '{ // "a": 1,\n  "b": "x // y /* z */, }", /* c\n , */ "d": [1, 2, ], "e\\"": 3, // end\n}';
  assert.deepEqual(parseJsonc(text), { b: 'x // y /* z */, }', d: [1, 2], 'e"': 3 });
  const plain = plainJson(text);
  assert.equal(plain.length, text.length);
  assert.equal(plain.split('\n').length, text.split('\n').length);
});

test('a comma before a comment and a bracket is a trailing one, and a second comma is a fault', () => {
  assert.deepEqual(parseJsonc('[1, // one\n]'), [1]);
  assert.throws(() => parseJsonc('[1,, ]'));
});

test('a string or a comment without an end is a fault, however often it begins', () => {
  for (const text of ['{"a', '[1] /*', '"\\'.repeat(50_000), '/*\r'.repeat(50_000), '{"a\n": 1}'])
    if (text === '[1] /*') assert.deepEqual(parseJsonc(text), [1]);
    else assert.throws(() => parseJsonc(text));
});
