import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initializeParams, withMeta } from '../../test/support/raw.ts';
import { createServer } from '../server/server.ts';
import type { ServerOptions } from '../server/options.ts';
import type { Conversation } from './endpoint.ts';
import type { TraceAttributes, TraceStart } from './trace.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

interface Traced {
  readonly conversation: Conversation;
  readonly starts: TraceStart[];
  readonly ends: TraceAttributes[];
}

function traced(options: ServerOptions = {}): Traced {
  const starts: TraceStart[] = [];
  const ends: TraceAttributes[] = [];
  const server = createServer(
    { name: 's', version: '1' },
    {
      tracer: (start) => {
        starts.push(start);
        return { end: (attributes) => void ends.push(attributes) };
      },
      ...options,
    },
  );
  server.tool('hang', {}, () => new Promise<string>(() => undefined));
  const link = { network: 'tcp', lasting: true, id: 'session-1', send: () => undefined } as const;
  return { conversation: server.endpoint.converse(link), starts, ends };
}

test('a request is traced by the names of the conventions, with the context of its client [D29]', async () => {
  const { conversation, starts, ends } = traced();
  const _meta = { traceparent, tracestate: 'a=1', baggage: 'b=2' };
  await conversation.receive({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: withMeta({ _meta }) });
  assert.deepEqual(starts, [
    {
      attributes: {
        'mcp.method.name': 'tools/list',
        'jsonrpc.request.id': '7',
        'network.transport': 'tcp',
        'mcp.session.id': 'session-1',
      },
      parent: _meta,
    },
  ]);
  assert.deepEqual(ends, [{ 'mcp.protocol.version': '2026-07-28' }]);
});

test('initialize is traced with the revision that it settled [D29]', async () => {
  const { conversation, starts, ends } = traced();
  await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams('2025-06-18') });
  assert.equal(starts[0]?.attributes['mcp.method.name'], 'initialize');
  assert.deepEqual(ends, [{ 'mcp.protocol.version': '2025-06-18' }]);
});

test('failures and cancellations are told apart [D29]', async () => {
  const { conversation, ends } = traced();
  await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'nothing/here', params: withMeta() });
  const hanging = conversation.receive({
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: withMeta({ name: 'hang' }),
  });
  await conversation.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
  await hanging;
  const version = { 'mcp.protocol.version': '2026-07-28' };
  assert.deepEqual(ends, [
    { ...version, 'rpc.response.status_code': '-32601', 'error.type': '-32601' },
    { ...version, 'error.type': 'cancelled' },
  ]);
});

test('a trace context that is none is not handed on', async () => {
  const { conversation, starts } = traced();
  for (const wrong of [
    '',
    'x',
    traceparent.toUpperCase(),
    `ff${traceparent.slice(2)}`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    5,
  ]) {
    await conversation.receive({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: withMeta({ _meta: { traceparent: wrong } }),
    });
  }
  assert.deepEqual(new Set(starts.map(({ parent }) => JSON.stringify(parent))), new Set(['{}']));
});

test('a tracer that throws changes nothing, and the server hears of it', async () => {
  const errors: string[] = [];
  const { conversation } = traced({
    tracer: () => {
      throw new Error('no tracer');
    },
    onError: (error, where) => void errors.push(`${where}: ${String(error)}`),
  });
  const answer = await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: withMeta() });
  assert.ok(answer !== undefined && 'result' in answer);
  assert.deepEqual(errors, ['tracer: Error: no tracer']);
});
