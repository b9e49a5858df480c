/** Keys of `_meta`: their form, and prefixes that belong to MCP. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isExtensionId, isMetaKey, isReservedMetaKey } from './meta.ts';

test('a prefix belongs to MCP by its second label, or its last but one', () => {
  for (const key of [
    'com.mcp/x',
    'com.modelcontextprotocol/x',
    'mcp.com/x',
    'modelcontextprotocol.io/x',
    'com.mcp.tools/x',
    'tools.mcp.com/x',
    'a.modelcontextprotocol.b.c/x',
    'a.b.modelcontextprotocol.c/x',
    'api.mcp.dev/',
  ])
    assert.equal(isReservedMetaKey(key), true, key);
  for (const key of ['mcp', 'mcp/x', 'x', 'com.example/mcp', 'mcp.example.com/x', 'com.example.mcp/x', 'com.amcp/x'])
    assert.equal(isReservedMetaKey(key), false, key);
  assert.equal(isReservedMetaKey('io.modelcontextprotocol/clientInfo'), false);
  assert.equal(isReservedMetaKey('io.modelcontextprotocol/other'), true);
});

test('a key is a name, after labels and a slash or alone, and may be empty', () => {
  for (const key of ['', 'a', 'a.b-c_d', 'a/', 'a/b', 'a-b.c/d', 'com.example/9', '9'])
    assert.equal(isMetaKey(key), true, key);
  for (const key of ['-a', 'a-', 'a/b/c', '9a/b', 'a-/b', 'a..b/c', '.a/b', '/a', 'a b', 'a/b.'])
    assert.equal(isMetaKey(key), false, key);
  assert.deepEqual(['a/b', 'a', 'a/', '-a/b'].map(isExtensionId), [true, false, false, false]);
});
