/** Tokens that were verified lately. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entries } from '../../../../../test/support/http-entries.ts';
import { bearer, call, open, resource, said } from '../../../../../test/support/guarded-entrance.ts';
import { StoredTokens, type StoredToken } from './stored-tokens.ts';
import type { Claims } from './options.ts';

const entry = entries['createHttpHandler'] ?? assert.fail();
const own = { issuers: undefined as never, authorizationServers: ['https://login.example.com'] };
const anna: Claims = { sub: 'anna', aud: resource };

test('one token is verified once, however its header is spelled', async (t) => {
  let asked = 0;
  const verify = (): Claims => ((asked += 1), anna);
  const { send } = await open(t, entry, { protect: { ...own, verify } });
  for (const authorization of ['Bearer a', 'bearer a', 'BEARER    a', 'Bearer a'])
    assert.equal((await send(call('tools/call', { name: 'who' }, { authorization }))).status, 200);
  assert.equal(asked, 1);
});

test('who comes after a revocation does not pass by what was asked before it', async (t) => {
  let isActive = true;
  let answer = (): void => {};
  const verify = async (): Promise<Claims | undefined> => {
    const claims = isActive ? anna : undefined;
    if (isActive) await new Promise<void>((resolve) => (answer = resolve));
    return claims;
  };
  const { send, guarded } = await open(t, entry, { protect: { ...own, verify } });
  const request = call('tools/call', { name: 'who' }, { authorization: 'Bearer a' });
  const before = send(request);
  await new Promise((resolve) => setImmediate(resolve));
  isActive = false;
  guarded.revoke({ principal: JSON.stringify(['https://login.example.com', 'anna']) });
  assert.equal((await send(request)).status, 401);
  answer();
  assert.equal((await before).status, 200);
  assert.equal((await send(request)).status, 401);
});

test('what handlers see of a caller nobody changes for the next one', async (t) => {
  const { send, issuer } = await open(t, entry, {
    define: (server) =>
      void server.tool('promote', {}, (_, { auth }) => {
        const { roles } = (auth?.claims ?? {})['realm_access'] as { roles: string[] };
        assert.throws(() => roles.push('admin'), TypeError);
        return roles.join();
      }),
  });
  const headers = bearer(await issuer.issue({ claims: { realm_access: { roles: ['user'] } } }));
  for (let turn = 0; turn < 2; turn++)
    assert.equal(said(await send(call('tools/call', { name: 'promote' }, headers))), 'user');
});

test('an issuer of tests may have a path', async (t) => {
  const { send, issuer } = await open(t, entry, { issuer: { issuer: 'https://issuer.test/tenant/' } });
  const headers = bearer(await issuer.issue());
  assert.equal((await send(call('tools/call', { name: 'who' }, headers))).status, 200);
});

test('tokens that end alike are kept apart, each under its own name, whichever came first', () => {
  let time = 1000;
  const tokens = new StoredTokens(() => time);
  const end = 'x'.repeat(40);
  const kept = (principal: string, until = 5000): StoredToken => ({
    auth: { principal } as StoredToken['auth'],
    refusal: undefined,
    boundTo: undefined,
    needsNoProof: true,
    jti: principal,
    since: 1000,
    until,
  });
  const names = ['anna', 'eve', 'ben'];
  for (const name of names) tokens.keep(`Bearer ${name}${end}`, kept(name, name === 'anna' ? 2000 : 5000));
  const found = (): readonly unknown[] => names.map((name) => tokens.find(`Bearer ${name}${end}`)?.jti);
  assert.deepEqual(found(), names);
  for (const other of [`Bearer ${end}`, end.slice(-24), `Bearer carl${end}`, ''])
    assert.equal(tokens.find(other), undefined);
  tokens.revoke({ jti: 'eve' });
  assert.deepEqual(found(), ['anna', undefined, 'ben']);
  time = 3000;
  assert.deepEqual(found(), [undefined, undefined, 'ben']);
  tokens.keep(`Bearer eve${end}`, kept('eve'));
  tokens.keep(`Bearer ben${end}`, kept('ben again'));
  assert.deepEqual(found(), [undefined, 'eve', 'ben again']);
});
