import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inThisProcess } from '../../../../test/support/cli-process.ts';
import { UsageError } from './io.ts';
import { milliseconds } from './options.ts';

/** A server of one tool, in JavaScript, or in TypeScript by the type of its name. */
const program = (type: string): string => `
import { createInterface } from 'node:readline';
const tool${type} = 'hi';
const results = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } },
  'tools/list': { tools: [{ name: tool, inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: process.env.SAID ?? 'none' }] },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method];
  const answer = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});`;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-target-'));
  await writeFile(join(folder, 'server.mjs'), program(''));
  await writeFile(join(folder, 'server.mts'), program(': string'));
  const server = { command: process.execPath, args: [join(folder, 'server.mjs')], env: { SAID: 'file' } };
  await writeFile(join(folder, 'servers.json'), JSON.stringify({ mcpServers: { one: server } }));
});
after(() => rm(folder, { recursive: true }));

for (const file of ['server.mjs', 'server.mts'])
  test(`a file is a server that Node starts: ${file}`, async () => {
    const { stdout, stderr } = await inThisProcess(['call', join(folder, file), '--env', 'SAID=typed', 'hi']);
    assert.equal(stdout, 'typed\n', stderr);
  });

test('a server of a file is named by --server, or before the other words', async () => {
  const config = ['--config', join(folder, 'servers.json')];
  const lines = [
    ['call', ...config, '--server', 'one', 'hi'],
    ['call', ...config, 'one', 'hi'],
  ];
  for (const line of lines) assert.equal((await inThisProcess(line)).stdout, 'file\n');
  const explained = await inThisProcess(['explain', ...config, '--server', 'two']);
  assert.match(explained.stderr, /has no server "two"; the nearest name is "one"|has no server "two"/);
  assert.equal(explained.code, 2);
});

test('a time is a number with a unit, or a plain number', () => {
  const read = (text: string, unit?: 's'): number =>
    milliseconds('--timeout', text, unit === undefined ? {} : { unit });
  assert.deepEqual(
    ['500', '500ms', '5s', '1.5s', '2m', '1h'].map((text) => read(text)),
    [500, 500, 5_000, 1_500, 120_000, 3_600_000],
  );
  assert.deepEqual([read('5', 's'), read('5ms', 's')], [5_000, 5]);
  for (const text of ['', '5 s', '-1', '0', '5d', '1e3', '999999h']) assert.throws(() => read(text), UsageError);
});
