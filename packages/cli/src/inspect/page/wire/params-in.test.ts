import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paramsIn } from './params-in.ts';

const written = (params: string): string => `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${params}}`;

test('parameters are spelled as they were, without what each request gets anew', () => {
  const meta = `"_meta":{"progressToken":3,"io.modelcontextprotocol/clientInfo":{"name":"x"},"own":1.50}`;
  assert.equal(
    paramsIn(written(`{"name":"add","arguments":{"a":1e400,"b":12345678901234567890},${meta}}`)),
    `{
  "name": "add",
  "arguments": {
    "a": 1e400,
    "b": 12345678901234567890
  },
  "_meta": {
    "own": 1.50
  }
}`,
  );
  assert.equal(paramsIn(written('{"_meta":{"progressToken":3}}')), '{}');
});

test('a request without parameters has none, and what is no request is none', () => {
  assert.equal(paramsIn('{"jsonrpc":"2.0","id":1,"method":"ping"}'), '{}');
  assert.equal(paramsIn('{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}'), '{}');
  for (const none of [undefined, '', 'GET /', '[]', '{"id":1,"result":{}}']) assert.equal(paramsIn(none), undefined);
});
