/** Random values of the canonical model, made from the tables themselves. */

import fc, { type Arbitrary } from 'fast-check';
import { kindOf, type Kind, type Row, type Shape, type Type } from '../../packages/parley/src/protocol/shape.ts';

const plain = { noNullPrototype: true };
const key = fc.string({ maxLength: 6 });
const uri = fc.constantFrom('file:///a', 'https://example.org/b?c=d', 'urn:x:y');
const base64 = fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const json = fc.jsonValue({ maxDepth: 2 });
// The official schema.json of 2026-07-28 forgets null among the JSON values; schema.ts has it.
const jsonObject = fc.dictionary(
  key,
  json.filter((value) => !JSON.stringify(value).includes('null')),
  { ...plain, maxKeys: 3 },
);
const subschema = fc.oneof(fc.constant({}), fc.constant({ type: 'string' }), fc.boolean());

/** Fields whose values have a format that the official schemas check. */
const formats: ReadonlyMap<string, Arbitrary<unknown>> = new Map<string, Arbitrary<unknown>>([
  ['uri', uri],
  ['url', uri],
  ['src', uri],
  ['websiteUrl', uri],
  ['uriTemplate', fc.constantFrom('file:///{path}', 'x://{a}{?b}')],
  ['data', base64],
  ['blob', base64],
  ['properties', fc.dictionary(key, subschema, { ...plain, maxKeys: 3 })],
  [
    'outputSchema',
    fc.constantFrom(
      { type: 'object', properties: { a: true } },
      { type: 'array', items: { $ref: '#' } },
      {},
      { type: 'string' },
    ),
  ],
]);

/** A random value of a type, with the fields of all revisions. */
export function valueOf(type: Type): Arbitrary<unknown> {
  return ofKind(kindOf(type));
}

function ofKind(kind: Kind): Arbitrary<unknown> {
  switch (kind.kind) {
    case 'string':
      return fc.string({ maxLength: 8 });
    case 'number':
      return fc.double({ min: 0, max: 1, noNaN: true });
    case 'integer':
      return fc.nat();
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'object':
      return jsonObject;
    case 'presence':
      return fc.constant({});
    case 'any':
      return json;
    case 'literal':
      return fc.constantFrom(...kind.values);
    case 'array':
      return fc.array(ofKind(kind.of.kind), { maxLength: 3 });
    case 'map':
      return fc.dictionary(key, ofKind(kind.of.kind), { ...plain, maxKeys: 3 });
    case 'ref':
      return ofShape(kind.shape);
    case 'tagged':
      return fc.oneof(...[...kind.cases.values()].map(ofShape));
    case 'choice':
      return fc.oneof(...kind.cases.map(ofShape));
    case 'oneOf':
      return fc.oneof(...kind.of.map((row) => ofKind(row.kind)));
    case 'widened':
      return ofKind(kind.newer.kind);
  }
}

const known = new Map<Shape, Arbitrary<unknown>>();

function ofShape(shape: Shape): Arbitrary<unknown> {
  let arbitrary = known.get(shape);
  if (arbitrary === undefined) known.set(shape, (arbitrary = record(shape)));
  return arbitrary;
}

function record(shape: Shape): Arbitrary<unknown> {
  const fields: Record<string, Arbitrary<unknown>> = {};
  for (const [name, row] of Object.entries(shape.rows)) fields[name] = field(shape, name, row);
  // What some revision requires is always there; what is filled in may be missing.
  const needed = Object.entries(shape.rows).filter(
    ([, row]) => row.presence === 'required' || (row.requiredIn.length > 0 && row.fill === undefined),
  );
  const known = fc.record(fields, { ...plain, requiredKeys: needed.map(([name]) => name) });
  const unknown = fc.dictionary(fc.constantFrom('x-other', '__proto__', 'constructor'), json, { ...plain, maxKeys: 1 });
  return fc.tuple(unknown, known).map(([other, own]) => ({ ...other, ...own }));
}

function field(shape: Shape, name: string, row: Row): Arbitrary<unknown> {
  if (name === 'properties' && shape.name === 'RequestedSchema') return ofKind(row.kind);
  const isFormat = row.kind.kind === 'string' || row.kind.kind === 'widened';
  return (isFormat ? formats.get(name) : undefined) ?? ofKind(row.kind);
}
