import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peekMessage, glimpsed } from './message-peek.ts';

const long = 'x'.repeat(2 * glimpsed);
const of = (text: string): unknown => peekMessage(text.slice(0, glimpsed), text.slice(-glimpsed));

const rows: readonly (readonly [title: string, text: string, seen: unknown])[] = [
  ['an id before the result', `{"jsonrpc":"2.0","id":7,"result":{"a":"${long}"}}`, { kind: 'answer', id: 7 }],
  ['an id after the result', `{"result":{"a":"${long}"},"jsonrpc":"2.0","id":7}`, { kind: 'answer', id: 7 }],
  ['names in order', `{"id": "a-1", "jsonrpc": "2.0", "result": {"a":"${long}"}} `, { kind: 'answer', id: 'a-1' }],
  ['an error', `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"${long}"}}`, { kind: 'answer', id: 7 }],
  ['a request', `{"method":"a","params":{"a":"${long}"},"jsonrpc":"2.0","id":7}`, { kind: 'request', id: 7 }],
  ['no id at the end', `{"result":{"a":"${long}"}}`, { kind: 'answer', id: undefined }],
  ['an id of another', `{"result":{"id":8,"a":"${long}","id":9},"jsonrpc":"2.0"}`, { kind: 'answer', id: undefined }],
  ['an id in a text', JSON.stringify({ result: { a: `${long}","id":7}` } }), { kind: 'answer', id: undefined }],
  ['a text at the end', JSON.stringify({ result: {}, b: `${long}","id":7` }), { kind: 'answer', id: undefined }],
  ['two ids', `{"id":7,"result":{"a":"${long}"},"id":8}`, undefined],
  ['an answer with a method', `{"result":{"a":"${long}"},"method":"a","id":7}`, undefined],
  ['a fraction', `{"id":7.5,"result":{"a":"${long}"}}`, undefined],
  ['a batch', `[{"jsonrpc":"2.0","id":7,"result":{"a":"${long}"}}]`, undefined],
  ['no message', `${long},"id":7}`, undefined],
  ['nothing', '', undefined],
];
for (const [title, text, seen] of rows)
  test(`${title} is seen from the ends of a message`, () => assert.deepEqual(of(text), seen));
