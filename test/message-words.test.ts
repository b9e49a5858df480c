import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phrases } from '../scripts/check/plain-words.ts';
import { messageTexts } from './advices/texts.ts';

/** The first word of a text that readers stumble over, with its plain counterpart. */
function faultOf(text: string): string | undefined {
  for (const [phrase, plain] of phrases) {
    const [found] = text.match(phrase) ?? [];
    if (found !== undefined) return `says "${found}"; ${plain}`;
  }
  return undefined;
}

test('messages of the sources have standard words', () => {
  const texts = messageTexts((source) => faultOf(source) !== undefined);
  assert.ok(texts.length > 500, 'few messages were found');
  assert.deepEqual(
    texts.flatMap(([file, text]) => {
      const fault = faultOf(text);
      return fault === undefined ? [] : [`${file}: ${text}: ${fault}`];
    }),
    [],
  );
  assert.match(faultOf('the server is told of it') ?? '', /^says "is told"/);
});
