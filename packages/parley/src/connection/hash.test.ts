import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf } from './hash.ts';

test('the hash of a text depends on each character, its place and the length', () => {
  const texts = ['', 'a', 'b', 'aa', 'ab', 'ba', 'aaa', 'tools/call', 'tools/cali', '\u0000', '\ud83d\ude00'];
  assert.equal(new Set(texts.map(hashOf)).size, texts.length);
});

test('the hash of a text is the same in every process', () => {
  assert.deepEqual(['', 'tools/call'].map(hashOf), ['0.1ps9wxb.i90v2v', 'a.18431ll.1oxm1rh']);
});
