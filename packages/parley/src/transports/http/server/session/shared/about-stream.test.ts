import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutAnswer, aboutSession, requestAnswered } from './about-stream.ts';

test('the text about a stream names the one request that it answers', () => {
  for (const id of [1, 'two', 'i'.repeat(59_998)]) assert.equal(requestAnswered(aboutAnswer([id])), id);
  for (const ids of [[], [1, 2], ['i'.repeat(59_999)], ['\0'.repeat(20_000)]])
    assert.equal(requestAnswered(aboutAnswer(ids)), undefined);
  assert.equal(requestAnswered(aboutSession), undefined);
  assert.equal(requestAnswered('{"answers":null}'), undefined);
});
