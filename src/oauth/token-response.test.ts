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

test('invalid_target advises to leave out the resource only where that may help', () => {
  const refused = (description: string | undefined): string => {
    const text = JSON.stringify({ error: 'invalid_target', error_description: description });
    const answer = { status: 400, text, url: undefined, header: () => undefined };
    try {
      readTokenAnswer(answer, 'https://as.example');
    } catch (error) {
      return (error as Error).message;
    }
    return assert.fail('it was taken');
  };
  const omit = /set resourceParameter to 'omit'/;
  for (const unlinked of ['Client is not linked to the resource', 'access to the audience is not allowed']) {
    const message = refused(unlinked);
    assert.ok(message.includes(unlinked));
    assert.doesNotMatch(message, omit);
    assert.match(message, /the client may have no access to the resource/);
  }
  for (const unknown of [undefined, 'resource indicator is missing, or unknown']) assert.match(refused(unknown), omit);
});
