import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foundIn } from './find.ts';

const goals = [
  { words: 'Go to tools' },
  { words: 'A tools: get-sum', also: 'Adds numbers' },
  { words: 'A tools: echo', also: 'Echo Tool. Says a text that was summed up' },
].map((one) => ({ ...one, go: () => {} }));

const found = (typed: string): readonly string[] => foundIn(goals, typed).map(({ words }) => words);

test('what is called so stands before what is described so', () => {
  assert.deepEqual(found('sum'), ['A tools: get-sum', 'A tools: echo']);
});

test('titles and descriptions are searched, and every word has to be there', () => {
  assert.deepEqual(found('numbers adds'), ['A tools: get-sum']);
  assert.deepEqual(found('numbers echo'), []);
});

test('without words, everything is offered', () => {
  assert.equal(found('').length, 3);
});
