/** Bytes that arrive in pieces. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteBuffer } from './bytes.ts';

const bytes = (length: number, value = 7): Uint8Array => new Uint8Array(length).fill(value);

test('pieces of any size are taken whole, and once', () => {
  const buffer = new ByteBuffer();
  assert.equal(buffer.take().length, 0);
  for (let count = 1; count <= 100; count++) buffer.append(bytes(count, count));
  assert.equal(buffer.length, 5_050);
  const taken = buffer.take();
  assert.deepEqual([taken.length, taken[0], taken[1], taken.at(-1)], [5_050, 1, 2, 100]);
  assert.deepEqual([buffer.length, buffer.take().length], [0, 0]);
});

test('memory above 64 KB is given back once it has been read, and up to there it is used again', () => {
  const capacityAfter = (length: number): number => {
    const buffer = new ByteBuffer();
    buffer.append(bytes(length));
    buffer.take();
    buffer.append(bytes(1));
    return buffer.take().buffer.byteLength;
  };
  assert.deepEqual([capacityAfter(65_536), capacityAfter(65_537)], [65_536, 1_024]);
});

test('a buffer grows to twice its size, so that many pieces are not copied each time', () => {
  const buffer = new ByteBuffer();
  for (let again = 0; again < 2; again++) {
    buffer.append(bytes(1_024));
    assert.equal(buffer.take().buffer.byteLength, 1_024);
  }
  buffer.append(bytes(1_024));
  buffer.append(bytes(1));
  assert.equal(buffer.take().buffer.byteLength, 2_048);
});
