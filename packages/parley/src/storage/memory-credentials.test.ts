import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentialStoreContract } from '../../../../test/support/credential-store-contract.ts';
import { memoryCredentialStore } from './memory-credentials.ts';

credentialStoreContract('a store in memory', async () => {
  const one = memoryCredentialStore();
  return { one, other: one, close: async () => {} };
});

test('who stops watching hears nothing more', async () => {
  const store = memoryCredentialStore();
  const key = { kind: 'client', issuer: 'https://as.example' } as const;
  let heard = 0;
  const stop = store.watch?.(key, () => heard++);
  await store.write(key, 'a');
  stop?.();
  stop?.();
  await store.write(key, 'b');
  assert.equal(heard, 1);
});
