/** Logins that are begun to show what a person would be asked. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryCredentialStore } from '../../storage/memory-credentials.ts';
import { withoutBegunLogins } from './untaken-logins.ts';

test('a login that was begun is neither stored nor found, and everything else is', async () => {
  const inner = memoryCredentialStore();
  const store = withoutBegunLogins(inner);
  const [begun, lease, grant] = [
    { kind: 'login', issuer: 'state-1' },
    { kind: 'login', issuer: 'https://as.example' },
    { kind: 'grant', issuer: 'state-1' },
  ] as const;
  for (const key of [begun, lease, grant]) assert.equal(await store.write(key, 'x'), true);
  assert.deepEqual(await Promise.all([begun, lease, grant].map(async (key) => (await inner.read(key))?.text)), [
    undefined,
    'x',
    'x',
  ]);
  assert.equal(await store.write(lease, 'y', { ifGeneration: null }), false);
  assert.deepEqual([(await store.keys('login')).length, (await store.keys('grant')).length], [0, 1]);
});
