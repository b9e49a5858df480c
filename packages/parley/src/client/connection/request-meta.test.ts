/** What goes with a request beside its parameters. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metaKey } from '../../protocol/meta-key.ts';
import { revisionOf, type Revision } from '../../protocol/revision.ts';
import { hasRequestHeaders, requestHeaders, requestMeta, withMeta } from './request-meta.ts';

const [session, stateless] = ['2025-11-25', '2026-07-28'].map((date) => revisionOf(date)) as [Revision, Revision];

test('a request has headers of its own if its version names itself or mirrors the body in them', () => {
  assert.deepEqual([session, stateless].map(hasRequestHeaders), [false, true]);
  assert.equal(hasRequestHeaders({ ...session, versionHeader: 'always' }), true);
  assert.equal(hasRequestHeaders({ ...session, mirroredHeaders: true }), true);
  assert.deepEqual(requestHeaders(session, 'tools/call', { name: 'x' }), {});
  assert.deepEqual(requestHeaders({ ...session, versionHeader: 'always' }, 'ping', {}), {
    'MCP-Protocol-Version': '2025-11-25',
  });
  const version = { 'MCP-Protocol-Version': '2026-07-28' };
  const headers = (method: string, params?: Record<string, unknown>) =>
    requestHeaders(stateless, method, params as never);
  assert.deepEqual(headers('tools/call', { name: 'x' }), { ...version, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'x' });
  assert.deepEqual(headers('resources/read', { uri: 'a:b' }), {
    ...version,
    'Mcp-Method': 'resources/read',
    'Mcp-Name': 'a:b',
  });
  for (const params of [undefined, {}, { name: 1 }])
    assert.deepEqual(headers('tools/call', params), { ...version, 'Mcp-Method': 'tools/call' });
  assert.deepEqual(headers('tools/list', { name: 'x' }), { ...version, 'Mcp-Method': 'tools/list' });
});

test('what a client says of itself goes over what its program put into _meta', () => {
  const described = { a: 'described' };
  assert.deepEqual(withMeta(undefined, described), { _meta: described });
  assert.deepEqual(withMeta({ x: 1 }, described), { x: 1, _meta: described });
  assert.deepEqual(withMeta({ _meta: { a: 'own', b: 'own' } }, described), { _meta: { a: 'described', b: 'own' } });
  assert.deepEqual(withMeta({ _meta: { b: 'own', c: 'own' } }, described, { a: 'given', b: 'given' }), {
    _meta: { a: 'described', b: 'given', c: 'own' },
  });
  assert.deepEqual(withMeta({ _meta: 'odd' } as never, described), { _meta: described });
  assert.deepEqual(withMeta({}, described, { b: 'given' }), { _meta: { a: 'described', b: 'given' } });
});

test('a request says who it speaks for, and the log level that it or its client asked for', () => {
  const own = { info: { name: 'own', version: '1' }, capabilities: { roots: {} }, extensions: { 'x.example/y': {} } };
  const metaOf = requestMeta(stateless, () => own);
  const plain = metaOf({}, undefined);
  assert.deepEqual(plain[metaKey.clientInfo], own.info);
  assert.deepEqual(plain[metaKey.clientCapabilities], { roots: {}, extensions: own.extensions });
  assert.equal(plain[metaKey.logLevel], undefined);
  assert.equal(metaOf({}, undefined), plain);
  assert.equal(metaOf({}, 'info')[metaKey.logLevel], 'info');
  assert.equal(metaOf({ logLevel: 'error' }, 'info')[metaKey.logLevel], 'error');
  const other = metaOf({ clientInfo: { name: 'other', version: '2' } }, undefined);
  assert.deepEqual(other[metaKey.clientInfo], { name: 'other', version: '2' });
  assert.deepEqual(other[metaKey.clientCapabilities], { roots: {}, extensions: own.extensions });
  const declared = metaOf({ capabilities: { sampling: {} } }, undefined);
  assert.deepEqual(declared[metaKey.clientCapabilities], { sampling: {} });
  assert.deepEqual(declared[metaKey.clientInfo], own.info);
  assert.deepEqual(metaOf({}, undefined), plain);
});
