/** The form of doc comments: the first sentence names the thing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sources } from './support/sources.ts';

/** Words that begin a question and name nothing. */
const question = /^(What|Who|Whom|Whose|How|Whether|Where|Why|When|Which)\b/;

test('a doc comment begins with a noun or a verb, which names the thing', () => {
  const found = sources().flatMap(({ path, text }) =>
    [...text.matchAll(/\/\*\*[\s*]*([^]*?)\*\//g)]
      .filter(([, words = '']) => question.test(words))
      .map(({ index, 1: words = '' }) => `${path}:${text.slice(0, index).split('\n').length} ${words.split('\n')[0]}`),
  );
  assert.deepEqual(found, []);
});
