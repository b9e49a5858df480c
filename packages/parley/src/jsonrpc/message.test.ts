import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify } from './message.ts';

const failed = { code: -32603, message: 'no' };

test('a response may say with a null that it has no error, or no result', () => {
  assert.deepEqual(classify({ jsonrpc: '2.0', id: 1, result: {}, error: null }), {
    kind: 'response',
    message: { jsonrpc: '2.0', id: 1, result: {} },
  });
  assert.deepEqual(classify({ jsonrpc: '2.0', id: 1, result: null, error: failed }), {
    kind: 'response',
    message: { jsonrpc: '2.0', id: 1, error: failed },
  });
});

test('a response that has both a result and an error, or neither, is malformed', () => {
  for (const both of [{ result: {}, error: failed }, { result: null, error: null }, { result: null }, { error: null }])
    assert.equal(classify({ jsonrpc: '2.0', id: 1, ...both }).kind, 'malformed');
});

test('a request or a notification may say with a null that it has no params', () => {
  assert.deepEqual(classify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: null }), {
    kind: 'request',
    message: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  });
  assert.equal(classify({ jsonrpc: '2.0', id: {}, method: 'tools/list', params: null }).kind, 'malformed');
  assert.deepEqual(classify({ jsonrpc: '2.0', method: 'notifications/initialized', params: null }), {
    kind: 'notification',
    message: { jsonrpc: '2.0', method: 'notifications/initialized' },
  });
  assert.equal(classify({ jsonrpc: '2.0', method: 'notifications/initialized', params: [] }).kind, 'malformed');
});
