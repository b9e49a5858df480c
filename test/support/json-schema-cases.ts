/** What each keyword of JSON Schema means, in cases of our own: values that fit a schema and values that do not. */

/** A schema, what fits it and what does not. */
export interface Case {
  readonly schema: boolean | Readonly<Record<string, unknown>>;
  readonly fits: readonly unknown[];
  readonly refuses: readonly unknown[];
  /** Ajv, which judges the other cases, reads the schema otherwise than the official suite does. */
  readonly disputed?: true;
}

/** An own key that an object literal would take for its prototype. */
const proto = (value: unknown): object => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`);

/** Cases that both dialects agree on. */
export const inBoth: readonly Case[] = [
  { schema: true, fits: [null, 1, {}], refuses: [] },
  { schema: false, fits: [], refuses: [null, 1, {}] },
  { schema: {}, fits: [null, 1, 'a', [], {}], refuses: [] },
  {
    schema: { title: 'a', description: 'b', default: 5, examples: [1], unknown: { type: 'string' } },
    fits: [1],
    refuses: [],
  },

  { schema: { type: 'string' }, fits: ['', 'a'], refuses: [1, null, [], {}, true] },
  { schema: { type: 'integer' }, fits: [1, -1, 0, 1.0, 1e20], refuses: [1.5, '1', true, null] },
  { schema: { type: 'number' }, fits: [1, 1.5, -0], refuses: ['1', true, null] },
  { schema: { type: 'boolean' }, fits: [true, false], refuses: [0, 1, 'true', null] },
  { schema: { type: 'null' }, fits: [null], refuses: [0, '', false, {}] },
  { schema: { type: 'array' }, fits: [[], [1]], refuses: [{}, 'a', { length: 0 }] },
  { schema: { type: 'object' }, fits: [{}, { a: 1 }], refuses: [[], null, 'a'] },
  { schema: { type: ['string', 'null'] }, fits: ['a', null], refuses: [1, {}] },
  { schema: { type: [] }, fits: [], refuses: [1, null], disputed: true },
  { schema: { enum: [] }, fits: [], refuses: [1, null], disputed: true },

  { schema: { const: 1 }, fits: [1, 1.0], refuses: [2, '1', true] },
  {
    schema: { const: { a: [1, { b: null }] } },
    fits: [{ a: [1, { b: null }] }],
    refuses: [{ a: [1, {}] }, {}, { a: [1, { b: null }], c: 1 }],
  },
  { schema: { const: { a: 1, b: 2 } }, fits: [{ b: 2, a: 1 }], refuses: [{ a: 1 }, [1, 2]] },
  { schema: { const: 0 }, fits: [0, -0], refuses: [false, null, ''] },
  { schema: { const: null }, fits: [null], refuses: [0, {}] },
  {
    schema: { enum: ['a', 1, null, [0], { b: false }] },
    fits: ['a', 1, null, [0], { b: false }],
    refuses: ['A', '1', [false], { b: 0 }],
  },

  { schema: { minimum: 1.5 }, fits: [1.5, 2, 'a', null], refuses: [1.4, 0, -1] },
  { schema: { maximum: -1 }, fits: [-1, -2, []], refuses: [-0.5, 0, 1] },
  { schema: { exclusiveMinimum: 0 }, fits: [0.1, 'a'], refuses: [0, -1] },
  { schema: { exclusiveMaximum: 3 }, fits: [2.9, {}], refuses: [3, 4] },
  { schema: { multipleOf: 2 }, fits: [4, 0, -2, 'a'], refuses: [1, 3, 4.5] },
  { schema: { multipleOf: 0.01 }, fits: [0.07, 19.99, 4.35], refuses: [0.0075, 1.001] },

  { schema: { minLength: 2 }, fits: ['ab', 1, []], refuses: ['a', '', '😀'] },
  { schema: { maxLength: 2 }, fits: ['ab', '😀😀', 100], refuses: ['abc', '😀😀😀'] },
  { schema: { pattern: '^a+$' }, fits: ['a', 'aaa', 1], refuses: ['', 'ba'] },
  { schema: { pattern: 'b' }, fits: ['abc'], refuses: ['ac'] },
  { schema: { pattern: '^\\S$' }, fits: ['é', '😀'], refuses: ['ab', ' '] },
  { schema: { format: 'email' }, fits: ['a@b.example', 1], refuses: [] },

  { schema: { minItems: 1 }, fits: [[1], 'a', {}], refuses: [[]] },
  { schema: { maxItems: 1 }, fits: [[], [1], 'abc'], refuses: [[1, 2]] },
  {
    schema: { uniqueItems: true },
    fits: [[], [1, '1', true], [[1], [2]], [{ a: 1 }, { a: 2 }], [0, false, null, '']],
    refuses: [
      [1, 1.0],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [[1], [1]],
    ],
  },
  { schema: { uniqueItems: false }, fits: [[1, 1]], refuses: [] },
  { schema: { items: { type: 'integer' } }, fits: [[], [1, 2], 'a', { 0: 'a' }], refuses: [[1, 'a'], [null]] },
  { schema: { items: false }, fits: [[], {}], refuses: [[1]] },
  { schema: { items: { items: { maxLength: 1 } } }, fits: [[['a'], []], [1]], refuses: [[['ab']]] },
  { schema: { contains: { minimum: 5 } }, fits: [[1, 5], [6], 'a'], refuses: [[], [1, 4]] },
  { schema: { contains: false }, fits: [{}, 'a'], refuses: [[], [1]] },

  { schema: { minProperties: 1 }, fits: [{ a: 1 }, [], 'a'], refuses: [{}] },
  { schema: { maxProperties: 1 }, fits: [{}, { a: 1 }, [1, 2]], refuses: [{ a: 1, b: 2 }] },
  { schema: { required: ['a'] }, fits: [{ a: null }, { a: 1, b: 2 }, [], 'a'], refuses: [{}, { b: 1 }] },
  { schema: { required: [] }, fits: [{}], refuses: [] },
  {
    schema: { required: ['toString', 'constructor'] },
    fits: [{ toString: 1, constructor: 2 }, 1],
    refuses: [{}, { toString: 1 }],
  },
  { schema: { required: ['__proto__'] }, fits: [proto(1)], refuses: [{}] },
  {
    schema: { properties: { a: { type: 'string' }, b: false } },
    fits: [{}, { a: 'x' }, { c: 1 }, [1], 'a'],
    refuses: [{ a: 1 }, { b: 1 }],
  },
  {
    schema: { properties: { constructor: { type: 'number' } } },
    fits: [{}, { constructor: 1 }],
    refuses: [{ constructor: 'a' }],
  },
  { schema: { properties: proto({ type: 'number' }) }, fits: [{}, proto(1)], refuses: [proto('a')], disputed: true },
  {
    schema: { properties: { 'a/b': { type: 'number' }, 'c"d\n': { type: 'number' } } },
    fits: [{ 'a/b': 1 }],
    refuses: [{ 'a/b': 'x' }, { 'c"d\n': 'x' }],
  },
  {
    schema: { patternProperties: { '^x-': { type: 'number' }, a$: { minimum: 2 } } },
    fits: [{ 'x-b': 1, c: 'd' }, { 'x-a': 2 }, []],
    refuses: [{ 'x-b': 'a' }, { 'x-a': 1 }],
  },
  { schema: { additionalProperties: false }, fits: [{}, [1], 'a'], refuses: [{ a: 1 }] },
  {
    schema: { properties: { a: {} }, patternProperties: { '^b': {} }, additionalProperties: { type: 'boolean' } },
    fits: [{ a: 1, bc: 2, d: true }],
    refuses: [{ d: 1 }],
  },
  { schema: { allOf: [{ properties: { a: {} } }], additionalProperties: false }, fits: [{}], refuses: [{ a: 1 }] },
  { schema: { propertyNames: { maxLength: 2 } }, fits: [{}, { ab: 1 }, 'abc'], refuses: [{ abc: 1 }] },
  { schema: { propertyNames: false }, fits: [{}, []], refuses: [{ a: 1 }] },

  {
    schema: { dependencies: { a: ['b'], c: { maxProperties: 1 }, d: false } },
    fits: [{}, { a: 1, b: 1 }, { c: 1 }, []],
    refuses: [{ a: 1 }, { c: 1, b: 1 }, { d: 1 }],
  },

  { schema: { allOf: [{ minimum: 1 }, { maximum: 3 }] }, fits: [1, 3, 'a'], refuses: [0, 4] },
  { schema: { anyOf: [{ type: 'string' }, { minimum: 5 }] }, fits: ['a', 5, null], refuses: [4] },
  { schema: { anyOf: [false, true] }, fits: [1], refuses: [] },
  { schema: { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, fits: [2, 3, 4], refuses: [6, 1] },
  { schema: { oneOf: [true, true] }, fits: [], refuses: [1] },
  { schema: { not: { type: 'string' } }, fits: [1, null], refuses: ['a'] },
  { schema: { not: { not: { const: 1 } } }, fits: [1], refuses: [2] },
  { schema: { not: {} }, fits: [], refuses: [1, {}] },
  {
    schema: { if: { minimum: 10 }, then: { multipleOf: 10 }, else: { multipleOf: 2 } },
    fits: [10, 20, 2, 'a'],
    refuses: [11, 3],
  },
  { schema: { if: { const: 1 }, else: { const: 2 } }, fits: [1, 2], refuses: [3] },
  { schema: { then: false, else: false }, fits: [1], refuses: [] },
  { schema: { if: false }, fits: [1], refuses: [] },

  { schema: { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, fits: ['a'], refuses: [1] },
  { schema: { $ref: '#/definitions/a', definitions: { a: { type: 'string' } } }, fits: ['a'], refuses: [1] },
  {
    schema: { properties: { a: { $ref: '#' } }, additionalProperties: false },
    fits: [{ a: { a: {} } }, 1],
    refuses: [{ a: { b: 1 } }],
  },
  {
    schema: { properties: { a: { type: 'string' }, b: { $ref: '#/properties/a' } } },
    fits: [{ b: 'x' }],
    refuses: [{ b: 1 }],
  },
  {
    schema: { definitions: { 'a/b~c%d': { type: 'number' } }, allOf: [{ $ref: '#/definitions/a~1b~0c%25d' }] },
    fits: [1],
    refuses: ['a'],
  },
  {
    schema: { $id: 'https://example.com/a/', allOf: [{ $ref: 'b' }], definitions: { b: { $id: 'b', type: 'number' } } },
    fits: [1],
    refuses: ['a'],
  },
  {
    schema: { const: { $ref: '#/definitions/a' }, definitions: { a: true } },
    fits: [{ $ref: '#/definitions/a' }],
    refuses: [{}],
  },
  { schema: { properties: { $ref: { type: 'string' } } }, fits: [{ $ref: 'a' }], refuses: [{ $ref: 1 }] },
  { schema: { enum: [{ $ref: '#/nowhere' }] }, fits: [{ $ref: '#/nowhere' }], refuses: [1] },
];

/** Cases of 2020-12. */
export const in2020: readonly Case[] = [
  { schema: { $ref: '#/$defs/a', $defs: { a: { type: 'string' } }, maxLength: 1 }, fits: ['a'], refuses: [1, 'ab'] },
  { schema: { $ref: '#a', $defs: { x: { $anchor: 'a', type: 'string' } } }, fits: ['a'], refuses: [1] },
  {
    schema: { prefixItems: [{ type: 'string' }, { type: 'number' }] },
    fits: [[], ['a'], ['a', 1, null], 'b'],
    refuses: [[1], ['a', 'b']],
  },
  { schema: { prefixItems: [true], items: { type: 'number' } }, fits: [['a'], ['a', 1]], refuses: [['a', 'b']] },
  {
    schema: { dependentRequired: { a: ['b', 'c'] } },
    fits: [{}, { a: 1, b: 2, c: 3 }, { b: 1 }, []],
    refuses: [{ a: 1 }, { a: 1, b: 2 }],
  },
  {
    schema: { dependentSchemas: { a: { maxProperties: 1 }, b: false } },
    fits: [{ a: 1 }, { c: 1, d: 1 }],
    refuses: [{ a: 1, c: 1 }, { b: 1 }],
  },
  { schema: { contains: { const: 1 }, minContains: 2 }, fits: [[1, 1], [1, 2, 1], 'a'], refuses: [[], [1]] },
  { schema: { contains: { const: 1 }, minContains: 0 }, fits: [[], [2]], refuses: [] },
  { schema: { contains: { const: 1 }, maxContains: 1 }, fits: [[1], [1, 2]], refuses: [[], [1, 1]] },
  { schema: { minContains: 2, maxContains: 0 }, fits: [[], [1]], refuses: [] },
  {
    schema: { prefixItems: [true], contains: { const: 'x' }, unevaluatedItems: false },
    fits: [['x'], [1, 'x']],
    refuses: [[1, 'x', 2]],
    disputed: true,
  },
  {
    schema: { anyOf: [{ prefixItems: [{ const: 1 }, true] }, { prefixItems: [true] }], unevaluatedItems: false },
    fits: [[1, 2], [2], []],
    refuses: [
      [2, 2],
      [1, 2, 3],
    ],
  },
  { schema: { items: true, unevaluatedItems: false }, fits: [[1, 2]], refuses: [] },
  { schema: { properties: { a: true }, unevaluatedProperties: false }, fits: [{}, { a: 1 }, []], refuses: [{ b: 1 }] },
  {
    schema: {
      allOf: [{ properties: { a: true } }],
      $ref: '#/$defs/b',
      $defs: { b: { properties: { b: true } } },
      unevaluatedProperties: false,
    },
    fits: [{ a: 1, b: 2 }],
    refuses: [{ a: 1, c: 2 }],
  },
  {
    schema: {
      if: { properties: { a: { const: 1 } }, required: ['a'] },
      then: { properties: { b: true } },
      unevaluatedProperties: false,
    },
    fits: [{ a: 1, b: 2 }, {}],
    refuses: [{ a: 2 }, { b: 1 }],
  },
  {
    schema: { not: { properties: { a: { const: 1 } }, required: ['a'] }, unevaluatedProperties: false },
    fits: [{}],
    refuses: [{ a: 1 }, { a: 2 }],
  },
  {
    schema: {
      oneOf: [
        { properties: { a: true }, required: ['a'] },
        { patternProperties: { '^b': true }, required: ['b'] },
      ],
      unevaluatedProperties: { type: 'null' },
    },
    fits: [{ a: 1 }, { b: 1, bc: 1 }, { a: 1, c: null }],
    refuses: [
      { a: 1, c: 1 },
      { b: 1, d: 1 },
    ],
  },
  {
    schema: {
      dependentSchemas: { a: { properties: { b: true } } },
      properties: { a: true },
      unevaluatedProperties: false,
    },
    fits: [{ a: 1, b: 1 }],
    refuses: [{ b: 1 }],
  },
  {
    schema: { $dynamicRef: '#node', $defs: { a: { $dynamicAnchor: 'node', type: 'number' } } },
    fits: [1],
    refuses: ['a'],
    disputed: true,
  },
  { schema: { additionalItems: false, prefixItems: [true] }, fits: [[1, 2]], refuses: [] },
];

/** Cases of draft-07. */
export const in07: readonly Case[] = [
  {
    schema: { items: [{ type: 'string' }, { type: 'number' }] },
    fits: [[], ['a', 1, null]],
    refuses: [[1], ['a', 'b']],
  },
  { schema: { items: [true], additionalItems: { type: 'number' } }, fits: [['a', 1]], refuses: [['a', 'b']] },
  { schema: { items: { type: 'number' }, additionalItems: false }, fits: [[1, 2]], refuses: [['a']] },
  { schema: { additionalItems: false }, fits: [[1]], refuses: [] },
  {
    schema: { definitions: { a: { type: 'string' } }, allOf: [{ $ref: '#/definitions/a', maxLength: 1 }] },
    fits: ['long'],
    refuses: [1],
    disputed: true,
  },
  {
    schema: { definitions: { a: { $id: '#here', type: 'string' } }, allOf: [{ $ref: '#here' }] },
    fits: ['a'],
    refuses: [1],
  },
  {
    schema: { dependentRequired: { a: ['b'] }, prefixItems: [false], unevaluatedProperties: false },
    fits: [{ a: 1 }, [1]],
    refuses: [],
  },
];
