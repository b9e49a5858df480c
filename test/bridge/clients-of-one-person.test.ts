/** Two programs of one person before a bridge at which everybody signs in. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { names, scene, text, visits } from '../support/per-principal-scene.ts';

describe('upstreamAuth per-principal', () => {
  for (const down of ['2026-07-28', '2025-11-25', '2025-06-18'] as const)
    test(`another client of a person gets nothing before they agree to it, at ${down} [auth-129]`, async (t) => {
      const { willing, browser, as, authorization, signIn } = await scene(t, '2025-11-25');
      const first = await willing('ann', down);
      // A client that cannot be sent to a page answers with the link.
      const link = /http\S+/.exec(await text(first.client, 'whoami'))?.[0];
      if (link !== undefined) assert.equal(await signIn('ann', link), 'Connected');
      assert.equal(await text(first.client, 'whoami'), 'ann');
      const logins = authorization.tokenRequests.length;

      const unwilling = await as('ann', down, {
        clientId: 'two',
        async onElicitUrl({ url }) {
          const page = await browser('ann').request(url);
          assert.match(page.text, /with the client id <b>two<\/b>/);
          assert.match(page.text, /The account is connected already/);
          return { action: 'decline' };
        },
      });
      assert.deepEqual(await names(unwilling), ['sign_in']);
      assert.match(await text(unwilling, 'whoami'), /the user is not signed in/);
      if (visits(down)) await assert.rejects(unwilling.readResource('note://own'), /did not agree/);

      const second = await willing('ann', down, 'two');
      const asked = /http\S+/.exec(await text(second.client, 'whoami'))?.[0];
      if (asked !== undefined) assert.equal(await signIn('ann', asked), 'Connected');
      assert.equal(await text(second.client, 'whoami'), 'ann');
      assert.deepEqual(await names(second.client), ['only-ann', 'whoami']);
      assert.equal(second.opened.length, visits(down) ? 1 : 0);
      assert.equal(authorization.tokenRequests.length, logins);
      assert.equal(await text(first.client, 'whoami'), 'ann');
    });
});
