import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainFrontmatter } from './frontmatter.ts';

function read(text: string): unknown {
  const found = plainFrontmatter(text);
  return typeof found === 'object' ? [[...found.keys], Object.fromEntries(found.plain)] : found;
}

test('fields of one line of text are read, be the lines ended as they may', () => {
  const expected = [['name', 'description'], { name: 'refunds', description: "Gives money back (the user's)." }];
  const text = "---\nname: refunds\n# a remark\n\ndescription: Gives money back (the user's).\n---\n\n# Refunds\n";
  assert.deepEqual(read(text), expected);
  assert.deepEqual(read(text.replaceAll('\n', '\r\n')), expected);
  assert.deepEqual(read(`\uFEFF${text}`), expected);
});

test('what YAML may read as something else is no plain text', () => {
  const text = [
    '---',
    'name: "refunds"',
    'description: >-',
    '  Gives money: back',
    'metadata:',
    '  name: other',
    'tools:',
    '- one',
    'on: yes',
    'version: 1.0',
    'link: https://example.com # home',
    'long: begins here',
    '  and goes on',
    'empty:',
    '---',
  ].join('\n');
  assert.deepEqual(read(text), [
    ['name', 'description', 'metadata', 'tools', 'on', 'version', 'link', 'long', 'empty'],
    {},
  ]);
});

test('a file without frontmatter, and one whose fields are not told apart', () => {
  for (const text of ['# Title\n---\nname: a\n---\n', '---\nname: a\n', '', '----\nname: a\n---\n'])
    assert.equal(read(text), undefined, JSON.stringify(text));
  for (const text of ['---\n{name: a, description: b}\n---\n', '---\n"name": a\n---\n', '---\n? name\n: a\n---\n'])
    assert.equal(read(text), 'odd', JSON.stringify(text));
  assert.deepEqual(read('---\n---\n'), [[], {}]);
});
