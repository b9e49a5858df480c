import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barLine } from './bar.ts';
import { typedEntry, fieldPrompt } from './form-field.ts';

test('a bar shows the share that is done, the time and the words of the server', () => {
  const standing = { tool: 'report', status: 'working', progress: 1, total: 4, message: 'loaded', seconds: 72 };
  assert.equal(barLine(standing, 80), 'report [#####...............] 25% 1m12s loaded');
  assert.equal(barLine({ ...standing, progress: 9 }, 34), 'report [####################] 100%');
});

test('a bar without a measure moves, and never leaves its line', () => {
  const lines = Array.from({ length: 100 }, (_, seconds) =>
    barLine({ tool: 't', status: 'input_required', message: 'a\n\u001b[2Jb 漢字', seconds }, 45),
  );
  assert.equal(new Set(lines.map((line) => line.indexOf('#'))).size, 20);
  for (const line of lines) assert.match(line, /^t \[\.*#\.*\] \d+m?\d*s input_required/);
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  for (const line of lines) assert.doesNotMatch(line, /[\u0000-\u001f]/);
});

test('a field is read as its kind, options by number, value or name', () => {
  const color = {
    type: 'string',
    oneOf: [
      { const: 'r', title: 'Red' },
      { const: 'g', title: 'Green' },
    ],
  } as const;
  const some = { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } } as const;
  const read = (line: string, schema: Parameters<typeof fieldPrompt>[1]): unknown =>
    typedEntry('f', line, { schema, isRequired: true });
  for (const line of ['2', 'g', 'green']) assert.deepEqual(read(line, color), { value: 'g' });
  assert.deepEqual(read('blue', color), { problem: '"f" must be one of its options' });
  assert.deepEqual(read('1, c', some), { value: ['a', 'c'] });
  assert.deepEqual(read('Y', { type: 'boolean' }), { value: true });
  assert.deepEqual(read('1.5', { type: 'number' }), { value: 1.5 });
  assert.deepEqual(read(' x ', { type: 'string' }), { value: 'x' });
  assert.deepEqual(read('', { type: 'string', default: 'x' }), { value: undefined });
  assert.match(fieldPrompt('f', color, false), /^f \(one of these, may be left out\)\n {4}1 {2}Red \(r\)\n/);
});
