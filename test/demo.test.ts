import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeredWords } from '../scripts/demo-questions.ts';

test('the demo says that a question does not exist in a revision, not that it failed', () => {
  assert.equal(answeredWords(3, [], '2025-11-25'), '3 of 3');
  assert.equal(
    answeredWords(2, ['elicitation/create'], '2024-11-05'),
    '2 of 2; elicitation/create does not exist in 2024-11-05',
  );
});
