import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect } from '../../../client.ts';
import { spawn } from './transport.ts';
import { isLoadFailure } from './load-failure.ts';

/** A file in which each start of a program leaves a mark, and the code that leaves it. */
async function marked(t: TestContext): Promise<{ readonly starts: () => Promise<number>; readonly mark: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-starts-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'starts');
  return {
    starts: async () => (await readFile(file, 'utf8')).length,
    mark: `require("node:fs").appendFileSync(${JSON.stringify(file)}, "x");`,
  };
}

for (const [title, code, words] of [
  ['misses a module', 'require("./nothing-here")', /exited with code 1: [^]*MODULE_NOT_FOUND/],
  ['misses a package', 'import("nothing-here-either")', /exited with code 1: [^]*ERR_MODULE_NOT_FOUND/],
  ['is not found by its shell', 'process.exit(127)', /exited with code 127/],
] as const)
  test(`a program that ${title} is started once`, async (t) => {
    const { starts, mark } = await marked(t);
    const way = spawn(process.execPath, ['-e', `${mark} ${code}`], { onStderr: () => undefined });
    await assert.rejects(connect(way), { reason: 'exited', message: words });
    assert.equal(await starts(), 1);
  });

test('a server that ends with an error at an unknown method is started again and reached', async (t) => {
  const { starts, mark } = await marked(t);
  const code = `${mark} require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'server/discover') throw new Error('expected initialize');
  const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'a', version: '1' } };
  if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});`;
  const client = await connect(spawn(process.execPath, ['-e', code], { onStderr: () => undefined }));
  t.after(() => client.close());
  assert.deepEqual([client.revision, await starts()], ['2025-06-18', 2]);
});

test('only what a runtime says of loading is a failure to load', () => {
  assert.equal(
    isLoadFailure(1, "Traceback (most recent call last):\nModuleNotFoundError: No module named 'mcp'"),
    true,
  );
  assert.equal(isLoadFailure(1, "python3: can't open file '/a.py': [Errno 2]"), true);
  assert.equal(isLoadFailure(1, 'npm error code E404'), true);
  assert.equal(isLoadFailure(1, 'Error: GITHUB_TOKEN is required'), false);
  assert.equal(isLoadFailure(1, 'SyntaxError: Unexpected token in JSON'), false);
  assert.equal(isLoadFailure(0, "code: 'MODULE_NOT_FOUND'"), false);
  assert.equal(isLoadFailure(null, "code: 'MODULE_NOT_FOUND'"), false);
});
