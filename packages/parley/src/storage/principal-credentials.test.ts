import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryCredentialStore } from './memory-credentials.ts';
import { principalCredentialStore } from './principal-credentials.ts';

test('the store of one principal holds no grant and no lock of another', async () => {
  const store = memoryCredentialStore();
  const [one, other] = ['https://as.example ann', 'https://as.example bob'].map((principal) =>
    principalCredentialStore(store, principal),
  );
  const grant = { kind: 'grant', issuer: 'https://as.example' } as const;
  const client = { kind: 'client', issuer: 'https://as.example' } as const;
  await one?.write(grant, 'hers');
  await one?.write(client, 'the client');
  assert.equal(await other?.read(grant), undefined);
  assert.deepEqual(await other?.keys('grant'), []);
  assert.deepEqual(await one?.keys('grant'), [{ ...grant, principal: 'https://as.example ann' }]);
  assert.equal((await other?.read(client))?.text, 'the client');
  await one?.lock(grant, async () => {
    assert.equal(await other?.lock(grant, async () => 'at the same time'), 'at the same time');
  });
});
