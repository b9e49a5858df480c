import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostBytes, turnedAway, Unasked, type RawExchange } from './exchange.ts';

test('what a server says unasked is kept within bounds, however much it is', () => {
  const long = new Unasked();
  for (let piece = 0; piece < 100; piece++) long.add('x'.repeat(100_000));
  assert.equal(long.pieces.join('').length, 2_000_000);
  assert.ok(long.pieces.join('').length <= mostBytes);
  const many = new Unasked();
  for (let piece = 0; piece < 20_000; piece++) many.add('x');
  assert.equal(many.pieces.length, 10_000);
  assert.equal(many.add('x'), false);
});

test('who is to come back later learns nothing of what was asked, be it said in JSON-RPC', () => {
  const came = (status: number, headers: RawExchange['headers'] = {}): RawExchange => {
    const messages = [{ jsonrpc: '2.0', id: 1, error: { code: -32_603, message: 'busy' } }];
    return { sent: '', status, headers, text: '', messages, malformed: [], end: 'complete' };
  };
  assert.match(turnedAway(came(503, { 'retry-after': '1' })) ?? '', /HTTP 503/);
  assert.match(turnedAway(came(429)) ?? '', /HTTP 429/);
  assert.equal(turnedAway(came(503)), undefined);
  assert.equal(turnedAway(came(500, { 'retry-after': '1' })), undefined);
});

test('a redirection is told without what is secret in it', () => {
  const told = (location: string): string =>
    turnedAway({
      sent: 'POST /mcp',
      status: 307,
      headers: { location },
      text: '',
      messages: [],
      malformed: [],
      end: 'complete',
    }) ?? '';
  for (const begin of ['https://', '//', 'https:/', 'HTTPS:\\\\', 'https:']) {
    const words = told(`${begin}ann:se@cret@there.example/a@b?key=secret#secret`);
    assert.ok(words.includes(`to ${begin}there.example/a@b,`), words);
  }
  assert.match(told('/a@b'), /to \/a@b,/);
});
