import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantOf, grantText, readGrant, renewFrom, type Grant, type GrantContext } from './grant.ts';
import type { TokenAnswer } from './token-response.ts';

const endpoints = { issuer: 'https://as.example', token: 'https://as.example/token' };
const context: GrantContext = { resource: 'https://mcp.example', client: 'c', endpoints, requested: ['q'], now: 1000 };
const answer: TokenAnswer = {
  accessToken: 'a',
  tokenType: 'bearer',
  expiresIn: 5,
  refreshToken: 'r',
  scopes: ['s'],
  idToken: undefined,
};

function idToken(claims: object): string {
  return `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
}

test('a grant has what its answer says, and lasts from now', () => {
  const { id, ...grant } = grantOf(answer, context);
  assert.match(id, /^[\w-]{43}$/);
  assert.deepEqual(grant, {
    resource: 'https://mcp.example',
    client: 'c',
    endpoints,
    accessToken: 'a',
    scheme: 'Bearer',
    obtainedAt: 1000,
    expiresAt: 6000,
    refreshToken: 'r',
    scopes: ['s'],
    requested: ['q'],
    identity: {},
  });
  assert.equal(grantOf({ ...answer, tokenType: 'dpop' }, context).scheme, 'DPoP');
  assert.equal(grantOf({ ...answer, expiresIn: undefined }, context).expiresAt, undefined);
});

test('what an answer leaves out is as it was before, else as it was asked for', () => {
  const bare = { ...answer, refreshToken: undefined, scopes: undefined };
  const identity = { subject: 'ann' };
  const before: Grant = { ...grantOf(answer, { ...context, isPublic: true }), scopes: ['b'], identity };
  const renewed = grantOf(bare, { ...context, before });
  assert.deepEqual(
    [renewed.id, renewed.refreshToken, renewed.scopes, renewed.identity, renewed.isPublic],
    [before.id, 'r', ['b'], identity, true],
  );
  const first = grantOf(bare, context);
  assert.deepEqual([first.refreshToken, first.scopes, 'isPublic' in first], [undefined, ['q'], false]);
});

test('an ID token names the person only if it is from this issuer and for this client', () => {
  const claims = { iss: endpoints.issuer, aud: 'c', sub: 'ann', name: 'Ann', email: 'ann@example.org' };
  const person = { subject: 'ann', name: 'Ann', email: 'ann@example.org' };
  for (const [token, expected] of [
    [idToken(claims), person],
    [idToken({ ...claims, aud: ['other', 'c'] }), person],
    [idToken({ ...claims, aud: 'other' }), {}],
    [idToken({ ...claims, aud: ['other'] }), {}],
    [idToken({ ...claims, aud: undefined }), {}],
    [idToken({ ...claims, iss: 'https://other.example' }), {}],
    ['no token', {}],
  ] as const)
    assert.deepEqual(grantOf({ ...answer, idToken: token }, context).identity, expected);
});

test('a kept grant is read as it was, and one with a damaged field not at all', () => {
  const grant = grantOf(answer, context);
  assert.deepEqual(readGrant(grantText(grant)), grant);
  const damaged: readonly object[] = [
    ...['id', 'resource', 'client', 'accessToken'].flatMap((name) => [{ [name]: undefined }, { [name]: 7 }]),
    { endpoints: undefined },
    { endpoints: { ...endpoints, issuer: 7 } },
    { endpoints: { ...endpoints, token: undefined } },
    { scheme: 'bearer' },
    { scheme: undefined },
    { obtainedAt: undefined },
    { obtainedAt: '1' },
    { expiresAt: '1' },
    { refreshToken: 7 },
  ];
  for (const change of damaged)
    assert.equal(readGrant(JSON.stringify({ ...grant, ...change })), undefined, JSON.stringify(change));
  for (const text of [undefined, '', 'null', '[]', '7']) assert.equal(readGrant(text), undefined, text);
});

test('a kept grant may lack its end, its refresh token, its scopes and its person', () => {
  const { expiresAt, refreshToken, scopes, requested, identity, ...rest } = grantOf(answer, context);
  const whole = { expiresAt, refreshToken, scopes, requested, identity, ...rest, scheme: 'DPoP' };
  const read = readGrant(JSON.stringify({ ...rest, scheme: 'DPoP' }));
  assert.deepEqual(read, { ...rest, scheme: 'DPoP', scopes: [], requested: [], identity: {} });
  const odd = { ...whole, scopes: ['a', 7, 'b c', ''], requested: 'q', identity: 7 };
  const fixed = readGrant(JSON.stringify(odd));
  assert.deepEqual([fixed?.scopes, fixed?.requested, fixed?.identity], [['a'], [], {}]);
});

test('a token is renewed a minute before its end, or a fifth of its life, and up to half of that earlier', () => {
  const grant = grantOf(answer, context);
  const from = (expiresAt: number | undefined, random: number): number =>
    renewFrom({ ...grant, obtainedAt: 0, expiresAt }, random);
  assert.deepEqual([from(1000, 0), from(1000, 1)], [800, 700]);
  assert.deepEqual([from(3_600_000, 0), from(3_600_000, 1)], [3_540_000, 3_510_000]);
  assert.equal(from(undefined, 0), Infinity);
});
