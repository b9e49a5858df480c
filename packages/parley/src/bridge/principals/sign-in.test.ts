/** One person at a server behind a bridge, before they have signed in there. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorld, issuer, mcp } from '../../../../../test/support/authorization-world.ts';
import { connect } from '../../client.ts';
import { UpstreamSignIn } from './sign-in.ts';

test('a person without a grant is found out once in five seconds, with the scopes and the place to sign in', async () => {
  const world = createWorld();
  const signIn = new UpstreamSignIn({
    upstream: new URL(mcp),
    options: {
      as: 'per-principal',
      publicUrl: 'https://bridge.example/sign-in',
      sessionOf: () => undefined,
      fetch: world.fetch,
      scopes: ['read'],
    } as never,
    requester: 'the bridge',
    now: () => world.time,
    onError: (error) => assert.fail(String(error)),
  });
  assert.equal(signIn.id, `upstream ${mcp}`);
  const person = signIn.person('ann');
  assert.deepEqual([await person.isSignedIn(), person.wanted, signIn.waitTimeoutMs], [false, [], 45_000]);
  const fails = async (): Promise<number> => {
    const before = world.asked.length;
    await assert.rejects(connect(mcp, { fetch: world.fetch as never, auth: person.authorization }), (error: Error) =>
      [error, error.cause].some((one) => (one as { reason?: unknown }).reason === 'login-required'),
    );
    return world.asked.slice(before).filter(({ url }) => url.pathname !== '/mcp').length;
  };
  assert.ok((await fails()) > 0);
  assert.ok(person.wanted.includes('read'));
  assert.equal(
    await signIn.host({ principal: 'ann', scopes: [] } as never, AbortSignal.timeout(60_000)),
    new URL(issuer).host,
  );
  world.time += 4_999;
  assert.equal(await fails(), 0);
  await person.signedIn();
  assert.ok((await fails()) > 0);
});
