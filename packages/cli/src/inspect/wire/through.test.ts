import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisions } from '../../../../parley/src/protocol/revision.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';
import type { LensView } from '../view.ts';
import { lensOf } from './through.ts';

const entry = (more: Partial<RecordingEntry>): RecordingEntry => ({
  sequence: 1,
  time: 0,
  server: 'A',
  connection: 1,
  lane: 'message',
  from: 'server',
  bytes: 0,
  ...more,
});

const [oldest, newest] = [revisions[0]?.date ?? '', revisions.at(-1)?.date ?? ''];

test('the answer that opens a conversation is that of the other revision', () => {
  const text = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    result: {
      resultType: 'complete',
      supportedVersions: [newest],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } },
    },
  });
  const lens = lensOf(entry({ text, method: 'server/discover', revision: newest }), oldest);
  assert.deepEqual(lens.right, {
    jsonrpc: '2.0',
    id: 1,
    result: { protocolVersion: oldest, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
  });
});

test('whatever crossed is shown or told, and nothing throws', () => {
  const texts = [
    '',
    'no json',
    '[]',
    '7',
    '{}',
    '{"method":7}',
    '{"id":1,"result":7}',
    '{"id":1,"error":{}}',
    '{"method":"tools/call","params":7}',
    '{"result":{"content":7}}',
  ];
  for (const text of texts)
    for (const from of ['client', 'server'] as const)
      for (const revision of [undefined, 'x', ...revisions.map(({ date }) => date)])
        for (const to of ['x', ...revisions.map(({ date }) => date)])
          for (const method of ['tools/call', 'initialize', 'own/method'])
            assert.ok(lensOf(entry({ text, from, method, ...(revision === undefined ? {} : { revision }) }), to).kind);
  assert.equal(lensOf(entry({ lane: 'stderr', text: 'x' }), oldest).kind, 'none');
});

/** Headers of a call as they crossed in the newest revision, and as each other client sends them. */
function headersFor(to: string, name: string, more: Partial<RecordingEntry> = {}): LensView['headers'] {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });
  const headers = {
    accept: 'application/json',
    'mcp-protocol-version': newest,
    'mcp-method': 'tools/call',
    'mcp-name': name,
    'mcp-param-city': 'Oslo',
  };
  const http = { method: 'POST', url: 'http://127.0.0.1/mcp', headers };
  return lensOf(entry({ from: 'client', text, method: 'tools/call', revision: newest, http, ...more }), to).headers;
}

test('a request has the headers of each revision, and none of whoever carries it', () => {
  const session = { 'mcp-session-id': 'the one that its server gives it' };
  const own = {
    'mcp-protocol-version': newest,
    'mcp-method': 'tools/call',
    'mcp-name': 'forecast',
    'mcp-param-city': 'Oslo',
  };
  assert.deepEqual(headersFor(newest, 'forecast'), { left: own, right: own });
  for (const { date, http, versionHeader } of revisions.slice(0, -1))
    assert.deepEqual(
      headersFor(date, 'forecast')?.right,
      {
        ...(versionHeader === 'never' ? {} : { 'mcp-protocol-version': date }),
        ...(http === 'session' ? session : {}),
      },
      date,
    );
  assert.equal(headersFor(newest, 'b\u00fccher')?.right['mcp-name'], '=?base64?YsO8Y2hlcg==?=');
});

test('an answer of a server, and what crosses without HTTP, has no headers of requests', () => {
  assert.equal(headersFor(oldest, 'forecast', { from: 'server' }), undefined);
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } });
  assert.equal(
    lensOf(entry({ from: 'client', text, method: 'tools/call', revision: newest }), oldest).headers,
    undefined,
  );
});
