import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantOf, grantText, readGrant } from './grant.ts';
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

test('a life of any length gives a grant that can be kept, and an end that is a date', () => {
  for (const life of [1e10, 1e300, 1e306, Number.MAX_VALUE, '99999999999999']) {
    const endpoints = { issuer: 'https://as.example', token: 'https://as.example/token' };
    const about = { resource: 'https://mcp.example', client: 'c', endpoints, requested: [], now: Date.UTC(2026, 0) };
    const answer = { accessToken: 'a', tokenType: 'bearer', refreshToken: 'r', scopes: [], idToken: undefined };
    const kept = readGrant(grantText(grantOf({ ...answer, expiresIn: lifeOf(life) }, about)));
    assert.equal(new Date(kept?.expiresAt ?? Number.NaN).getUTCFullYear(), 2126, String(life));
  }
});
