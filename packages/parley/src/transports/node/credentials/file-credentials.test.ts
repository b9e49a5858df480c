import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { credentialStoreContract } from '../../../../../../test/support/credential-store-contract.ts';
import type { CredentialKey } from '../../../storage/credentials.ts';
import { fileCredentialStore, storeIn } from './file-credentials.ts';
import { credentialFolder } from './folder.ts';
import { Versions } from './versions.ts';

const key: CredentialKey = { kind: 'grant', issuer: 'https://as.example', resource: 'https://mcp.example' };

async function temporary(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-credentials-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

credentialStoreContract('a store in files', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'parley-credentials-'));
  const folder = join(parent, 'credentials');
  return {
    one: fileCredentialStore({ folder }),
    other: fileCredentialStore({ folder }),
    close: () => rm(parent, { recursive: true }),
  };
});

test('folders and files are for their owner alone, and their names tell nothing', async (t) => {
  const folder = join(await temporary(t), 'kept');
  await fileCredentialStore({ folder }).write(key, 'secret');
  const paths = [folder, ...(await readdir(folder, { recursive: true })).map((name) => join(folder, name))];
  const modes = await Promise.all(paths.map(async (path) => (await stat(path)).mode & 0o777));
  assert.deepEqual(modes, [0o700, 0o700, 0o600]);
  assert.doesNotMatch(paths.join(), /example|secret/);
});

test('a folder or a file that others may read is refused, naming it and the way out', async (t) => {
  const folder = join(await temporary(t), 'open');
  await mkdir(folder, { mode: 0o755 });
  await assert.rejects(
    fileCredentialStore({ folder }).write(key, 'secret'),
    /open holds credentials and others may read it; run: chmod/,
  );
  await chmod(folder, 0o700);
  const store = fileCredentialStore({ folder });
  await store.write(key, 'secret');
  const [name = ''] = await readdir(folder);
  await chmod(join(folder, name, '1'), 0o644);
  await assert.rejects(store.read(key), /others may read it/);
});

test('a damaged file is named, and what it holds is not shown', async (t) => {
  const folder = join(await temporary(t), 'kept');
  const store = fileCredentialStore({ folder });
  await store.write(key, 'secret');
  const [name = ''] = await readdir(folder);
  for (const damaged of ['{"generation": "1", "text": "secr', '{"generation": "1", "text": "secret"}']) {
    await writeFile(join(folder, name, '1'), damaged);
    await assert.rejects(
      store.read(key),
      (error: Error) => /damaged/.test(error.message) && error.cause === undefined && !error.message.includes('secr'),
    );
  }
});

test('a damaged file keeps nobody from the others of its kind, and is told of', async (t) => {
  const folder = join(await temporary(t), 'kept');
  const told: string[] = [];
  const store = storeIn(folder, { unreadable: (error) => void told.push(String(error)) });
  await store.write(key, 'secret');
  const [name = ''] = await readdir(folder);
  await writeFile(join(folder, name, '1'), '{"generation": "1", "text": "secr');
  const other = { ...key, account: 'other' };
  await store.write(other, 'secret');
  assert.deepEqual(await store.keys('grant'), [other]);
  assert.deepEqual(await fileCredentialStore({ folder }).keys('grant'), [other]);
  assert.equal(told.length, 1);
  assert.match(told.join(), /damaged; remove it/);
  assert.doesNotMatch(told.join(), /secr\b/);
});

test('what logins left behind is removed when nobody can be about to write there', async (t) => {
  const folder = join(await temporary(t), 'kept');
  const store = fileCredentialStore({ folder });
  const login = (state: string): CredentialKey => ({ kind: 'login', issuer: state });
  for (const state of ['one', 'two']) await store.write(login(state), 'secret');
  await store.write(login('one'), undefined);
  await store.write(login('three'), 'secret');
  assert.equal((await readdir(folder)).length, 3, 'too early');
  const old = new Date(Date.now() - 2 * 3_600_000);
  for (const name of await readdir(folder))
    for (const version of await readdir(join(folder, name))) await utimes(join(folder, name, version), old, old);
  await store.write(login('four'), 'secret');
  assert.equal((await readdir(folder)).length, 3);
  assert.deepEqual((await store.keys('login')).map(({ issuer }) => issuer).toSorted(), ['four', 'three', 'two']);
});

test('versions that are over are deleted', async (t) => {
  const folder = join(await temporary(t), 'kept');
  const store = fileCredentialStore({ folder });
  for (const text of ['a', 'b', 'c']) await store.write(key, text);
  const [name = ''] = await readdir(folder);
  assert.deepEqual(await readdir(join(folder, name)), ['3']);
});

test('who expects a version that is over is not the newest', async (t) => {
  const versions = new Versions(join(await temporary(t), 'versions'));
  const seen = await versions.write('first');
  await versions.write('second', seen);
  await versions.write('third');
  assert.equal(await versions.write('late', seen), undefined);
  assert.equal((await versions.newest())?.text, 'third');
});

for (const [expects, what] of [
  [true, 'who stood still while others wrote and deleted makes nothing anew of what is over'],
  [false, 'who stood still while others wrote and deleted writes after them'],
] as const)
  test(what, { skip: process.platform === 'win32' && 'Windows has no pipes in folders' }, async (t) => {
    const folder = join(await temporary(t), 'versions');
    const versions = new Versions(folder);
    const seen = await versions.write('first');
    const path = join(folder, '1');
    const first = await readFile(path);
    // A pipe in the place of the file: who opens it stands still until somebody writes there.
    await rm(path);
    await promisify(execFile)('mkfifo', ['-m', '600', path]);
    const late = versions.write('late', ...(expects ? [seen] : []));
    const pipe = await open(path, 'w');
    // Others wrote the second and the third meanwhile, and deleted what was over: the name of the second is free again.
    const third = { generation: '3-others', text: 'third' };
    await writeFile(join(folder, '3'), JSON.stringify(third), { mode: 0o600 });
    await rm(path);
    await pipe.writeFile(first);
    await pipe.close();
    const generation = await late;
    if (expects) assert.equal(generation, undefined);
    else assert.match(generation ?? '', /^4-/);
    assert.equal((await versions.newest())?.text, expects ? 'third' : 'late');
  });

test('a holder that died loses its lock, and one that stood still is told', async (t) => {
  const folder = join(await temporary(t), 'kept');
  // The first never says that it lives.
  const still = storeIn(folder, { times: { leaseTtlMs: 50, beatMs: 200 } });
  const patient = storeIn(folder, { times: { leaseTtlMs: 50, beatMs: 10 } });
  let letGo = (): void => {};
  let lost: AbortSignal | undefined;
  const held = still.lock(key, (signal) => {
    lost = signal;
    return new Promise<void>((resolve) => (letGo = resolve));
  });
  while (lost === undefined) await new Promise((resolve) => setImmediate(resolve));
  const told = new Promise<void>((resolve) => lost?.addEventListener('abort', () => resolve()));
  assert.equal(await patient.lock(key, async () => 'taken over'), 'taken over');
  await told;
  letGo();
  await held;
});

test('the folder is that of the state of the user, by the rules of each system', () => {
  assert.equal(credentialFolder({ XDG_STATE_HOME: '/state' }, 'linux'), '/state/parley/credentials');
  assert.match(credentialFolder({ XDG_STATE_HOME: 'relative' }, 'linux'), /\.local\/state\/parley\/credentials$/);
  assert.match(credentialFolder({}, 'darwin'), /Library\/Application Support\/parley\/credentials$/);
  assert.match(credentialFolder({ LOCALAPPDATA: '/local' }, 'win32'), /^\/local.parley.credentials$/);
  assert.match(credentialFolder({ LOCALAPPDATA: '' }, 'win32', '/home/ann'), /^\/home\/ann.AppData.Local.parley/);
});

test('who has no home keeps no credentials in the folder where they are', () => {
  for (const platform of ['linux', 'darwin', 'win32'])
    assert.throws(() => credentialFolder({ LOCALAPPDATA: '' }, platform, ''), /set XDG_STATE_HOME/);
  assert.equal(credentialFolder({ XDG_STATE_HOME: '/state' }, 'linux', ''), '/state/parley/credentials');
});
