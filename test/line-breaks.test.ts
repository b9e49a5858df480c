import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withLineBreaks } from '../scripts/build/line-breaks.ts';

const words = Array.from({ length: 60 }, (_, at) => `word${at}`);

test('lines of statements, properties and imported names are broken, and mean the same', async () => {
  const statements = words.map((word) => `const ${word}="a;b,{${word}";`).join('');
  const properties = `export const all={${words.map((word) => `${word}(){return ${word}}`).join(',')}};`;
  const text = withLineBreaks(statements + properties);
  const lines = text.split('\n');
  assert.ok(lines.length > 10);
  assert.ok(lines.every((line) => line.length < 200));
  assert.equal(lines.join(''), statements + properties);
  const { all } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  assert.deepEqual(
    words.map((word) => all[word]()),
    words.map((word) => `a;b,{${word}`),
  );
});

test('a long text and a long expression stay in one line', () => {
  const text = `const a=\`${'x y; '.repeat(100)}\`,b=${'c+'.repeat(100)}1;`;
  assert.equal(withLineBreaks(text), text);
});
