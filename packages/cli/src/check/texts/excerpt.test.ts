import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerptOfText } from './excerpt.ts';

const note = (data: string): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } });
const refusal = '{"jsonrpc":"2.0","id":17,"error":{"code":-32601,"message":"no such tool"}}';

test('a short text is shown whole, in one line', () => {
  assert.equal(excerptOfText(`  ${refusal}\n\n`), refusal);
  assert.equal(excerptOfText('{\n  "a": 1\n}'), '{ "a": 1 }');
});

test('a response is shown whatever a server logs before it', () => {
  const text = [note('a'.repeat(300)), note('b'.repeat(300)), refusal].join('\n');
  assert.equal(excerptOfText(text), `${note('a'.repeat(300)).slice(0, 60)} … ${refusal}`);
  const events = [note('c'.repeat(300)), refusal].map((data) => `event: message\ndata: ${data}\n`).join('\n');
  assert.ok(excerptOfText(events).endsWith(`… data: ${refusal}`), excerptOfText(events));
});

test('a response that comes first begins what is shown', () => {
  const text = [refusal, note('a'.repeat(300))].join('\n');
  assert.equal(excerptOfText(text), text.replace('\n', ' ').slice(0, 200));
});

test('a text without a response is shown from its beginning', () => {
  const text = [note('a'.repeat(300)), 'no JSON', '{"method":"x","id":1,"result":{}}'].join('\n');
  assert.equal(excerptOfText(text), text.slice(0, 200));
});
