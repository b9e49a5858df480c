import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentialStoreContract } from '../../../../test/support/credential-store-contract.ts';
import type { CredentialKey } from './credentials.ts';
import { memoryCredentialStore } from './memory-credentials.ts';
import { sealedCredentialStore } from './sealed-credentials.ts';

const newer = new Uint8Array(32).fill(1);
const older = new Uint8Array(32).fill(2);
const key: CredentialKey = { kind: 'grant', issuer: 'https://as.example' };

credentialStoreContract('a sealed store', async () => {
  const inner = memoryCredentialStore();
  return {
    one: sealedCredentialStore(inner, { keys: [newer] }),
    other: sealedCredentialStore(inner, { keys: [newer, older] }),
    close: async () => {},
  };
});

test('what is kept cannot be read, and opens under its own key alone', async () => {
  const inner = memoryCredentialStore();
  const store = sealedCredentialStore(inner, { keys: [newer] });
  await store.write(key, 'a secret');
  const there = await inner.read(key);
  assert.ok(there);
  assert.doesNotMatch(there.text, /secret/);
  const another = { ...key, issuer: 'https://other.example' };
  await inner.write(another, there.text);
  assert.equal(await store.read(another), undefined);
});

test('an older key opens what it sealed, and what no key opens is replaced', async () => {
  const inner = memoryCredentialStore();
  await sealedCredentialStore(inner, { keys: [older] }).write(key, 'a secret');
  assert.equal((await sealedCredentialStore(inner, { keys: [newer, older] }).read(key))?.text, 'a secret');
  const without = sealedCredentialStore(inner, { keys: [newer] });
  assert.equal(await without.read(key), undefined);
  assert.equal(await without.write(key, 'another', { ifGeneration: null }), true);
  assert.equal((await without.read(key))?.text, 'another');
});

test('keys must be given, of 32 bytes each', () => {
  assert.throws(() => sealedCredentialStore(memoryCredentialStore(), { keys: [] }), /needs keys/);
  assert.throws(() => sealedCredentialStore(memoryCredentialStore(), { keys: ['AAAA'] }), /32 bytes/);
});
