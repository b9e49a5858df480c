import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultMarks, firstMarked } from './fault-marks.ts';

const text = JSON.stringify({ result: { tools: [{ name: 'add' }, { name: 'odd', inputSchema: null }] } });

test('the entry that a fault names is marked, and found', () => {
  const marks = faultMarks(text, [{ where: 'tools/odd' }]);
  assert.deepEqual([...marks], [['.result.tools[1]', '!']]);
  // The lines before it: the message, the result, the list, and the first tool.
  assert.equal(firstMarked(text, marks), 6);
});

test('a fault without a place, and a text that is no JSON, have no mark', () => {
  assert.equal(faultMarks(text, [{}, { where: 'prompts/odd' }]).size, 0);
  assert.equal(faultMarks('{', [{ where: 'tools/odd' }]).size, 0);
  assert.equal(firstMarked(text, new Map()), undefined);
});
