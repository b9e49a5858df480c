import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { PrimitiveSchemaDefinition, RequestedSchema } from '../../protocol/features/elicitation-schema.ts';
import type { ElicitValue } from '../../protocol/features/elicitation.ts';
import { formProblem, withDefaults } from './elicitation-form.ts';

/** A field and a value that fits it. */
interface Entry {
  readonly field: PrimitiveSchemaDefinition;
  readonly value: ElicitValue;
}

const options = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 });
const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((value): Entry => {
    const { length } = Array.from(value);
    return { field: { type: 'string', minLength: length, maxLength: length }, value };
  }),
  fc.integer().map((value): Entry => ({ field: { type: 'integer', minimum: value, maximum: value }, value })),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value): Entry => ({ field: { type: 'number', minimum: value }, value })),
  fc.boolean().map((value): Entry => ({ field: { type: 'boolean' }, value })),
  options.map((list): Entry => ({ field: { type: 'string', enum: list }, value: list[0] ?? '' })),
  options.map((list): Entry => {
    const oneOf = list.map((one) => ({ const: one, title: one }));
    return { field: { type: 'string', oneOf }, value: list.at(-1) ?? '' };
  }),
  options.chain((list) =>
    fc.subarray(list).map((value): Entry => ({
      field: { type: 'array', items: { type: 'string', enum: list }, minItems: value.length },
      value,
    })),
  ),
  options.map((list): Entry => {
    const anyOf = list.map((one) => ({ const: one, title: one }));
    return { field: { type: 'array', items: { anyOf }, maxItems: list.length }, value: list };
  }),
);
const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString'));
const filled = fc.uniqueArray(fc.tuple(key, entry), { selector: ([name]) => name, maxLength: 6 });

const formOf = (entries: readonly (readonly [string, PrimitiveSchemaDefinition])[]): RequestedSchema => ({
  type: 'object',
  properties: Object.fromEntries(entries),
  required: entries.map(([name]) => name),
});

describe('a form with fields that no revision has', () => {
  // As a peer may send it, which no type here says.
  const form = JSON.parse(
    '{"type":"object","properties":{"nick":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"tags":{"type":"array"}}}',
  ) as RequestedSchema;

  it('takes what any field can hold for them', () => {
    assert.equal(formProblem(form, { nick: 'Ann', tags: ['a'] }), undefined);
    assert.equal(formProblem(form, { nick: 1, tags: 'a' }), undefined);
    assert.match(formProblem(form, { nick: null }) ?? '', /"nick" must be a string, a number/);
  });

  it('enters no default that no field can hold', () => {
    assert.deepEqual(withDefaults(form, {}), {});
  });
});

describe('the content of a form', () => {
  it('that fits every field has no problem [elicit-059]', () => {
    fc.assert(
      fc.property(filled, (entries) => {
        const schema = formOf(entries.map(([name, { field }]) => [name, field]));
        const content = Object.fromEntries(entries.map(([name, { value }]) => [name, value]));
        assert.equal(formProblem(schema, content), undefined);
      }),
    );
  });

  it('that lacks any one required field has a problem that names it', () => {
    fc.assert(
      fc.property(filled, fc.nat(), (entries, seed) => {
        fc.pre(entries.length > 0);
        const index = seed % entries.length;
        const schema = formOf(entries.map(([name, { field }]) => [name, field]));
        const content = Object.fromEntries(entries.toSpliced(index, 1).map(([name, { value }]) => [name, value]));
        assert.match(formProblem(schema, content) ?? '', /is required/);
      }),
    );
  });

  const rows: readonly (readonly [PrimitiveSchemaDefinition, readonly unknown[], readonly unknown[]])[] = [
    [{ type: 'string' }, [''], [1, null, ['a']]],
    [{ type: 'string', minLength: 2, maxLength: 3 }, ['ab', '🙂🙂🙂'], ['a', 'abcd', '🙂']],
    [{ type: 'string', format: 'email' }, ['a@b.example'], ['a', '@', 'a@b c']],
    [{ type: 'string', format: 'uri' }, ['https://a.example/b?c', 'urn:isbn:1'], ['/a', 'a b', 'https://']],
    [{ type: 'string', format: 'date' }, ['2024-02-29'], ['2023-02-29', '2024-2-1', '2024-02-29T00:00:00Z']],
    [
      { type: 'string', format: 'date-time' },
      ['2024-02-29T23:59:60Z', '2024-01-01t00:00:00.5+05:30'],
      ['2024-02-30T00:00:00Z', '2024-01-01T24:00:00Z', '2024-01-01T00:00:00', '2024-01-01'],
    ],
    [{ type: 'string', format: 'hostname' as never }, ['anything'], [1]],
    [{ type: 'number', minimum: 0, maximum: 1 }, [0, 0.5, 1], [-1, 1.5, Number.NaN, '1']],
    [{ type: 'integer' }, [1, -1], [1.5, Infinity]],
    [{ type: 'boolean' }, [true, false], ['true', 0]],
    [{ type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] }, ['a'], ['A', 'c', ['a']]],
    [{ type: 'string', oneOf: [{ const: '1', title: 'One' }] }, ['1'], ['One', 1]],
    [
      { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 },
      [['a'], ['b', 'a']],
      [[], ['a', 'b', 'c'], ['d'], 'a', [1]],
    ],
    [{ type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } }, [[], ['x']], [['X']]],
  ];
  for (const [field, good, bad] of rows) {
    it(`of a field ${JSON.stringify(field)} is held against it [elicit-005] [elicit-059]`, () => {
      const schema = formOf([['f', field]]);
      for (const value of good) assert.equal(formProblem(schema, { f: value }), undefined, JSON.stringify(value));
      for (const value of bad) assert.match(formProblem(schema, { f: value }) ?? '', /"f" must/, JSON.stringify(value));
    });
  }

  const foreign: readonly (readonly [object, unknown, unknown])[] = [
    [{ type: 'string', enum: null, oneOf: null, items: null }, 'x', 1],
    [{ type: 'boolean', enum: 5 }, true, 'x'],
    [{ type: 'integer', enum: [1, 2] }, 1, 3],
    [{ type: 'integer', oneOf: [null] }, 1, 'x'],
    [{ type: 'number', oneOf: [{ minimum: 1 }] }, 1, 'x'],
    [{ type: 'array', items: { type: 'string', enum: ['a'], anyOf: null } }, ['a'], ['b']],
  ];
  for (const [field, good, bad] of foreign) {
    it(`of a field ${JSON.stringify(field)}, as servers write it, is held against what it says`, () => {
      const schema = formOf([['f', field as PrimitiveSchemaDefinition]]);
      assert.equal(formProblem(schema, { f: good }), undefined);
      assert.match(formProblem(schema, { f: bad }) ?? '', /"f" must/);
    });
  }

  it('that was not asked for is let be when a field could hold it', () => {
    const schema = formOf([]);
    assert.equal(formProblem(schema, { a: 'x', b: ['y'], c: 1, d: undefined }), undefined);
    assert.match(formProblem(schema, { a: {} }) ?? '', /"a" must be/);
    assert.match(formProblem(formOf([['toString', { type: 'string' }]]), {}) ?? '', /is required/);
  });
});

describe('the defaults of a form', () => {
  it('fill what was left out and nothing else, and fit [elicit-022]', () => {
    fc.assert(
      fc.property(filled, filled, (defaults, given) => {
        // The value of a field fits it, so it may be its default.
        const schema = formOf(
          defaults.map(([name, { field, value }]) => [name, { ...field, default: value } as PrimitiveSchemaDefinition]),
        );
        const content = Object.fromEntries(given.map(([name, { value }]) => [name, value]));
        const whole = withDefaults(schema, content);
        for (const [name, { value }] of given)
          assert.deepEqual(Object.getOwnPropertyDescriptor(whole, name)?.value, value);
        for (const [name, { value }] of defaults)
          if (!Object.hasOwn(content, name))
            assert.deepEqual(Object.getOwnPropertyDescriptor(whole, name)?.value, value);
        assert.equal(Object.getPrototypeOf(whole), Object.prototype);
        assert.equal(withDefaults(schema, whole), whole);
        if (given.length === 0) assert.equal(formProblem(schema, whole), undefined);
      }),
    );
  });
});
