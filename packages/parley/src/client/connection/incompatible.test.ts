import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpError } from '../../protocol/error.ts';
import { revisionOf } from '../../protocol/revision.ts';
import { incompatible } from './incompatible.ts';

for (const [text, message, theirs] of [
  [
    'Bad Request: Unsupported protocol version: 2026-07-28 (supported versions: 2025-11-25, 2024-10-07; since 2025-01-01)',
    'the server speaks 2025-11-25, 2024-10-07',
    ['2025-11-25', '2024-10-07'],
  ],
  [
    '2025-06-18 is not supported',
    'the server needs initialize, as 2025-11-25 and earlier do (it said: 2025-06-18 is not supported)',
    undefined,
  ],
  [
    'Method not found',
    'the server needs initialize, as 2025-11-25 and earlier do (it said: Method not found)',
    undefined,
  ],
] as const)
  test(`an error without a common version says in our words what the server means by: ${text.slice(0, 16)}`, () => {
    const ours = [revisionOf('2026-07-28') ?? assert.fail()];
    const error = incompatible(ours, undefined, new McpError('methodNotFound', text));
    assert.equal(error.message, `no common revision: ${message}, this client may use 2026-07-28`);
    assert.deepEqual(error.theirs, theirs);
  });
