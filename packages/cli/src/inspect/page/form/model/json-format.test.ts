import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatted, indentAfter, lineAt } from './json-format.ts';

test('a formatted text is laid out as JSON.stringify lays it out', () => {
  const spaced = fc.tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t', 4));
  fc.assert(
    fc.property(spaced, ([value, indent]) => {
      // The spelling of numbers is that of JavaScript here, so that both agree on all of it.
      const text = JSON.stringify(value, undefined, indent);
      assert.equal(formatted(text), JSON.stringify(JSON.parse(text), undefined, 2));
      assert.equal(formatted(formatted(text)), formatted(text));
    }),
  );
});

test('a formatted text keeps the spelling of numbers and strings, and names that are there twice', () => {
  const text = '{"a":1.0,"a" : 12345678901234567890,"b":["\\u0041 \\"{,}\\\\",-0,{},[ ]]}';
  const expected = `{
  "a": 1.0,
  "a": 12345678901234567890,
  "b": [
    "\\u0041 \\"{,}\\\\",
    -0,
    {},
    []
  ]
}`;
  assert.equal(formatted(text), expected);
});

test('a text that is not JSON is not formatted', () => {
  for (const text of ['', ' ', '{', '{"a":1,}', '1 2']) assert.equal(formatted(text), text);
});

test('a deep text does not grow with the square of its depth', () => {
  const depth = 10_000;
  const text = formatted('['.repeat(depth) + ']'.repeat(depth));
  assert.ok(text.length < depth * 300);
  assert.equal(text.replaceAll(/\s/g, '').length, depth * 2);
});

test('lines are counted, and a new one is indented as the one before it', () => {
  assert.deepEqual(
    [0, 2, 3].map((at) => lineAt('a\nb\nc', at)),
    [1, 2, 2],
  );
  assert.equal(indentAfter('{\n  "a": {'), '    ');
  assert.equal(indentAfter('{\n  "a": 1,'), '  ');
  assert.equal(indentAfter(''), '');
});
