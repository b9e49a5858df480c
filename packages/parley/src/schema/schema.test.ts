import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { Ajv } from 'ajv';
import { type } from 'arktype';
import * as v from 'valibot';
import * as z from 'zod';
import type { AnySchema } from './infer.ts';
import { toInputSchema, toOutputSchema } from './schema.ts';

const plain = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], 'x-kept': true } as const;
const libraries: Record<string, AnySchema> = {
  zod: z.object({ city: z.string(), days: z.number().default(3) }),
  arktype: type({ city: 'string', days: 'number = 3' }),
  valibot: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 3) })),
};

for (const [name, schema] of Object.entries(libraries)) {
  test(`a schema of ${name} is listed as JSON Schema and fills defaults in`, async () => {
    const { json, validate } = toInputSchema(schema);
    assert.equal(json['type'], 'object');
    assert.deepEqual(json['required'], ['city']);
    assert.deepEqual(await validate({ city: 'Rome' }), { value: { city: 'Rome', days: 3 } });
  });

  test(`a schema of ${name} does not name the dialect that is meant anyway, and is read by a validator of draft-07`, () => {
    const { json } = toInputSchema(schema);
    assert.equal('$schema' in json, false);
    assert.equal(new Ajv().compile(json)({ city: 'Rome', days: 3 }), true);
  });

  test(`a schema of ${name} says with a path what does not fit`, async () => {
    const checked = await toInputSchema(schema).validate({ city: 7 });
    assert.deepEqual(
      checked.problems?.map(({ path }) => path),
      ['/city'],
    );
  });
}

test('JSON Schema is listed as the object that was given [schema-013]', () => {
  assert.equal(toInputSchema(plain).json, plain);
  assert.equal(toOutputSchema(plain).json, plain);
});

test('JSON Schema checks values', async () => {
  const { validate } = toInputSchema(plain);
  assert.deepEqual(await validate({ city: 'Rome' }), { value: { city: 'Rome' } });
  assert.deepEqual(await validate({}), { problems: [{ path: '/city', message: 'is required' }] });
});

test('absent arguments count as an empty object', async () => {
  assert.deepEqual(await toInputSchema({ type: 'object' }).validate(undefined), { value: {} });
  assert.deepEqual(await toInputSchema(z.object({ a: z.string().default('x') })).validate(undefined), {
    value: { a: 'x' },
  });
});

test('a schema is converted once, when it is resolved', async () => {
  let conversions = 0;
  const convert = (): Record<string, unknown> => {
    conversions++;
    return { type: 'object' };
  };
  const { validate } = toInputSchema({
    '~standard': {
      version: 1,
      vendor: 'own',
      validate: (value) => ({ value }),
      jsonSchema: { input: convert, output: convert },
    },
  });
  await validate({});
  await validate({});
  assert.equal(conversions, 1);
});

test('a library may take its time to check', async () => {
  const slow = z.object({ a: z.string().refine(async (a) => Promise.resolve(a === 'x')) });
  assert.deepEqual(await toInputSchema(slow).validate({ a: 'x' }), { value: { a: 'x' } });
  assert.equal((await toInputSchema(slow).validate({ a: 'y' })).problems?.[0]?.path, '/a');
});

test('the handler gets what transforms make; the listing shows what to send', async () => {
  const schema = z.object({ n: z.string().transform(Number) });
  const { json, validate } = toInputSchema(schema);
  assert.deepEqual(json['properties'], { n: { type: 'string' } });
  assert.deepEqual(await validate({ n: '7' }), { value: { n: 7 } });
});

test('an output schema may have any root [tools-010]', async () => {
  assert.equal(toOutputSchema(z.array(z.number())).json['type'], 'array');
  assert.deepEqual(await toOutputSchema({ type: 'number' }).validate(1), { value: 1 });
  assert.deepEqual(toOutputSchema(z.object({ a: z.string().default('x') })).json['required'], ['a']);
});

test('an input schema must be an object at its root [tools-008]', () => {
  assert.throws(() => toInputSchema(z.string()), {
    name: 'TypeError',
    message: /must have "type": "object" at its root; this one has "string"/,
  });
  assert.throws(() => toInputSchema({ properties: {} }), /this one has no type/);
  assert.throws(() => toInputSchema({ type: ['object', 'null'] }), /"object","null"/);
});

test('a union of objects is an object', () => {
  const union = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
  assert.equal(toInputSchema(union).json['type'], 'object');
  assert.throws(() => toInputSchema(z.union([z.object({}), z.string()])), /no type/);
});

test('a schema without JSON Schema side is an error that says what to use', () => {
  // The type checker refuses it as well.
  assert.throws(
    () => toInputSchema(v.object({}) as never),
    /valibot schema has no JSON Schema side .*toStandardJsonSchema of @valibot\/to-json-schema/,
  );
  const unknown = { '~standard': { version: 1, vendor: 'other', validate: () => ({ value: 1 }) } };
  assert.throws(
    () => toInputSchema(unknown as never),
    /use a library with Standard JSON Schema, or give JSON Schema itself/,
  );
});

test('what a library cannot write as JSON Schema is an error with its reason', () => {
  assert.throws(
    () => toOutputSchema(z.date()),
    (error) =>
      error instanceof TypeError && /output side of the zod schema/.test(error.message) && error.cause instanceof Error,
  );
});

test('a problem of the whole value has an empty path in every library', async () => {
  const whole: Record<string, AnySchema> = {
    zod: z.object({ city: z.string() }).refine(() => false),
    arktype: type({ city: 'string' }).narrow((_, context) => context.mustBe('other')),
    valibot: toStandardJsonSchema(v.strictObject({ city: v.string() })),
  };
  for (const [name, schema] of Object.entries(whole)) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const checked = await toInputSchema(schema).validate(name === 'valibot' ? 5 : { city: 'x' });
    assert.equal(checked.problems?.[0]?.path, '', name);
  }
});

test('a malformed JSON Schema is a TypeError when it is defined', () => {
  assert.throws(() => toInputSchema({ type: 'object', properties: { a: { $ref: 'http://x.test/' } } }), TypeError);
  for (const schema of [5, null, 'string', []]) assert.throws(() => toInputSchema(schema as never), TypeError);
});
