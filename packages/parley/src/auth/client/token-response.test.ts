import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantOf, grantText, readGrant } from './grant.ts';
import { AuthorizationError } from '../common/errors.ts';
import { isRefusal, readTokenAnswer, type TokenAnswer } from './token-response.ts';

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

/** Reads an answer; gives the tokens, or the error. */
function read(status: number, body: unknown): TokenAnswer | AuthorizationError {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  try {
    return readTokenAnswer({ status, text, url: undefined, header: () => undefined }, 'https://as.example');
  } catch (error) {
    assert.ok(error instanceof AuthorizationError);
    return error;
  }
}

const tokens = { access_token: 'a', token_type: 'Bearer' };

test('tokens are read of a success with an object, and other statuses say whether to try again', () => {
  for (const [status, reason] of [
    [199, 'invalid-response'],
    [200, undefined],
    [299, undefined],
    [300, 'invalid-response'],
    [404, 'invalid-response'],
    [408, 'server-error'],
    [425, 'server-error'],
    [429, 'server-error'],
    [499, 'invalid-response'],
    [500, 'server-error'],
  ] as const) {
    const found = read(status, tokens);
    assert.equal(found instanceof AuthorizationError ? found.reason : undefined, reason, String(status));
    if (found instanceof AuthorizationError) assert.equal(found.status, status);
  }
  for (const body of ['', 'no JSON', '[]', '7'])
    assert.equal((read(200, body) as AuthorizationError).reason, 'invalid-response');
});

test('an answer has a token that a header can carry, and its type', () => {
  for (const [change, words] of [
    [{ access_token: undefined }, /no access_token/],
    [{ access_token: '' }, /no access_token/],
    [{ token_type: undefined }, /no token_type/],
    [{ access_token: 'a b' }, /no header may have/],
    [{ access_token: 'a\u007f' }, /no header may have/],
  ] as const)
    assert.match((read(200, { ...tokens, ...change }) as AuthorizationError).message, words);
  const { scopes, refreshToken, idToken } = read(200, {
    ...tokens,
    access_token: '!~',
    scope: 'a b',
    refresh_token: 'r',
    id_token: 'i',
  }) as TokenAnswer;
  assert.deepEqual([scopes, refreshToken, idToken], [['a', 'b'], 'r', 'i']);
  assert.deepEqual((read(200, { ...tokens, scope: ['a'] }) as TokenAnswer).scopes, ['a']);
  assert.equal((read(200, { ...tokens, scope: { a: 1 } }) as TokenAnswer).scopes, undefined);
  assert.equal((read(200, tokens) as TokenAnswer).tokenType, 'bearer');
});

test('each code of a refusal has its reason, and says whether what was granted is lost', () => {
  for (const [status, code, reason, refuses] of [
    [400, 'invalid_client', 'invalid-client', true],
    [400, 'unauthorized_client', 'invalid-client', true],
    [400, 'invalid_grant', 'grant-lost', true],
    [400, 'invalid_scope', 'insufficient-scope', true],
    [400, 'invalid_target', 'resource-mismatch', true],
    [400, 'access_denied', 'denied', true],
    [400, 'own_code', 'server-error', true],
    [400, 'toString', 'server-error', true],
    [400, 'invalid_dpop_proof', 'server-error', false],
    [400, 'use_dpop_nonce', 'server-error', false],
    [400, 'temporarily_unavailable', 'server-error', false],
    [400, 'server_error', 'server-error', false],
    [503, 'invalid_grant', 'server-error', false],
    [429, 'invalid_grant', 'server-error', false],
  ] as const) {
    const error = read(status, { error: code }) as AuthorizationError;
    assert.deepEqual([error.reason, error.code, error.status, isRefusal(error)], [reason, code, status, refuses]);
    assert.equal(error.message.includes('try again later'), !refuses && !/dpop/.test(code), code);
  }
  assert.equal(isRefusal(read(200, '')), false);
  assert.equal(isRefusal(new Error('x')), false);
});
