import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordingEntry } from '../../recorder/entry.ts';
import { rowOfEntry } from './row.ts';

/** A message of a server in a recording. */
const said = (text: string, more: Partial<RecordingEntry> = {}): RecordingEntry => ({
  sequence: 2,
  time: 0,
  server: 'A',
  connection: 1,
  from: 'server',
  lane: 'message',
  bytes: 1,
  text,
  method: 'tools/list',
  pair: 1,
  id: 1,
  ...more,
});

const kind = (text: string): string | undefined => rowOfEntry(said(text)).kind;

test('an answer is one in whatever order its members stand, and whatever it holds', () => {
  const schema = '{"tools":[{"name":"x","inputSchema":{"properties":{"method":{"type":"string"},"error":{}}}}]}';
  for (const head of [
    '"jsonrpc":"2.0","id":1,',
    '"id":1,"jsonrpc":"2.0",',
    '"id": "a,\\"b\\"", "jsonrpc" : "2.0" , ',
    '"id":1,',
    '',
  ])
    assert.equal(kind(`{${head}"result":${schema}}`), 'result', head);
  assert.equal(
    kind('{"id":1,"jsonrpc":"2.0","error":{"code":-32603,"message":"x","data":{"result":1,"method":"y"}}}'),
    'error',
  );
  assert.equal(kind('{"error":{"code":1,"message":"x","data":{"result":1}},"id":null,"jsonrpc":"2.0"}'), 'error');
});

test('what has a method of its own is no answer', () => {
  assert.equal(kind('{"jsonrpc":"2.0","id":1,"method":"ping"}'), 'request');
  assert.equal(kind('{"id":1,"params":{"result":1},"method":"ping","jsonrpc":"2.0"}'), 'request');
});

const failed = (method: string, result: unknown, more: Partial<RecordingEntry> = {}): boolean =>
  rowOfEntry(said(JSON.stringify({ jsonrpc: '2.0', id: 1, result }), { method, ...more })).failed === true;

test('a result that says that the tool failed is told apart, however long it is, and wherever it came', () => {
  const content = [{ type: 'text', text: 'x'.repeat(200_000) }];
  assert.ok(failed('tools/call', { isError: true, content: [] }));
  assert.ok(failed('tools/call', { content, isError: true }));
  assert.ok(failed('tasks/result', { content: [], isError: true }));
  assert.ok(failed('tasks/get', { taskId: 't', status: 'completed', result: { content: [], isError: true } }));
  // What is left of a message that is longer than what is kept ends somewhere.
  const head = { text: '{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"text":"x', cut: 7 };
  assert.ok(failed('tools/call', undefined, head));
});

test('a result that holds such words elsewhere has not failed', () => {
  const words = { type: 'text', text: '{"isError":true}' };
  assert.ok(!failed('tools/call', { content: [words] }));
  assert.ok(!failed('tools/call', { content: [], structuredContent: { isError: true } }));
  assert.ok(!failed('tools/call', { content: [], isError: false }));
  assert.ok(!failed('resources/read', { contents: [], isError: true }));
  const head = { text: '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"isError":true,"x":"x', cut: 7 };
  assert.ok(!failed('tools/call', undefined, head));
});

test('an answer that has the id of no request is told apart; an error that names none is not', () => {
  const row = (text: string, more: Partial<RecordingEntry> = {}): unknown => {
    const common = { sequence: 2, time: 0, server: 'A', connection: 1, from: 'server', bytes: 1 } as const;
    const { problem, about } = rowOfEntry({ ...common, lane: 'message', text, ...more });
    return [problem, about];
  };
  const stray = '{"jsonrpc":"2.0","id":9,"result":{}}';
  assert.deepEqual(row(stray, { id: 9 }), [true, 'answers no request']);
  assert.deepEqual(row(stray, { id: 9, pair: 1, method: 'ping' }), [undefined, undefined]);
  const unnamed = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}';
  assert.deepEqual(row(unnamed, { id: null }), [undefined, 'no JSON']);
});

test('a row has one character more of a long text than the page shows, and no mark of ours', () => {
  const { what } = rowOfEntry({
    sequence: 1,
    time: 0,
    server: 'A',
    connection: 1,
    from: 'server',
    lane: 'stderr',
    bytes: 1,
    text: 'x\n'.repeat(100),
  });
  assert.equal(what, 'x '.repeat(40));
});
