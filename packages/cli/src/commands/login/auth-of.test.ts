import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Io } from '../io.ts';
import { parseOptions } from '../options.ts';
import { authOf, wayToAsk } from './auth-of.ts';
import { authOptions } from './sign-in-options.ts';

test('credentials in a URL are all that its server gets, be there a name in them or a password alone', async () => {
  const parsed = parseOptions([], authOptions);
  // Nothing is printed, and no variable is looked at.
  const io = { env: {} } as unknown as Io;
  for (const credentials of ['me:pa55', 'me', ':pa55']) {
    const url = new URL(`https://${credentials}@mcp.example/mcp`);
    assert.deepEqual(await authOf({ kind: 'url', url }, parsed, { io, asks: false }), {});
  }
});

test('who came over SSH is asked by an address to open elsewhere, where they can type', () => {
  const ssh = { SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' };
  const way = (env: Io['env'], { typing = true, inputTaken = false } = {}): string => {
    const io = { env, stdin: { isTTY: typing }, stderr: { isTTY: true } } as unknown as Io;
    return wayToAsk(parseOptions([], authOptions), { io, asks: true, inputTaken });
  };
  assert.equal(way({}), 'browser');
  assert.equal(way(ssh), 'by-hand');
  assert.equal(way({ ...ssh, DISPLAY: ':10' }), 'browser');
  assert.equal(way(ssh, { inputTaken: true }), 'browser');
  assert.equal(way(ssh, { typing: false }), 'browser');
});
