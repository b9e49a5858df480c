import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { env, execPath } from 'node:process';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { fits, problems, tooMany } from '../../../../test/support/schema-fits.ts';
import { SchemaDocument, SchemaError } from './document.ts';
import { compileSchema } from './json-schema.ts';

test('a schema without $schema is read as 2020-12 [schema-001] [schema-002]', async () => {
  const schema = { prefixItems: [{ type: 'string' }], items: false };
  assert.equal(await fits(schema, ['a']), true);
  assert.equal(await fits(schema, ['a', 1]), false);
});

test('draft-07 ignores what it does not have, and what stands beside $ref [schema-003]', async () => {
  const $schema = 'http://json-schema.org/draft-07/schema#';
  assert.equal(await fits({ $schema, dependentRequired: { a: ['b'] } }, { a: 1 }), true);
  assert.equal(await fits({ $schema, items: [{ type: 'string' }], additionalItems: false }, ['a', 1]), false);
  const beside = {
    $schema,
    properties: { a: { $ref: '#/definitions/s', maxLength: 1 } },
    definitions: { s: { type: 'string' } },
  };
  assert.equal(await fits(beside, { a: 'long' }), true);
});

test('an unknown dialect is an error that names it [schema-004]', async () => {
  await assert.rejects(compileSchema({ $schema: 'https://json-schema.org/draft/2019-09/schema' }), {
    name: 'SchemaError',
    message: /draft\/2019-09\/schema" is not supported/,
  });
});

test('a malformed keyword is an error that says where [schema-006]', () => {
  const cases: [unknown, RegExp][] = [
    [{ properties: { a: { minLength: 'x' } } }, /at \/properties\/a: minLength must be a whole number/],
    [{ type: 'text' }, /type must be one of array, boolean, .*, or a list of them/],
    [{ properties: 5 }, /properties must be an object of schemas/],
    [{ items: 5 }, /items must be a schema/],
    [{ items: [true] }, /items must be a schema, or a list of schemas in draft-07/],
    [{ allOf: [5] }, /allOf must be a list of schemas/],
    [{ enum: 5 }, /enum must be an array/],
    [{ multipleOf: 0 }, /greater than 0/],
    [{ pattern: '(' }, /pattern must be a regular expression/],
    [{ patternProperties: { '(': true } }, /patternProperties must be .* by regular expression/],
    [{ required: [1] }, /required must be a list of strings/],
    [{ exclusiveMinimum: true }, /exclusiveMinimum must be a number/],
    [{ $ref: 5 }, /\$ref must be a string/],
    [{ $id: 'http://[' }, /\$id .* is malformed/],
    [{ $ref: '#/$defs', $defs: [] }, /\$defs must be an object/],
    [{ $ref: '#/x', x: [] }, /leads to something that is no schema/],
    [5, /must be an object or a boolean/],
    [null, /must be an object or a boolean/],
  ];
  for (const [schema, message] of cases) assert.throws(() => new SchemaDocument(schema), message);
});

test('an external $ref is refused and never fetched [schema-007] [schema-011] [tools-043]', (t) => {
  const fetch = t.mock.method(globalThis, 'fetch', () => Promise.reject(new Error('no')));
  for (const $ref of [
    'http://127.0.0.1:1/x.json',
    'https://json-schema.org/draft/2020-12/schema',
    'other.json',
    'file:///etc/passwd',
  ]) {
    assert.throws(() => new SchemaDocument({ properties: { a: { $ref } } }), {
      message: `$ref ${JSON.stringify($ref)} leads out of the schema; external references are never fetched`,
    });
  }
  for (const $ref of ['#/$defs/gone', '#gone', '#/toString'])
    assert.throws(() => new SchemaDocument({ $ref }), /leads to nothing/);
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
  const inherited = { $ref: '#/$defs/constructor', $defs: { constructor: { type: 'string' } } };
  assert.equal(await fits(inherited, 'a'), true);
});

test('a schema that only a reference leads to is bounded and checked too', async () => {
  const schema = {
    $ref: '#/components/schemas/City',
    components: { schemas: { City: { type: 'string', minLength: 2 } } },
  };
  assert.equal(await fits(schema, 'Rome'), true);
  assert.equal(await fits(schema, 'R'), false);
  assert.throws(() => new SchemaDocument({ $ref: '#/x/y', x: { y: { type: 'city' } } }), /at \/x\/y: type must be/);
});

test('a dynamic reference leads to the outermost schema with its anchor', async () => {
  const list = {
    $id: 'https://example.com/list',
    items: { $dynamicRef: '#item' },
    $defs: { any: { $dynamicAnchor: 'item' } },
  };
  const texts = {
    $id: 'https://example.com/texts',
    $ref: 'list',
    $defs: { list, text: { $dynamicAnchor: 'item', type: 'string' } },
  };
  assert.equal(await fits(list, [1]), true);
  assert.equal(await fits(texts, ['a']), true);
  assert.equal(await fits(texts, [1]), false);
  assert.equal(await fits({ allOf: [texts, { items: { $ref: 'https://example.com/list' } }] }, ['a']), true);
});

test('every problem is told with its path', async () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 }, 'a/b~c': { items: { const: 1 } } },
    required: ['city', 'unit'],
    additionalProperties: false,
  };
  for (const origin of ['own', 'peer'] as const) {
    assert.deepEqual(await problems(schema, { city: 1, days: 0.5, 'a/b~c': [1, 2], extra: 1 }, { origin }), [
      { path: '/unit', message: 'is required' },
      { path: '/extra', message: 'is not allowed' },
      { path: '/city', message: 'must be string' },
      { path: '/days', message: 'must be integer' },
      { path: '/days', message: 'must be >= 1' },
      { path: '/a~1b~0c/1', message: 'must be 1' },
    ]);
  }
});

test('a problem names the values that would fit', async () => {
  const schema = {
    properties: { unit: { enum: ['C', 'F'] }, code: { pattern: '^[a-z]+$' } },
    unevaluatedProperties: { const: { a: 1 } },
  };
  assert.deepEqual(await problems(schema, { unit: 'K', code: 'A', other: 1 }), [
    { path: '/unit', message: 'must be one of "C", "F"' },
    { path: '/code', message: 'must match the pattern ^[a-z]+$' },
    { path: '/other', message: 'is not allowed' },
  ]);
});

test('at most 20 problems are told', async () => {
  const values = Array.from({ length: 500 }, (_, index) => index);
  const told = await problems({ items: { required: values.map(String) } }, [{}, ...values]);
  assert.equal(told.length, 20);
  const many = await problems({ items: { type: 'string' } }, values);
  assert.ok(many.length > 1 && many.length <= 20);
});

test('format is an annotation, and unknown keywords are nothing', async () => {
  const schema = { type: 'string', format: 'email', 'x-mcp-header': 'City', nullable: true, '~refine': 1 };
  assert.equal(await fits(schema, 'no address'), true);
  assert.equal(await fits({ $recursiveRef: '#/gone', additionalItems: false, title: 5 }, [1]), true);
});

test('names of the prototype of all objects are names like any other', async () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const value: unknown = JSON.parse(`{${JSON.stringify(name)}: 1}`);
    const schema: unknown = JSON.parse(
      `{"properties": {${JSON.stringify(name)}: {"type": "string"}}, "additionalProperties": false}`,
    );
    assert.equal(await fits({ required: [name] }, {}), false, name);
    assert.equal(await fits({ required: [name] }, value), true, name);
    assert.equal(await fits({ dependentRequired: { a: [name] } }, { a: 1 }), false, name);
    assert.equal(await fits({ dependentSchemas: { [name]: false } }, { a: 1 }), true, name);
    assert.equal((await problems(schema, value))[0]?.path, `/${name}`);
    assert.equal(await fits(schema, {}), true, name);
    assert.equal(await fits({ additionalProperties: false }, value), false, name);
  }
  assert.equal(({} as Record<string, unknown>)['1'], undefined);
});

test('a property that is undefined is not there, as it is not when it is sent', async () => {
  assert.equal(await fits({ required: ['a'] }, { a: undefined }), false);
  assert.equal(await fits({ additionalProperties: false }, { a: undefined }), true);
});

test('numbers are multiples in decimal arithmetic', async () => {
  assert.equal(await fits({ multipleOf: 0.01 }, 19.99), true);
  assert.equal(await fits({ multipleOf: 0.1 }, 0.35), false);
  assert.equal(await fits({ multipleOf: 1e-8 }, 12_391_239_123), true);
  assert.equal(await fits({ multipleOf: 0.123456789 }, 1e308), false);
});

test('items are equal as JSON, not by a hash', async () => {
  assert.equal(await fits({ uniqueItems: true }, [[[1], 2], [[1, 2]]]), true);
  assert.equal(await fits({ uniqueItems: true }, [0, -0]), false);
  assert.equal(
    await fits({ uniqueItems: true }, [
      { a: 1, b: [{}] },
      { b: [{}], a: 1 },
    ]),
    false,
  );
});

test('what a failed or negated subschema looked at stays unevaluated', async () => {
  const failed = {
    if: { properties: { a: { const: 1 } } },
    properties: { a: true, b: true },
    unevaluatedProperties: false,
  };
  assert.equal(await fits(failed, { a: 2, b: 1 }), true);
  const contains = { contains: { type: 'array', prefixItems: [true, true] }, unevaluatedItems: false };
  assert.equal(await fits(contains, [[1, 2], 5]), false);
  assert.equal(await fits({ contains: { type: 'number' }, unevaluatedProperties: false }, [1]), true);
  const pairs = { unevaluatedItems: { type: 'array', prefixItems: [true, true] } };
  assert.equal(await fits(pairs, [[1, 2], 5]), false);
  const members = { unevaluatedProperties: { type: 'object', properties: { b: true } } };
  assert.equal(await fits(members, { a: { b: 1 }, b: 5 }), false);
  const negated = { not: { properties: { a: { type: 'string' } }, items: false }, unevaluatedProperties: false };
  assert.equal(await fits(negated, { a: 1 }), false);
});

test('no schema is made into code', async (t) => {
  const make = t.mock.method(globalThis, 'Function');
  for (const origin of ['own', 'peer'] as const)
    assert.equal((await problems({ type: 'string' }, 1, { origin })).length, 1);
  assert.equal(make.mock.callCount(), 0);
});

test('a check works where making code from text is forbidden', () => {
  const program = `
    const { compileSchema } = await import(${JSON.stringify(new URL('json-schema.ts', import.meta.url).href)});
    const { check } = await compileSchema({ type: 'object', required: ['a'] }, { origin: 'own' });
    const bounded = await compileSchema({ uniqueItems: true }, { origin: 'own', limits: { steps: 1 } });
    process.stdout.write(JSON.stringify([check({}), check({ a: 1 }), bounded.check([1, 2])[0].message]));`;
  const output = execFileSync(
    execPath,
    ['--disallow-code-generation-from-strings', '--input-type=module', '-e', program],
    { encoding: 'utf8' },
  );
  assert.deepEqual(JSON.parse(output), [[{ path: '/a', message: 'is required' }], [], tooMany]);
});

test('every failure of a keyword is a SchemaError, whatever the schema holds', async () => {
  await fc.assert(
    fc.asyncProperty(schemaLike, fc.jsonValue(), async (schema, value) => {
      try {
        await problems(schema, value);
      } catch (error) {
        assert.ok(error instanceof SchemaError, String(error));
      }
    }),
  );
});

// Without unevaluatedItems and unevaluatedProperties, where ajv counts what failed alternatives looked at.
test('a check agrees with ajv', async () => {
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
  await fc.assert(
    fc.asyncProperty(validSchema, smallValue, async (made, value) => {
      // Ajv does not know objects without prototype, which the generator makes too.
      const schema: object | boolean = JSON.parse(JSON.stringify(made));
      const negotiated = verdictOf(ajv, schema, JSON.parse(JSON.stringify(value)));
      fc.pre(negotiated !== undefined);
      assert.equal(await fits(schema, value), negotiated, JSON.stringify({ schema, value }));
    }),
    { numRuns: Number(env['AJV_RUNS'] ?? 300) },
  );
});

/** What ajv says; nothing where the code that it makes of a schema is wrong, as for patternProperties beside some anyOf. */
function verdictOf(ajv: Ajv2020, schema: object | boolean, value: unknown): boolean | undefined {
  const validate = ajv.compile(schema);
  try {
    return validate(value);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

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

test('a keyword is read once, however many values it is told of', async () => {
  let read = 0;
  const wanted = new Proxy(['a', 'b'], {
    get(list, name, proxy) {
      if (name === 'filter') read++;
      return Reflect.get(list, name, proxy) as unknown;
    },
  });
  const { check } = await compileSchema({ items: { enum: wanted } }, { origin: 'own' });
  const before = read;
  assert.deepEqual(check([...Array.from({ length: 1000 }, () => 'a'), 'c']), [
    { path: '/1000', message: 'must be one of "a", "b"' },
  ]);
  assert.equal(read, before);
});

test('what is told of a long keyword is short', async () => {
  const names = Array.from({ length: 100_000 }, (_, at) => `name-${at}`);
  const told = [
    ...(await problems({ dependentRequired: { a: names } }, { a: 1 })),
    ...(await problems({ type: Array.from({ length: 100_000 }, () => 'string') }, 1)),
    ...(await problems({ const: names }, 1)),
  ];
  assert.equal(told.length, 3);
  for (const { message } of told) assert.ok(message.length <= 500, `${message.length} characters`);
});
