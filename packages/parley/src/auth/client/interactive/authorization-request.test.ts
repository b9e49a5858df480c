import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthorizationError, type AuthorizationReason } from '../../common/errors.ts';
import { judgedCode, pendingText, readPending, stateOf, type PendingLogin } from './authorization-request.ts';

const issuer = 'https://as.example';
const pending: PendingLogin = {
  state: 'state',
  verifier: 'v',
  endpoints: { issuer, token: `${issuer}/token` },
  namesIssuer: false,
  client: 'c',
  redirectUri: 'https://app.example/back',
  resource: 'https://mcp.example',
  requested: [],
  bound: false,
  server: 'https://mcp.example/mcp',
  at: 0,
};

const back = (query: string): string => `https://app.example/back?${query}`;

/** The code, or why the answer is refused. */
function judged(query: string, changes: Partial<PendingLogin> = {}): string {
  try {
    return `code ${judgedCode(query.includes('://app') ? query : back(query), { ...pending, ...changes })}`;
  } catch (error) {
    assert.ok(error instanceof AuthorizationError);
    assert.equal(error.issuer, issuer);
    return `${error.reason}: ${error.message}`;
  }
}

const iss = encodeURIComponent(issuer);

test('an answer gives its code if each parameter is there once, and the state and the issuer are those of the login', () => {
  assert.equal(judged('state=state&code=x'), 'code x');
  assert.equal(judged(`state=state&code=x&iss=${iss}`), 'code x');
  assert.equal(judged(`state=state&code=x&iss=${iss}`, { namesIssuer: true }), 'code x');
  for (const [query, words, changes = {}] of [
    ['https://app:x/', /^invalid-response.* is not a URL/],
    ['state=state&code=x&code=x', /^invalid-response.* has code twice/],
    ['state=state&state=state&code=x', /^invalid-response.* has state twice/],
    [`state=state&code=x&iss=${iss}&iss=${iss}`, /^invalid-response.* has iss twice/],
    ['state=state&error=x&error=x', /^invalid-response.* has error twice/],
    ['state=stat&code=x', /^invalid-response.* another login/],
    ['state=statf&code=x', /^invalid-response.* another login/],
    ['state=ttate&code=x', /^invalid-response.* another login/],
    ['code=x', /^invalid-response.* another login/],
    ['state=state&code=x&iss=https://other.example', /^issuer-mismatch.* from another authorization server/],
    [`state=state&code=x&iss=${iss}/`, /^issuer-mismatch.* names /],
    ['state=state&code=x', /^issuer-mismatch.* does not name its issuer/, { namesIssuer: true }],
    ['state=state&error=access_denied', /^issuer-mismatch/, { namesIssuer: true }],
    ['state=state', /^invalid-response.* neither a code nor an error/],
    ['state=state&code=', /^invalid-response.* neither a code nor an error/],
  ] as const)
    assert.match(judged(query, changes), words, query);
});

test('each error of an answer has its reason, its code and its description', () => {
  const rows: readonly (readonly [code: string, reason: AuthorizationReason, words: RegExp])[] = [
    ['access_denied', 'denied', /was not allowed to let this client in/],
    ['invalid_scope', 'insufficient-scope', /did not grant the request/],
    ['unauthorized_client', 'invalid-client', /does not let this client sign people in/],
    ['invalid_target', 'resource-mismatch', /refuses the resource/],
    ['server_error', 'server-error', /could not sign anybody in/],
    ['own_error', 'server-error', /could not sign anybody in/],
  ];
  for (const [code, reason, words] of rows) {
    const plain = judged(`state=state&error=${code}&code=x`);
    assert.ok(plain.startsWith(`${reason}: `), plain);
    assert.match(plain, words);
    assert.match(plain, new RegExp(`${code}(?!.*\\()`));
    assert.match(judged(`state=state&error=${code}&error_description=since+no`), new RegExp(`${code} \\(since no\\)`));
  }
});

test('the state of an answer is known if there is exactly one', () => {
  assert.deepEqual([back('state=a&code=x'), back('state=a&state=b'), back('code=x'), 'no URL'].map(stateOf), [
    'a',
    undefined,
    undefined,
    undefined,
  ]);
});

test('a kept login is read as it was, and one that lacks anything not at all', () => {
  assert.deepEqual(readPending(pendingText(pending)), pending);
  for (const name of ['state', 'verifier', 'client', 'redirectUri', 'resource', 'server', 'at', 'endpoints'])
    for (const value of [undefined, null, true])
      assert.equal(readPending(JSON.stringify({ ...pending, [name]: value })), undefined, name);
  for (const text of [undefined, '', 'null', '[]']) assert.equal(readPending(text), undefined);
});
