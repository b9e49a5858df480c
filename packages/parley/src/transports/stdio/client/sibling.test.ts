import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { siblingPath } from './sibling.ts';

const folder = await mkdtemp(join(tmpdir(), 'parley-sibling-'));
after(() => rm(folder, { recursive: true }));

test('a sibling lies in the folder of a path or of a file URL [C78]', () => {
  const path = join(folder, 'host.mjs');
  assert.equal(siblingPath('server', path), join(folder, 'server'));
  assert.equal(siblingPath('server', pathToFileURL(path)), join(folder, 'server'));
  assert.equal(siblingPath('server', pathToFileURL(path).href), join(folder, 'server'));
});

test('a sibling of the program that runs is found without saying so [C78]', () => {
  assert.equal(siblingPath('server'), siblingPath('server', process.argv[1]));
});

test('a sibling that is there only with .exe is found with it [C78]', async () => {
  const path = join(folder, 'host');
  await writeFile(join(folder, 'windows.exe'), '');
  assert.equal(siblingPath('windows', path), join(folder, 'windows.exe'));
  await writeFile(join(folder, 'windows'), '');
  assert.equal(siblingPath('windows', path), join(folder, 'windows'));
});

for (const name of ['', '.', '..', '../server', 'a/b', 'a\\b', '/bin/sh']) {
  test(`${JSON.stringify(name)} is no name of a sibling [C78]`, () => {
    assert.throws(() => siblingPath(name, folder), TypeError);
  });
}

test('the server beside a program is started with its arguments [C80]', async () => {
  const server = `import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', () => console.log(JSON.stringify(process.argv.slice(2))));`;
  const host = `import { spawnSibling } from ${JSON.stringify(new URL('./sibling.ts', import.meta.url).href)};
const channel = await spawnSibling('server.mjs', ['one', 'two words']).open({
  message: (value) => { console.log(JSON.stringify(value)); void channel.close(); },
  problem() {},
  closed() {},
});
await channel.send({ jsonrpc: '2.0', method: 'notifications/x' });`;
  await writeFile(join(folder, 'server.mjs'), server);
  await writeFile(join(folder, 'host.mjs'), host);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'host.mjs')], { cwd: tmpdir() });
  assert.deepEqual(JSON.parse(stdout), ['one', 'two words']);
});
