import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { inThisProcess } from '../../../../../test/support/cli-process.ts';

/** A file with a server that ends at once, and says in which folder and with which variable it ran. */
async function fileOf(t: TestContext): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-checked-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'servers.json');
  const script = "console.error('ran as ' + process.env.WORD + ' in ' + require('node:path').basename(process.cwd()))";
  const dying = { command: process.execPath, args: ['-e', script], env: { WORD: 'given' }, cwd: folder };
  await writeFile(file, JSON.stringify({ mcpServers: { dying, away: { url: 'http://127.0.0.1:1/mcp' } } }));
  return { folder, file };
}

test('check starts a server of a file with the variables and the folder of its entry', async (t) => {
  const { folder, file } = await fileOf(t);
  const { code, stdout } = await inThisProcess(['check', '--config', file, '--server', 'dying']);
  assert.equal(code, 3);
  assert.ok(stdout.includes(`in ${folder.split(/[\\/]/).at(-1)}`), stdout);
});

test('check reaches a server of a file at its URL', async (t) => {
  const { file } = await fileOf(t);
  const { code, stdout } = await inThisProcess(['check', '--config', file, 'away']);
  assert.equal(code, 3);
  assert.match(stdout, /^http:\/\/127\.0\.0\.1:1\/mcp, over http\n/);
});

test('check names the servers of a file, and wants the file for a name', async (t) => {
  const { file } = await fileOf(t);
  const unknown = await inThisProcess(['check', '--config', file, '--server', 'none']);
  assert.deepEqual([unknown.code, /it has dying, away/.test(unknown.stderr)], [2, true]);
  const alone = await inThisProcess(['check', '--server', 'dying']);
  assert.deepEqual([alone.code, /--server names one of --config/.test(alone.stderr)], [2, true]);
  const both = await inThisProcess(['check', '--config', file, 'dying', 'http://127.0.0.1:1/mcp']);
  assert.equal(both.code, 2);
});

test('bridge wants the file for a name, and names the servers of it', async (t) => {
  const { file } = await fileOf(t);
  const unknown = await inThisProcess(['bridge', '--config', file, '--server', 'none']);
  assert.deepEqual([unknown.code, /it has dying, away/.test(unknown.stderr)], [2, true]);
  const alone = await inThisProcess(['bridge', '--server', 'dying', 'http://127.0.0.1:1/mcp']);
  assert.deepEqual([alone.code, /--server is for servers of a --config file/.test(alone.stderr)], [2, true]);
});
