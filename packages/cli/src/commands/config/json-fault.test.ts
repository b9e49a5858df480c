import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultIn } from './json-fault.ts';

const faults: readonly (readonly [text: string, line: number, column: number])[] = [
  ['', 1, 1],
  ['{', 1, 2],
  ['{"a": 1', 1, 8],
  ['abc', 1, 1],
  ['{\n  "a": 1,\n}', 3, 1],
  ['{\n  "a": [1, 2,]\n}', 2, 14],
  ['{\n  // mine\n  "a": 1\n}', 2, 3],
  ["{'a': 1}", 1, 2],
  ['{"a" 1}', 1, 6],
  ['{"a": 01}', 1, 7],
  ['{"a": "b\nc"}', 1, 7],
  ['{"a": 1} x', 1, 10],
  ['{"a": 1}}', 1, 9],
  ['[1}', 1, 3],
  ['[1, "\\x"]', 1, 5],
  ['[nul]', 1, 2],
  ['{"a": 1 "b": 2}', 1, 9],
];

for (const [text, line, column] of faults)
  test(`the first fault has its place: ${JSON.stringify(text)}`, () => {
    assert.throws(() => JSON.parse(text));
    assert.deepEqual(faultIn(text), { line, column });
  });
