import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowOfEntry } from './row.ts';

const kind = (text: string): string | undefined =>
  rowOfEntry({
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
  }).kind;

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
