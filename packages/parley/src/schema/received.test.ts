import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSchema } from './json-schema.ts';

/** An object that counts how often all its keys are read. */
function counting(): { readonly value: object; reads: number } {
  const counted = { reads: 0, value: {} };
  counted.value = new Proxy({ a: 1 } as object, {
    ownKeys: (target) => (counted.reads++, Reflect.ownKeys(target)),
  });
  return counted;
}

test('a received value is not walked through for what JSON cannot hold', async () => {
  for (const [received, reads] of [
    [true, 0],
    [false, 1],
  ] as const) {
    const schema = await compileSchema({ type: 'object' }, { origin: 'own', received });
    const counted = counting();
    assert.deepEqual(schema.check(counted.value), []);
    assert.equal(counted.reads, reads);
  }
});

test('a received value counts its parts for a schema that contains itself', async () => {
  const schema = await compileSchema(
    { type: 'object', properties: { a: { $ref: '#' } } },
    { origin: 'own', received: true },
  );
  const counted = counting();
  schema.check(counted.value);
  assert.equal(counted.reads, 1);
});
