import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toText } from './batch.ts';

test('a response that is no JSON is an internal error, a notification is left out, and who sends hears of both', () => {
  const told: string[] = [];
  const wrong = { a: 10n } as never;
  const messages = [
    { jsonrpc: '2.0', id: 1, result: wrong },
    { jsonrpc: '2.0', method: 'notifications/message', params: wrong },
    { jsonrpc: '2.0', id: 2, result: {} },
  ] as const;
  const text = toText(messages, (error) => told.push(`${error.message}: ${String(error.cause)}`));
  assert.deepEqual(JSON.parse(text ?? ''), [
    { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'the result is not JSON' } },
    { jsonrpc: '2.0', id: 2, result: {} },
  ]);
  assert.deepEqual(told, [
    'the result of a request is not JSON: TypeError: Do not know how to serialize a BigInt',
    'notifications/message is dropped: it is not JSON: TypeError: Do not know how to serialize a BigInt',
  ]);
});

test('a request that is no JSON is left out, as nobody waits for an answer to it from here', () => {
  const told: string[] = [];
  const request = { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: { a: 10n } as never } as const;
  assert.equal(
    toText(request, (error) => told.push(error.message)),
    undefined,
  );
  assert.equal(toText([request]), '[]');
  assert.deepEqual(told, ['sampling/createMessage is dropped: it is not JSON']);
});
