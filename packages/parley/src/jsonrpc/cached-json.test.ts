import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cachedJson } from './cached-json.ts';
import type { RequestId } from './message.ts';
import { toJson, toJsonPieces } from './encode.ts';

const ids: fc.Arbitrary<RequestId> = fc.oneof(fc.string(), fc.maxSafeInteger());
const results = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 5000));

function inOneText(pieces: string | readonly [string, Uint8Array]): string {
  return typeof pieces === 'string' ? pieces : pieces[0] + new TextDecoder().decode(pieces[1]);
}

test('a response whose result is kept is written as any other, in one text and in pieces', () => {
  fc.assert(
    fc.property(ids, results, (id, [more, length]) => {
      const result = { ...more, text: 'ü'.repeat(length) };
      const plain = JSON.stringify({ jsonrpc: '2.0', id, result });
      const response = { jsonrpc: '2.0', id, result: cachedJson(result) } as const;
      for (let time = 0; time < 2; time++) {
        assert.equal(inOneText(toJsonPieces(response)), plain);
        assert.equal(toJson(response), plain);
      }
    }),
  );
});

test('the long text of a kept result is encoded once and shared by its responses', () => {
  const result = cachedJson({ text: 'x'.repeat(10_000) });
  const [one, other] = [1, 2].map((id) => toJsonPieces({ jsonrpc: '2.0', id, result }));
  assert.ok(Array.isArray(one) && Array.isArray(other));
  assert.equal(one[1], other[1]);
  assert.notEqual(one[0], other[0]);
});

test('a result that is not kept is written anew each time', () => {
  const result: Record<string, unknown> = { at: 1 };
  const response = { jsonrpc: '2.0', id: 1, result } as const;
  assert.equal(toJson(response), '{"jsonrpc":"2.0","id":1,"result":{"at":1}}');
  result['at'] = 2;
  assert.equal(toJsonPieces(response), '{"jsonrpc":"2.0","id":1,"result":{"at":2}}');
});
