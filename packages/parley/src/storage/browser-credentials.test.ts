import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { indexedDB } from 'fake-indexeddb';
import { credentialStoreContract } from '../../../../test/support/credential-store-contract.ts';
import { browserCredentialStore } from './browser-credentials.ts';

globalThis.indexedDB = indexedDB;
after(() => Reflect.deleteProperty(globalThis, 'indexedDB'));

let databases = 0;

credentialStoreContract('a store in a browser', async () => {
  const name = `test-${++databases}`;
  return {
    one: browserCredentialStore({ name }),
    other: browserCredentialStore({ name }),
    close: async () => {
      indexedDB.deleteDatabase(name);
    },
  };
});

test('a pair of keys is made once for all pages, and cannot be extracted', async () => {
  const name = `test-${++databases}`;
  const key = { kind: 'dpop-key', issuer: 'https://as.example' } as const;
  const make = (): Promise<CryptoKeyPair> =>
    crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
  const [one, other] = await Promise.all([
    browserCredentialStore({ name }).keyPair?.(key, make),
    browserCredentialStore({ name }).keyPair?.(key, make),
  ]);
  assert.ok(one && other);
  const exported = await Promise.all([one, other].map((pair) => crypto.subtle.exportKey('jwk', pair.publicKey)));
  assert.equal(exported[0]?.x, exported[1]?.x);
  await assert.rejects(crypto.subtle.exportKey('jwk', one.privateKey));
  indexedDB.deleteDatabase(name);
});
