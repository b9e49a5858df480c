import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Io } from '../io.ts';
import { parseOptions } from '../options.ts';
import { authOf } from './auth-of.ts';
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
