import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { schemaDocument } from './schema-document.ts';
import { shapeOf, type Property, type FieldShape } from './shape.ts';

/** The shape of a whole schema; it is parsed, as what a server sends is. */
function shaped(schema: unknown): FieldShape {
  const document = schemaDocument(JSON.parse(JSON.stringify(schema)));
  return shapeOf(document, document.root);
}

function optionsOf(shape: FieldShape): readonly (readonly [string, string])[] {
  assert.ok(shape.kind === 'options' || shape.kind === 'several', shape.kind);
  return shape.options.map(({ name, text }) => [name, text]);
}

function variantsOf(shape: FieldShape): readonly string[] {
  assert.equal(shape.kind, 'choice');
  return shape.kind === 'choice' ? shape.variants.map(({ name }) => name) : [];
}

function properties(schema: unknown): ReadonlyMap<string, Property> {
  const shape = shaped(schema);
  assert.equal(shape.kind, 'object');
  return shape.kind === 'object' ? shape.properties : new Map();
}

for (const [title, schema, kind] of [
  ['a text', { type: 'string' }, 'text'],
  ['a number', { type: 'number' }, 'number'],
  ['a whole number', { type: 'integer' }, 'number'],
  ['true or false', { type: 'boolean' }, 'boolean'],
  ['null', { type: 'null' }, 'null'],
  ['a constant of null', { const: null }, 'null'],
  ['an object', { type: 'object' }, 'object'],
  ['a list', { type: 'array' }, 'list'],
  ['properties without a type', { properties: {} }, 'object'],
  ['a pattern without a type', { pattern: 'a' }, 'text'],
  ['a minimum without a type', { minimum: 0 }, 'number'],
  ['items without a type', { items: {} }, 'list'],
  ['base64', { type: 'string', contentEncoding: 'base64' }, 'file'],
  ['values that are listed', { enum: ['a', 1] }, 'options'],
  ['a list of values that are listed', { type: 'array', items: { enum: ['a', 'b'] } }, 'several'],
  ['anything', {}, 'json'],
  ['true', true, 'json'],
  ['false', false, 'json'],
  ['a type that JSON has not', { type: 'date' }, 'json'],
  ['types that exclude each other', { allOf: [{ type: 'string' }, { type: 'number' }] }, 'json'],
  ['no value at all', { enum: [] }, 'json'],
  ['what is no schema', [], 'json'],
] as const)
  test(`the field of ${title} is ${kind}`, () => assert.equal(shaped(schema).kind, kind));

test('values that are listed are named by enumNames, by titles, or by themselves', () => {
  assert.deepEqual(optionsOf(shaped({ enum: ['c', 'f'], enumNames: ['Celsius'] })), [
    ['Celsius', '"c"'],
    ['f', '"f"'],
  ]);
  assert.deepEqual(optionsOf(shaped({ oneOf: [{ const: 1, title: 'One' }, { const: 2 }] })), [
    ['One', '1'],
    ['2', '2'],
  ]);
  const many = {
    type: 'array',
    items: {
      anyOf: [
        { const: 'a', title: 'A' },
        { const: 'b', title: 'B' },
      ],
    },
  };
  assert.deepEqual(optionsOf(shaped(many)), [
    ['A', '"a"'],
    ['B', '"b"'],
  ]);
});

test('values with one name have names of their own', () => {
  assert.deepEqual(optionsOf(shaped({ enum: ['a', 'b', 'b'], enumNames: ['X', 'X'] })), [
    ['X ("a")', '"a"'],
    ['X ("b")', '"b"'],
  ]);
});

test('null beside one kind is a state of it, and no choice', () => {
  for (const schema of [
    { type: ['string', 'null'] },
    { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
    { oneOf: [{ const: null }, { type: 'string' }] },
  ]) {
    const shape = shaped(schema);
    assert.deepEqual([shape.kind, shape.nullable], ['text', true]);
  }
  const listed = shaped({ enum: ['a', null] });
  assert.deepEqual([optionsOf(listed), listed.nullable], [[['a', '"a"']], true]);
});

test('a choice names its kinds by title, constant, reference, properties or type', () => {
  const schema = {
    $defs: { Circle: { type: 'object', properties: { r: {} } } },
    oneOf: [
      { title: 'A square', type: 'object' },
      { type: 'object', properties: { kind: { const: 'line' } } },
      { $ref: '#/$defs/Circle' },
      { type: 'object', required: ['x', 'y'] },
      { type: 'array', items: { type: 'string' } },
      { type: 'string', format: 'date' },
      true,
    ],
  };
  assert.deepEqual(variantsOf(shaped(schema)), [
    'A square',
    'line',
    'Circle',
    'with x, y',
    'list of text',
    'text, date',
    'anything',
  ]);
  assert.deepEqual(variantsOf(shaped({ type: ['string', 'integer'] })), ['text', 'whole number']);
});

test('a kind has what stands beside the choice as well', () => {
  const document = schemaDocument({
    type: 'object',
    properties: { a: {} },
    anyOf: [{ required: ['a'] }, { properties: { b: { type: 'string' } }, required: ['b'] }],
  });
  const shape = shapeOf(document, document.root);
  assert.equal(shape.kind, 'choice');
  const second = shape.kind === 'choice' ? shapeOf(document, shape.variants[1]?.schema ?? false) : shape;
  assert.ok(second.kind === 'object');
  assert.deepEqual(
    [...second.properties.values()].map(({ name, required }) => [name, required]),
    [
      ['b', true],
      ['a', false],
    ],
  );
});

test('what all of several schemas demand is one field', () => {
  const document = schemaDocument({
    $defs: { base: { type: 'object', required: ['id'], properties: { id: { type: 'number', minimum: 1 } } } },
    allOf: [{ $ref: '#/$defs/base' }, { properties: { id: { type: 'integer', maximum: 9 }, name: {} } }],
    title: 'Both',
  });
  const shape = shapeOf(document, document.root);
  assert.ok(shape.kind === 'object');
  assert.equal(shape.title, 'Both');
  assert.deepEqual([...shape.properties.keys()], ['id', 'name']);
  const id = shapeOf(document, shape.properties.get('id')?.schema ?? false);
  assert.deepEqual([id.kind, id.hints], ['number', ['a whole number', 'from 1 to 9']]);
});

test('properties of a condition are there, and none of them is required', () => {
  const found = properties({
    type: 'object',
    properties: { kind: {} },
    if: { properties: { kind: { const: 'a' } } },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so.
    then: { required: ['x'], properties: { x: {} } },
    else: { properties: { y: {} } },
    dependentSchemas: { kind: { properties: { z: {} } } },
  });
  assert.deepEqual(
    [...found.values()].map(({ name, required }) => [name, required]),
    ['kind', 'x', 'y', 'z'].map((name) => [name, false]),
  );
});

test('references lead by pointer, anchor and id, and never out of the document', () => {
  const schema = (reference: string): object => ({
    $id: 'https://example.com/root',
    $defs: {
      'a/b': { type: 'number' },
      named: { $anchor: 'here', type: 'boolean' },
      far: { $id: 'far', type: 'null' },
    },
    $ref: reference,
  });
  assert.equal(shaped(schema('#/$defs/a~1b')).kind, 'number');
  assert.equal(shaped(schema('#/%24defs/a~1b')).kind, 'number');
  assert.equal(shaped(schema('https://example.com/root#/$defs/a~1b')).kind, 'number');
  assert.equal(shaped(schema('#here')).kind, 'boolean');
  assert.equal(shaped(schema('far')).kind, 'null');
  for (const [reference, words] of [
    ['https://example.com/other.json', /which is elsewhere: it is not fetched/],
    ['file:///etc/passwd', /which is elsewhere: it is not fetched/],
    ['#/$defs/none', /which it does not have/],
    ['#/__proto__', /which it does not have/],
    ['#/%', /which it does not have/],
  ] as const) {
    const shape = shaped(schema(reference));
    assert.match(shape.kind === 'json' ? (shape.why ?? '') : shape.kind, words);
  }
});

test('a list has first items of their own, and others or none', () => {
  const tuple = shaped({ type: 'array', prefixItems: [{ type: 'number' }, {}], items: false });
  assert.ok(tuple.kind === 'list');
  assert.deepEqual([tuple.first.length, tuple.rest], [2, undefined]);
  const old = shaped({ type: 'array', items: [{}], additionalItems: { type: 'string' } });
  assert.ok(old.kind === 'list');
  assert.deepEqual([old.first.length, old.rest], [1, { type: 'string' }]);
});

test('what a value wants is told in words', () => {
  const hints = (schema: unknown): string => shaped(schema).hints.join('; ');
  assert.equal(hints({ type: 'string', minLength: 1, maxLength: 1 }), 'exactly 1 character');
  assert.equal(hints({ type: 'string', format: 'email', minLength: 3 }), 'an e-mail address; at least 3 characters');
  assert.equal(hints({ type: 'string', format: 'color', pattern: '^#' }), 'format color; matches ^#');
  assert.equal(hints({ type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 }), 'more than 0; a multiple of 0.5');
  assert.equal(hints({ type: 'array', minItems: 1, maxItems: 3, uniqueItems: true }), '1 to 3 items; no item twice');
  assert.equal(hints({ type: 'object', maxProperties: 1, properties: {} }), 'at most 1 property');
});

test('a default is known as JSON, and a constant is one choice', () => {
  assert.equal(shaped({ type: 'string', default: '' }).fallback, '""');
  assert.equal(shaped({ default: null }).fallback, 'null');
  assert.equal(shaped({ type: 'string' }).fallback, undefined);
  assert.deepEqual(optionsOf(shaped({ const: { a: 1 } })), [['{"a":1}', '{"a":1}']]);
});

/** Schemas by which a stranger may try to hang or break a form. */
const hostile: Readonly<Record<string, () => string>> = {
  'a depth of 10,000': () => `${'{"properties":{"a":'.repeat(10_000)}{}${'}}'.repeat(10_000)}`,
  '10,000 lists in lists': () => `${'{"type":"array","items":'.repeat(10_000)}{}${'}'.repeat(10_000)}`,
  'allOf in allOf, 10,000 times': () => `${'{"allOf":['.repeat(10_000)}{}${']}'.repeat(10_000)}`,
  'oneOf in oneOf, 10,000 times': () => `${'{"oneOf":['.repeat(10_000)}{}${']}'.repeat(10_000)}`,
  'oneOf of two, each of two, 25 times': () =>
    JSON.stringify({
      $defs: Object.fromEntries(
        Array.from({ length: 25 }, (_, at) => [
          `d${at}`,
          { oneOf: [{ $ref: `#/$defs/d${at + 1}` }, { allOf: [{ $ref: `#/$defs/d${at + 1}` }] }] },
        ]),
      ),
      $ref: '#/$defs/d0',
    }),
  'a circle of references': () => '{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}',
  'a list of itself': () => '{"type":"array","items":{"$ref":"#"}}',
  'a choice of itself': () => '{"anyOf":[{"$ref":"#"}]}',
  'a choice of itself and itself': () => '{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}',
  'a required property of itself': () => '{"required":["a"],"properties":{"a":{"$ref":"#"}}}',
  'a name of 1 MB': () => JSON.stringify({ title: 'x'.repeat(1e6), properties: { ['y'.repeat(1e6)]: {} } }),
  '10,000 properties': () =>
    JSON.stringify({ properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, {}])) }),
  '10,000 kinds': () => JSON.stringify({ oneOf: Array.from({ length: 10_000 }, (_, at) => ({ title: `k${at}` })) }),
  'a default of 10,000 lists': () => `{"default":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  'a constant of 10,000 lists': () => `{"const":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  'a property __proto__': () => '{"properties":{"__proto__":{"type":"string"}},"required":["__proto__","constructor"]}',
  'properties that are no object': () =>
    '{"type":"object","properties":[1],"required":"a","allOf":{},"oneOf":1,"enum":{}}',
  'keywords of other types': () =>
    '{"type":{"a":1},"title":1,"description":[],"pattern":1,"format":{},"minimum":"x","examples":1,"$ref":1,"items":1}',
};

for (const [name, made] of Object.entries(hostile))
  test(`a schema with ${name} has a shape, and so has each part of it to a depth of 5`, () => {
    const document = schemaDocument(JSON.parse(made()));
    const walk = (schema: Parameters<typeof shapeOf>[1], depth: number): void => {
      const shape = shapeOf(document, schema);
      if (depth === 0) return;
      if (shape.kind === 'object')
        for (const property of [...shape.properties.values()].slice(0, 3)) walk(property.schema, depth - 1);
      if (shape.kind === 'list' && shape.rest !== undefined) walk(shape.rest, depth - 1);
      if (shape.kind === 'choice') for (const variant of shape.variants.slice(0, 2)) walk(variant.schema, depth - 1);
    };
    walk(document.root, 5);
  });

test('a property may be called as what every object has', () => {
  const found = properties(
    JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__","toString"]}'),
  );
  assert.deepEqual(
    [...found.values()].map(({ name, required }) => [name, required]),
    [
      ['__proto__', true],
      ['toString', true],
    ],
  );
});

test('any JSON as a schema has a shape', () => {
  const keywords =
    'type properties items prefixItems allOf oneOf anyOf enum const $ref required $anchor $id format ' +
    'additionalProperties patternProperties default title then minLength';
  const keyword = fc.constantFrom(...keywords.split(' '));
  const schemas = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
    schema: fc.oneof({ maxDepth: 5 }, fc.boolean(), fc.dictionary(keyword, tie('value'), { maxKeys: 4 })),
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom('string', 'object', 'array', 'null', '#', '#/properties/a', '#a', 'a', null, 0, true),
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema'), { maxKeys: 3 }),
      tie('schema'),
    ),
  }));
  fc.assert(
    fc.property(schemas.schema, (schema) => assert.ok(shaped(schema).kind)),
    { numRuns: 300 },
  );
});
