import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callable, problemOf } from './allowed.ts';
import { exampleOf } from './example.ts';

test('a schema that leads to itself at many places has an example all the same', () => {
  const names = Array.from({ length: 30 }, (_, at) => `p${at}`);
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: '#' }]));
  const example = exampleOf({ type: 'object', properties, required: names });
  assert.ok(JSON.stringify(example).length < 1_000_000);
});

test('an example of a schema is its own, its default, a choice, or the smallest of its type', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 8 },
      mail: { type: 'string', format: 'email' },
      size: { enum: ['small', 'large'] },
      count: { type: 'integer', minimum: 3 },
      above: { type: 'number', exclusiveMinimum: 2.5 },
      given: { type: 'string', examples: ['Oslo'] },
      set: { type: 'boolean', default: false },
      list: { type: 'array', items: { $ref: '#/$defs/point' }, minItems: 2 },
      other: { type: 'string' },
    },
    required: ['name', 'mail', 'size', 'count', 'above', 'given', 'set', 'list'],
    $defs: { point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
  };
  assert.deepEqual(exampleOf(schema), {
    name: 'parley..',
    mail: 'parley@example.com',
    size: 'small',
    count: 3,
    above: 3,
    given: 'Oslo',
    set: false,
    list: [{ x: 1 }, { x: 1 }],
  });
});

test('a schema that contains itself has an example, and it need not fit', async () => {
  const schema = {
    $ref: '#/$defs/a',
    $defs: { a: { type: 'object', properties: { b: { $ref: '#/$defs/a' } }, required: ['b'] } },
  };
  assert.notEqual(await problemOf(schema, exampleOf(schema)), undefined);
});

test('a tool whose arguments cannot be guessed is not called, and says why', async () => {
  const tool = {
    name: 'pay',
    inputSchema: { type: 'object', properties: { iban: { type: 'string', pattern: '^NO' } }, required: ['iban'] },
  };
  const offer = { capabilities: {}, tools: [tool], prompts: [], resources: [], templates: [], walks: [] };
  const [guessed] = await callable([{ name: 'pay' }], offer, new Set());
  assert.match(JSON.stringify(guessed), /do not fit its inputSchema: \/iban/);
  const [given] = await callable([{ name: 'pay', args: { iban: 'NO93' } }], offer, new Set());
  assert.deepEqual(given, { name: 'pay', tool, args: { iban: 'NO93' } });
});
