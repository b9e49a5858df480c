import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostBytes, Unasked } from './exchange.ts';

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
