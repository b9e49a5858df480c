/** A server whose values no text can be made of as usual is judged like any other. */

import assert from 'node:assert/strict';
import { execPath } from 'node:process';
import { test } from 'node:test';
import { checkServer } from '../../packages/cli/src/check/run/check-server.ts';

const program = `
const odd = { toString: 1, valueOf: 1 };
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const capabilities = { tools: odd, resources: odd, prompts: odd, logging: odd };
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo: { name: odd, version: odd } }),
  'tools/list': () => ({ tools: [{ name: odd, description: odd, inputSchema: odd, annotations: odd }], nextCursor: odd }),
  'resources/list': () => ({ resources: [{ uri: odd, name: odd }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: odd, name: odd }] }),
  'prompts/list': () => ({ prompts: [{ name: odd, arguments: odd }] }),
  ping: () => ({}),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  let message = {};
  try { message = JSON.parse(line); } catch {}
  const { id, method, params } = message ?? {};
  if (id === undefined || method === undefined) return;
  if (results[method] === undefined) say({ id, error: { code: odd, message: odd, data: odd } });
  else say({ id, result: results[method](params ?? {}) });
  say({ id: odd, method: odd, params: odd });
  say({ method: 'notifications/message', params: { level: odd, data: odd } });
  say({ method: 'notifications/progress', params: { progressToken: odd, progress: odd } });
});`;

test('a server with values that are no text is judged to the end', async () => {
  const { findings, cut } = await checkServer({ command: execPath, args: ['-e', program] });
  assert.equal(cut, undefined);
  assert.ok(findings.some(({ id }) => id === 'basic-015'));
});
