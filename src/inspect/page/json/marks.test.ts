import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonLines } from './lines.ts';
import { marksOf, marksOfLines } from './marks.ts';

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
