import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonLines } from './lines.ts';
import { firstDiffering, marksOf, marksOfLines } from './marks.ts';

function marked(left: unknown, right: unknown): readonly [readonly string[], readonly string[]] {
  const marks = marksOf(left, right);
  const side = (value: unknown, own: typeof marks.left): readonly string[] => {
    const lines = jsonLines(JSON.stringify(value));
    const signs = marksOfLines(lines, own);
    return lines.map(({ pieces }, at) => `${signs[at] ?? ' '} ${pieces.map(({ text }) => text).join('')}`);
  };
  return [side(left, marks.left), side(right, marks.right)];
}

test('lines of what one side has alone, or otherwise, have a sign', () => {
  const left = { result: { resultType: 'complete', list: [1, { a: 1 }], meta: { deep: [{}] }, same: [] } };
  const right = { result: { list: [1, { a: 2 }, 3], same: [] } };
  assert.deepEqual(marked(left, right), [
    [
      '  {',
      '  "result": {',
      '− "resultType": "complete",',
      '  "list": [',
      '  1,',
      '  {',
      '~ "a": 1',
      '  }',
      '  ],',
      '− "meta": {',
      '− "deep": [',
      '− {}',
      '− ]',
      '− },',
      '  "same": []',
      '  }',
      '  }',
    ],
    [
      '  {',
      '  "result": {',
      '  "list": [',
      '  1,',
      '  {',
      '~ "a": 2',
      '  },',
      '+ 3',
      '  ],',
      '  "same": []',
      '  }',
      '  }',
    ],
  ]);
});

test('values that are the same, or wholly other, are marked nowhere, or everywhere', () => {
  assert.deepEqual(marked({ a: 1 }, { a: 1 }), [
    ['  {', '  "a": 1', '  }'],
    ['  {', '  "a": 1', '  }'],
  ]);
  assert.deepEqual(marked([1], 2), [['~ [', '~ 1', '~ ]'], ['~ 2']]);
});

test('a member whose name has a dot is not taken for a member of a member', () => {
  assert.deepEqual(marked({ a: { b: 1 }, 'a.b': 1 }, { a: { b: 1 } }), [
    ['  {', '  "a": {', '  "b": 1', '  },', '− "a.b": 1', '  }'],
    ['  {', '  "a": {', '  "b": 1', '  }', '  }'],
  ]);
});

test('the first line that differs is the same on both sides', () => {
  const first = (left: unknown, right: unknown): number | undefined =>
    firstDiffering(JSON.stringify(left), JSON.stringify(right), marksOf(left, right));
  assert.equal(first({ a: 1, b: 2, c: 3 }, { a: 1, c: 3 }), 2);
  assert.equal(first({ a: 1, c: 3 }, { a: 1, b: 2, c: 3 }), 2);
  assert.equal(first({ a: [1, 2] }, { a: [1, 3] }), 3);
  assert.equal(first({ a: 1 }, { a: 1 }), undefined);
});
