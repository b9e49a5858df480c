import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clipped, table, wrapped } from './text.ts';

test('cells are aligned, and the last one goes on below itself', () => {
  const text = table(
    [
      ['a', 'one two three four five six seven'],
      ['bcd', 'x'],
    ],
    30,
  );
  assert.equal(text, '  a    one two three four five\n       six seven\n  bcd  x\n');
});

test('a cell that is very wide has a line of its own, and widens no other', () => {
  const wide = 'w'.repeat(50);
  const text = table(
    [
      [wide, 'about it'],
      ['b', 'x'],
    ],
    80,
  );
  assert.equal(text, `  ${wide}\n     about it\n  b  x\n`);
});

test('what somebody else says begins no line of its own', () => {
  assert.equal(table([['a\nb', 'c\r\n d']], 80), '  a b  c d\n');
});

test('a word that is longer than a line is left whole', () => {
  assert.deepEqual(wrapped(`a ${'b'.repeat(40)} c`, 20), ['a', 'b'.repeat(40), 'c']);
});

test('a text that is too long is cut off', () => {
  assert.equal(clipped('abcdef', 4), 'abc…');
  assert.equal(clipped('abcd', 4), 'abcd');
});
