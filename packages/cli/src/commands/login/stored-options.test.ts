/** Options that a login stores for the next one. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Io } from '../io.ts';
import type { SignIn } from './sign-in.ts';
import { storeOptions, withStoredOptions } from './stored-options.ts';

const server = new URL('https://mcp.example/mcp');
const issuer = 'https://login.example';
const plain: SignIn = { asking: 'never', server };

async function machine(t: TestContext): Promise<(env?: Io['env']) => Io> {
  const home = await mkdtemp(join(tmpdir(), 'parley-options-'));
  t.after(() => rm(home, { recursive: true }));
  return (env = {}) => ({ env: { XDG_STATE_HOME: home, ...env } }) as unknown as Io;
}

test('the options of a login complete those of the next one at the same server and account', async (t) => {
  const io = (await machine(t))();
  await storeOptions({ ...plain, issuer, metadata: { issuer: `${issuer}/` }, omitsResource: true }, io);
  const next = await withStoredOptions({ ...plain, bound: true }, io);
  assert.deepEqual(
    [next.issuer, next.metadata, next.omitsResource, next.bound],
    [issuer, { issuer: `${issuer}/` }, true, true],
  );
  for (const other of [{ server: new URL('https://mcp.example/other') }, { account: 'work' }])
    assert.equal((await withStoredOptions({ ...plain, ...other }, io)).issuer, undefined);
});

test('options that name an authorization server or a client take the place of the stored ones', async (t) => {
  const io = (await machine(t))();
  await storeOptions({ ...plain, issuer, omitsResource: true }, io);
  const clientMetadataUrl = 'https://app.example/client';
  for (const given of [{ issuer: 'https://other.example' }, { clientMetadataUrl }]) {
    const wanted = { ...plain, ...given };
    assert.equal(await withStoredOptions(wanted, io), wanted);
  }
  await storeOptions(plain, io);
  assert.equal((await withStoredOptions(plain, io)).issuer, undefined);
});

test('a client is stored without its secret, and used if its variable has one', async (t) => {
  const at = await machine(t);
  const client = { id: 'by-hand', issuer, secret: 'the secret' };
  await storeOptions({ ...plain, issuer, client, clientSecretEnv: 'THE_SECRET' }, at());
  assert.equal(await withStoredOptions(plain, at()), plain);
  const next = await withStoredOptions(plain, at({ THE_SECRET: 'another' }));
  assert.deepEqual(next.client, { id: 'by-hand', issuer, secret: 'another' });
});
