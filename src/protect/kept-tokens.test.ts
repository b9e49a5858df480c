/** Tokens that were verified lately. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entries } from '../node/entries.test.ts';
import { call, open, resource } from './guarded-server.test.ts';
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
