import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ExactNumber } from './exact-number.ts';
import { jsonCopy } from './copy.ts';

test('a copy is what the JSON text would say', () => {
  const leaf = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constantFrom(null, undefined, -0, '\ud800'));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '1')), tie('tree'), {
        maxKeys: 4,
      }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), tree), (value) => {
      const copied = jsonCopy(value);
      if (copied === undefined) return;
      assert.equal(JSON.stringify(copied.copy), JSON.stringify(value));
      assert.deepStrictEqual(copied.copy, JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 500 },
  );
});

test('a copy shares no object with what it is of', () => {
  const value = { a: [{ b: {} }], c: Object.create(null) as object };
  const { copy } = jsonCopy(value) ?? {};
  assert.deepStrictEqual(copy, { a: [{ b: {} }], c: {} });
  Object.assign(value.a[0]?.b ?? {}, { late: true });
  assert.deepStrictEqual(copy, { a: [{ b: {} }], c: {} });
});

test('what only the text can tell is left to it', () => {
  const cycle: { self?: object } = {};
  cycle.self = cycle;
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const others: readonly unknown[] = [
    new Date(0),
    new Map(),
    new ExactNumber('1.0'),
    { toJSON: () => 'x' },
    Object.defineProperty({}, 'toJSON', { value: () => 'x' }),
    Object.assign([1], { toJSON: () => 'x' }),
    1n,
    () => undefined,
    Symbol('x'),
    JSON.parse('{"__proto__":1}'),
    Object('boxed'),
    cycle,
    // Not every runtime makes them.
    Object.freeze(Object.assign(Object.create(null), { rawJSON: '1.0' })),
    {
      get unreadable(): string {
        throw new Error('not now');
      },
    },
    revoked.proxy,
  ];
  for (const other of others) assert.equal(jsonCopy({ a: [other] }), undefined);
});
