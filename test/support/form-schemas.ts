/** Schemas that forms are tried with. */

/** Every kind of field at once. */
export const everything = {
  type: 'object',
  description: 'Tells the weather.',
  required: ['city', 'agree', 'place'],
  properties: {
    city: { type: 'string', title: 'City', description: 'Name of the place.', minLength: 2, examples: ['Oslo'] },
    days: { type: 'integer', minimum: 1, maximum: 14, default: 3 },
    wind: { type: ['number', 'null'] },
    agree: { type: 'boolean' },
    unit: { enum: ['celsius', 'fahrenheit'], enumNames: ['°C', '°F'] },
    zone: { enum: ['Africa/Cairo', 'America/Lima', 'Asia/Tokyo', 'Europe/Oslo', 'Europe/Rome', 'Pacific/Fiji', 'UTC'] },
    since: { type: 'string', format: 'date' },
    mail: { type: 'string', format: 'email' },
    place: {
      oneOf: [
        { title: 'By name', properties: { kind: { const: 'name' }, name: { type: 'string' } }, required: ['kind'] },
        {
          title: 'By position',
          properties: {
            kind: { const: 'at' },
            at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false },
          },
          required: ['kind'],
        },
      ],
    },
    options: {
      type: 'object',
      properties: { words: { type: 'array', items: { type: 'string' } }, deep: { $ref: '#/$defs/tree' } },
    },
    parts: { type: 'array', items: { enum: ['sun', 'rain', 'snow'] } },
    map: { type: 'string', contentEncoding: 'base64' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    value: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
    any: {},
  },
  $defs: { tree: { type: 'object', properties: { name: { type: 'string' }, child: { $ref: '#/$defs/tree' } } } },
} as const;

/** A value for it, as JSON. */
export const filled: string = JSON.stringify({
  city: 'Oslo',
  days: 30,
  wind: null,
  place: { kind: 'at', at: [59.9, 10.7] },
  options: { words: ['a', 'b'] },
  headers: { 'x-a': '', other: '1' },
  value: 7,
  any: [1],
  extra: true,
});

/** Schemas of who means harm, each with a text that goes with it. */
export const hostile: readonly (readonly [string, string, string])[] = [
  [
    'depth',
    `${'{"properties":{"a":'.repeat(5000)}{}${'}}'.repeat(5000)}`,
    `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
  ],
  ['a required circle', '{"required":["a"],"properties":{"a":{"$ref":"#"}}}', ''],
  [
    'a required forest',
    JSON.stringify({
      required: Array.from({ length: 20 }, (_, at) => `p${at}`),
      properties: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`p${at}`, { $ref: '#' }])),
    }),
    '',
  ],
  [
    'objects of objects',
    '{"additionalProperties":{"$ref":"#"}}',
    `{${Array.from({ length: 40 }, (_, at) => `"a${at}":{${Array.from({ length: 40 }, (__, to) => `"b${to}":{"c":{}}`).join()}}`).join()}}`,
  ],
  ['lists of lists', '{"type":"array","items":{"$ref":"#"}}', `${'['.repeat(5000)}${']'.repeat(5000)}`],
  ['a choice of itself', '{"anyOf":[{"$ref":"#"},{"type":"string"}]}', '[]'],
  ['long names', JSON.stringify({ title: 'x'.repeat(1e6), properties: { ['y'.repeat(1e6)]: {} } }), ''],
  [
    'many fields',
    JSON.stringify({ properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, {}])) }),
    '',
  ],
  ['many items', '{"items":{"type":"number"}}', JSON.stringify(Array.from({ length: 10_000 }, () => 0))],
  [
    'many pairs',
    '{"type":"object"}',
    JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, 1]))),
  ],
  [
    'script',
    '{"title":"<img src=x onerror=alert(1)>","properties":{"<script>alert(1)</script>":{"format":"uri","default":"javascript:alert(1)"}}}',
    '',
  ],
  ['a reference to elsewhere', '{"properties":{"a":{"$ref":"http://127.0.0.1:1/schema.json"}}}', ''],
  [
    'names of prototypes',
    '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}}}',
    '{"__proto__": "a"}',
  ],
  ['other types', '{"type":"object","properties":[1],"required":"a","allOf":{},"oneOf":1}', '[]'],
];
