/** Tools of servers that do not list them. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inThisProcess } from '../../../../../test/support/cli-process.ts';

/** A program that answers `tools/list` with the given JSON. */
function serverWith(list: string): string {
  return `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const info = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
    const answers = {
      initialize: { result: info },
      'tools/list': ${list},
      'tools/call': params?.name === 'none'
        ? { error: { code: -32602, message: 'unknown tool' } }
        : { result: { content: [{ type: 'text', text: JSON.stringify(params?.arguments) }] } },
    };
    const answer = answers[method] ?? { error: { code: -32601, message: 'no' } };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });`;
}

const lists: Readonly<Record<string, readonly [list: string, why: RegExp]>> = {
  'that refuses the list': [`{ error: { code: -32603, message: 'the database is away' } }`, /the database is away/],
  'that does not know the list': [`{ error: { code: -32601, message: 'unknown method' } }`, /unknown method/],
  'whose list is malformed': [`{ result: { tools: 'none' } }`, /malformed/],
};

describe('parley call with a tool of a server', { concurrency: 3 }, () => {
  for (const [what, [list, why]] of Object.entries(lists))
    test(`${what} warns once, and calls the tool`, async () => {
      const command = ['--', process.execPath, '-e', serverWith(list)];
      const { code, stdout, stderr } = await inThisProcess(['call', 'add', 'a=1', 'b=x', ...command]);
      assert.deepEqual([code, stdout], [0, '{"a":1,"b":"x"}\n']);
      assert.match(stderr, /^parley: the tools cannot be listed \(.*\); the tool is called all the same\n$/);
      assert.match(stderr, why);
      const unknown = await inThisProcess(['call', 'none', ...command]);
      assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
      assert.match(unknown.stderr, /unknown tool/);
    });
});
