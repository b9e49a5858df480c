import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTokenAnswer } from './token-response.ts';

function lifeOf(expires_in: unknown): number | undefined {
  const text = JSON.stringify({ access_token: 'a', token_type: 'Bearer', expires_in });
  return readTokenAnswer({ status: 200, text, url: undefined, header: () => undefined }, 'https://as.example')
    .expiresIn;
}

test('the life of a token is a number, or a number as text; anything else says nothing about it', () => {
  assert.deepEqual([3600, '3600', 0.5].map(lifeOf), [3600, 3600, 0.5]);
  for (const odd of ['', null, false, true, [], [5], {}, 'soon', -1])
    assert.equal(lifeOf(odd), undefined, JSON.stringify(odd));
});
