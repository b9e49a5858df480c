import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { env, execPath } from 'node:process';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { SchemaError } from './document.ts';
import { compileSchema, type CompileOptions } from './json-schema.ts';
import type { Problem } from './problem.ts';

const tooMany = 'cannot be checked: the schema asks for too many steps';

async function problems(schema: unknown, value: unknown, options?: CompileOptions): Promise<readonly Problem[]> {
  return (await compileSchema(schema, options)).check(value);
}

/** Whether a value fits; our own schemas and those of peers must agree. */
async function fits(schema: unknown, value: unknown): Promise<boolean> {
  const [own, peer] = [await problems(schema, value, { origin: 'own' }), await problems(schema, value)];
  assert.equal(own.length === 0, peer.length === 0, JSON.stringify({ schema, value, own, peer }));
  return peer.length === 0;
}

test('a schema without $schema is read as 2020-12 [schema-001] [schema-002]', async () => {
  const schema = { prefixItems: [{ type: 'string' }], items: false };
  assert.equal(await fits(schema, ['a']), true);
  assert.equal(await fits(schema, ['a', 1]), false);
});

test('draft-07 ignores what it does not have, and what stands beside $ref [schema-003]', async () => {
  const $schema = 'http://json-schema.org/draft-07/schema#';
  assert.equal(await fits({ $schema, dependentRequired: { a: ['b'] } }, { a: 1 }), true);
  assert.equal(await fits({ $schema, items: [{ type: 'string' }], additionalItems: false }, ['a', 1]), false);
  assert.equal(
    await fits(
      { $schema, properties: { a: { $ref: '#/definitions/s', maxLength: 1 } }, definitions: { s: { type: 'string' } } },
      { a: 'long' },
    ),
    true,
  );
});

test('an unknown dialect is an error that names it [schema-004]', async () => {
  assert.throws(() => compileSchema({ $schema: 'https://json-schema.org/draft/2019-09/schema' }), {
    name: 'SchemaError',
    message: /draft\/2019-09\/schema" is not supported/,
  });
});

test('a malformed keyword is an error that says where [schema-006]', async () => {
  const cases: [unknown, RegExp][] = [
    [{ properties: { a: { minLength: 'x' } } }, /at \/properties\/a: minLength must be a whole number/],
    [{ type: 'text' }, /type "text" is not one of/],
    [{ properties: 5 }, /properties must be an object/],
    [{ items: 5 }, /a number stands where a schema must be/],
    [{ enum: 5 }, /enum must be an array/],
    [{ multipleOf: 0 }, /greater than 0/],
    [{ pattern: '(' }, /"\(" is not a regular expression/],
    [{ required: [1] }, /required must be a string/],
    [{ $id: 'http://[' }, /\$id .* is malformed/],
    [5, /must be an object or a boolean/],
    [null, /must be an object or a boolean/],
  ];
  for (const [schema, message] of cases) assert.throws(() => compileSchema(schema), message);
});

test('an external $ref is refused and never fetched [schema-007] [schema-011] [tools-043]', async (t) => {
  const fetch = t.mock.method(globalThis, 'fetch', () => Promise.reject(new Error('no')));
  for (const $ref of [
    'http://127.0.0.1:1/x.json',
    'https://json-schema.org/draft/2020-12/schema',
    'other.json',
    'file:///etc/passwd',
  ]) {
    assert.throws(
      () => compileSchema({ properties: { a: { $ref } } }),
      /leads out of the schema; external references are never fetched/,
    );
  }
  assert.throws(() => compileSchema({ $ref: '#/$defs/gone' }), /leads to nothing/);
  assert.throws(() => compileSchema({ $ref: '#gone' }), /leads to nothing/);
  assert.throws(() => compileSchema({ $ref: '#/toString' }), /leads to nothing/);
  assert.equal(fetch.mock.callCount(), 0);
});

test('references within the document are followed', async () => {
  const schema = {
    $id: 'https://example.com/root',
    $ref: 'item#name',
    $defs: { item: { $id: 'item', $defs: { name: { $anchor: 'name', type: 'string' } } } },
  };
  assert.equal(await fits(schema, 'a'), true);
  assert.equal(await fits(schema, 1), false);
  const tree = { properties: { children: { items: { $ref: '#' } }, name: { type: 'string' } }, required: ['name'] };
  assert.equal(await fits(tree, { name: 'a', children: [{ name: 'b', children: [] }] }), true);
  assert.equal(await fits(tree, { name: 'a', children: [{ children: [] }] }), false);
});

test('a schema that only a reference leads to is bounded and checked too', async () => {
  const schema = {
    $ref: '#/components/schemas/City',
    components: { schemas: { City: { type: 'string', minLength: 2 } } },
  };
  assert.equal(await fits(schema, 'Rome'), true);
  assert.equal(await fits(schema, 'R'), false);
  assert.throws(() => compileSchema({ $ref: '#/x/y', x: { y: { type: 'city' } } }), /type "city"/);
});

test('every problem is told with its path', async () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 }, 'a/b~c': { items: { const: 1 } } },
    required: ['city', 'unit'],
    additionalProperties: false,
  };
  assert.deepEqual(compileSchema(schema).check({ city: 1, days: 0.5, 'a/b~c': [1, 2], extra: 1 }), [
    { path: '/unit', message: 'is required' },
    { path: '/city', message: 'must be a string' },
    { path: '/days', message: 'must be an integer' },
    { path: '/days', message: 'must be at least 1' },
    { path: '/a~1b~0c/1', message: 'must be 1' },
    { path: '/extra', message: 'is not allowed' },
  ]);
});

test('alternatives tell what the nearest of them misses', async () => {
  const schema = { anyOf: [{ type: 'string', minLength: 5 }, { type: 'number' }] };
  assert.deepEqual(compileSchema(schema).check('abc'), [
    { path: '', message: 'must fit one of 2 alternatives' },
    { path: '', message: 'must have at least 5 characters' },
  ]);
  assert.deepEqual(compileSchema({ oneOf: [true, { type: 'number' }] }).check(1), [
    { path: '', message: 'must fit exactly one of 2 alternatives, and fits 2' },
  ]);
});

test('at most 20 problems are told', async () => {
  assert.equal(
    compileSchema({ items: { type: 'string' } }).check(Array.from({ length: 500 }, (_, index) => index)).length,
    20,
  );
});

test('format is an annotation, and unknown keywords are nothing', async () => {
  assert.equal(await fits({ type: 'string', format: 'email', 'x-mcp-header': 'City', nullable: true }, 'no address'), true);
});

test('names of the prototype of all objects are names like any other', async () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const value: unknown = JSON.parse(`{${JSON.stringify(name)}: 1}`);
    const schema: unknown = JSON.parse(
      `{"properties": {${JSON.stringify(name)}: {"type": "string"}}, "additionalProperties": false}`,
    );
    assert.equal(await fits({ required: [name] }, {}), false, name);
    assert.equal(await fits({ required: [name] }, value), true, name);
    assert.equal(compileSchema(schema).check(value)[0]?.path, `/${name}`);
    assert.equal(await fits(schema, {}), true, name);
    assert.equal(await fits({ additionalProperties: false }, value), false, name);
  }
  assert.equal(({} as Record<string, unknown>)['1'], undefined);
});

test('numbers are multiples in decimal arithmetic', async () => {
  assert.equal(await fits({ multipleOf: 0.01 }, 19.99), true);
  assert.equal(await fits({ multipleOf: 0.1 }, 0.35), false);
  assert.equal(await fits({ multipleOf: 1e-8 }, 12_391_239_123), true);
  assert.equal(await fits({ multipleOf: 0.123456789 }, 1e308), false);
});

test('a schema that nests too deep, or has too many parts, is refused [schema-012]', async () => {
  let deep: unknown = { type: 'string' };
  for (let level = 0; level < 65; level++) deep = { items: deep };
  assert.throws(() => compileSchema(deep), /nests deeper than 64 levels/);
  const wide = { anyOf: Array.from({ length: 20_000 }, () => ({ type: 'string' })) };
  assert.throws(() => compileSchema(wide), /more than 10000 subschemas/);
  const cyclic: Record<string, unknown> = {};
  cyclic['not'] = { not: cyclic };
  assert.doesNotThrow(() => compileSchema(cyclic));
  assert.equal(compileSchema(cyclic).check(1)[0]?.message, 'cannot be checked: the schema asks for too many steps');
});

test('a schema that recurs without end cannot hang or crash a check [schema-012]', async () => {
  const cases: unknown[] = [
    { $ref: '#' },
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
    { not: { $ref: '#' } },
    { $dynamicRef: '#x', $dynamicAnchor: 'x' },
  ];
  for (const schema of cases) {
    assert.deepEqual(compileSchema(schema).check(1), [
      { path: '', message: 'cannot be checked: the schema asks for too many steps' },
    ]);
  }
});

test('a schema that doubles its work at every step runs out of budget [schema-012]', async () => {
  const $defs: Record<string, unknown> = { a0: { type: 'string' } };
  for (let level = 1; level <= 60; level++)
    $defs[`a${level}`] = { allOf: [{ $ref: `#/$defs/a${level - 1}` }, { $ref: `#/$defs/a${level - 1}` }] };
  const doubling = { $ref: '#/$defs/a60', $defs };
  assert.match(compileSchema(doubling).check('x')[0]?.message ?? '', /too many steps/);

  const byInstance = { properties: { n: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } };
  let value: unknown = {};
  for (let level = 0; level < 100; level++) value = { n: value };
  assert.match(compileSchema(byInstance).check(value)[0]?.message ?? '', /too many steps/);
});

test('the budget is spent on the value too, and can be set', async () => {
  const items = Array.from({ length: 1000 }, (_, index) => ({ index }));
  assert.deepEqual(compileSchema({ uniqueItems: true }).check(items), []);
  assert.match(
    compileSchema({ uniqueItems: true }, { limits: { steps: 100 } }).check(items)[0]?.message ?? '',
    /too many steps/,
  );
});

test('many repeated items cost no more than few', async () => {
  const items = Array.from({ length: 200_000 }, () => 1);
  assert.deepEqual(compileSchema({ uniqueItems: true }).check(items), [
    { path: '/1', message: 'must not repeat item 0' },
  ]);
});

test('a check works where making code from text is forbidden', async () => {
  const program = `
    const { compileSchema } = await import(${JSON.stringify(new URL('json-schema.ts', import.meta.url).href)});
    process.stdout.write(JSON.stringify(compileSchema({ type: 'object', required: ['a'] }).check({})));`;
  const output = execFileSync(
    execPath,
    ['--disallow-code-generation-from-strings', '--input-type=module', '-e', program],
    { encoding: 'utf8' },
  );
  assert.equal(output, '[{"path":"/a","message":"is required"}]');
});

test('every failure of a keyword is a SchemaError, whatever the schema holds', async () => {
  fc.assert(
    fc.property(schemaLike, fc.jsonValue(), (schema, value) => {
      try {
        compileSchema(schema).check(value);
      } catch (error) {
        assert.ok(error instanceof SchemaError, String(error));
      }
    }),
  );
});

// Without unevaluatedItems and unevaluatedProperties, where ajv counts what failed alternatives looked at.
test('a check agrees with ajv', async () => {
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
  fc.assert(
    fc.property(validSchema, smallValue, (made, value) => {
      // Ajv does not know objects without prototype, which the generator makes too.
      const schema: object | boolean = JSON.parse(JSON.stringify(made));
      assert.equal(
        fits(schema, value),
        ajv.validate(schema, JSON.parse(JSON.stringify(value))),
        JSON.stringify({ schema, value }),
      );
    }),
    { numRuns: Number(env['AJV_RUNS'] ?? 300) },
  );
});

/** Objects of keywords with any values, mostly wrong ones. */
const schemaLike = fc.dictionary(
  fc.constantFrom(
    ...'$ref $id $anchor $schema $dynamicRef type enum const minimum multipleOf maxLength pattern items prefixItems contains properties'.split(
      ' ',
    ),
    ...'patternProperties additionalProperties required dependentRequired dependentSchemas allOf anyOf not if then $defs'.split(
      ' ',
    ),
  ),
  fc.oneof(fc.jsonValue(), fc.constantFrom('#', '#/$defs', 'string', 'a', [{}], { a: {} }, { a: { type: 'string' } })),
);

const smallValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom(null, true, 0, 1, 2, 2.5, '', 'a', 'ab', 'abc'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

const validSchema = fc.letrec((tie) => {
  const schema = tie('schema');
  const schemas = fc.array(schema, { minLength: 1, maxLength: 3 });
  const small = fc.integer({ min: 0, max: 3 });
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 });
  const byName = fc.dictionary(fc.constantFrom('a', 'b', 'c'), schema, { maxKeys: 3 });
  const keywords = fc.record(
    {
      type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object', ['string', 'null']),
      enum: fc.uniqueArray(smallValue, {
        minLength: 1,
        maxLength: 3,
        comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
      }),
      const: smallValue,
      minimum: small,
      exclusiveMaximum: small,
      multipleOf: fc.constantFrom(1, 2, 0.5),
      minLength: small,
      maxLength: small,
      pattern: fc.constantFrom('^a', 'b$', '^(a|b)+$', 'a{2}'),
      minItems: small,
      maxItems: small,
      uniqueItems: fc.boolean(),
      prefixItems: schemas,
      items: schema,
      contains: schema,
      minContains: small,
      properties: byName,
      patternProperties: fc.dictionary(fc.constantFrom('^a', 'b|c'), schema, { maxKeys: 2 }),
      additionalProperties: schema,
      propertyNames: schema,
      required: names,
      minProperties: small,
      maxProperties: small,
      dependentRequired: fc.dictionary(fc.constantFrom('a', 'b'), names, { maxKeys: 2 }),
      dependentSchemas: byName,
      allOf: schemas,
      anyOf: schemas,
      oneOf: schemas,
      ...Object.fromEntries(['not', 'if', 'then', 'else'].map((keyword) => [keyword, schema])),
    },
    { requiredKeys: [] },
  );
  return { schema: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.boolean(), keywords.map(thin)) };
}).schema;

/** Keeps only a few keywords, so that schemas say yes now and then. */
function thin(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter((_, index) => index % 6 === Object.keys(schema).length % 6));
}
