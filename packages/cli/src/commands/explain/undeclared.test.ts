/** A server that does not declare what it serves: what `explain` reports works in the other commands too. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inThisProcess } from '../../../../../test/support/cli-process.ts';
import type { Explanation } from './report.ts';

const code = `const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'a', version: '1' } },
  'tools/list': { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'hi there' }] },
  'prompts/list': { prompts: [] },
  ping: {},
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'no' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});`;
const server = ['--', process.execPath, '-e', code];

describe('a server that does not declare its tools', { concurrency: 3 }, () => {
  test('is explained with them', async () => {
    const { stdout } = await inThisProcess(['explain', ...server]);
    assert.match(stdout, /\n {2}not declared +tools: served all the same\n/);
    assert.match(stdout, /\ntools \(1\)\n {2}hello/);
    assert.doesNotMatch(stdout, /\nprompts/);
    const explained: Explanation = JSON.parse((await inThisProcess(['explain', '--json', ...server])).stdout);
    assert.deepEqual(explained.offer?.undeclared, ['tools']);
    assert.deepEqual(explained.offer?.capabilities, {});
  });

  test('is listed with them', async () => {
    const { stdout, stderr } = await inThisProcess(['call', ...server, '--']);
    assert.match(stdout, /hello/);
    assert.equal(stderr.match(/did not declare the capability tools/g)?.length, 1, stderr);
  });

  test('is called', async () => {
    const { stdout, code: exit } = await inThisProcess(['call', ...server, '--', 'hello']);
    assert.deepEqual([stdout, exit], ['hi there\n', 0]);
  });
});
