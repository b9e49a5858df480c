import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formOf } from './form.ts';

const titled = (...options: readonly object[]): object => ({ type: 'string', oneOf: options });

test('a choice with a title for each value is asked as a choice, and any other field as its type', () => {
  const [one, other] = [
    { const: 'a', title: 'A' },
    { const: 'b', title: 'B' },
  ];
  const choice = (property: object): boolean =>
    'oneOf' in (formOf({ properties: { f: property } } as never).properties as { f: object }).f;
  assert.equal(choice(titled(one, other)), true);
  for (const wrong of [{ const: 1, title: 'B' }, { const: 'b' }, { const: 'b', title: 2 }, { title: 'B' }, 'b', null])
    assert.equal(choice(titled(one, wrong as object)), false, JSON.stringify(wrong));
});

test('a list is asked as choices if its items are choices, and is refused if they are not', () => {
  const form = (items: unknown): unknown => formOf({ properties: { f: { type: 'array', items } } } as never).properties;
  for (const items of [{ enum: ['a'] }, { anyOf: [{ const: 'a', title: 'A' }] }])
    assert.deepEqual(form(items), { f: { type: 'array', items } });
  for (const items of [{ type: 'string' }, { anyOf: [{ const: 'a' }] }, undefined, 'x'])
    assert.throws(() => form(items), /a form cannot ask for "f"/);
});

test('keywords that a form does not have are left out, and formats that it does not know', () => {
  const properties = {
    s: { type: 'string', title: 'S', pattern: 'x', minLength: 1, maxLength: 2, format: 'email', default: 'a' },
    t: { type: 'string', format: 'hostname' },
    n: { type: 'integer', minimum: 1, maximum: 2, multipleOf: 2, description: 'N' },
    b: { type: 'boolean', default: true, const: true },
    c: { type: 'string', enum: ['a'], enumNames: ['A'], minLength: 1 },
  };
  assert.deepEqual(formOf({ properties, required: ['s'] } as never), {
    type: 'object',
    properties: {
      s: { type: 'string', title: 'S', default: 'a', minLength: 1, maxLength: 2, format: 'email' },
      t: { type: 'string' },
      n: { type: 'integer', description: 'N', minimum: 1, maximum: 2 },
      b: { type: 'boolean', default: true },
      c: { type: 'string', enum: ['a'], enumNames: ['A'] },
    },
    required: ['s'],
  });
  for (const schema of [{}, { properties: 5 }, { properties: {}, required: [] }])
    assert.deepEqual(formOf(schema as never), { type: 'object', properties: {} });
  for (const property of [{ type: 'object' }, {}, 'x', undefined])
    assert.throws(() => formOf({ properties: { f: property } } as never), TypeError);
});
