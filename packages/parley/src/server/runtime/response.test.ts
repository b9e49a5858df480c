/** Responses of a server before a version is settled. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpError } from '../../protocol/error.ts';
import { revisions } from '../../protocol/revision.ts';
import type { ServerCore } from './server-core.ts';
import { refusal } from './response.ts';

test('an error without a request has no id where the newest version of the server allows that, else null', () => {
  const error = new McpError('parseError', 'no JSON');
  const body = { code: -32700, message: 'no JSON' };
  const of = (first: number, last: number, revision?: (typeof revisions)[number]): unknown =>
    refusal({ revisions: revisions.slice(first, last) } as unknown as ServerCore, undefined, error, revision);
  const [oldest] = revisions;
  assert.deepEqual(of(0, 3), { jsonrpc: '2.0', id: null, error: body });
  assert.deepEqual(of(0, 4), { jsonrpc: '2.0', error: body });
  assert.deepEqual(of(0, 5), { jsonrpc: '2.0', error: body });
  assert.deepEqual(of(0, 0), { jsonrpc: '2.0', error: body });
  assert.deepEqual(of(0, 5, oldest), { jsonrpc: '2.0', id: null, error: body });
  assert.deepEqual(refusal({ revisions } as unknown as ServerCore, 7, error, undefined), {
    jsonrpc: '2.0',
    id: 7,
    error: body,
  });
});
