/** Values made from the facts of an official schema: each field, each alternative and each limit in one of them. */

import type { Schema } from '../../scripts/schema-facts.ts';
import { referred, type Definitions } from './official-definitions.ts';

/** How deep values go where types contain each other. */
const maxDepth = 7;

/** Values that the definition allows: the least one first, then each with one thing more. */
export function officialValues(definitions: Definitions, name: string): readonly unknown[] {
  return valuesOf(definitions, { $ref: name }, 0);
}

function valuesOf(all: Definitions, schema: Schema, depth: number): readonly unknown[] {
  const name = referred(schema);
  if (name !== undefined) return valuesOf(all, all[name] ?? {}, depth + 1);
  if (schema.allOf !== undefined) return objects(all, merged(all, schema.allOf), depth);
  if (schema.anyOf !== undefined) {
    const alternatives = depth > maxDepth ? schema.anyOf.slice(0, 1) : schema.anyOf;
    return alternatives.flatMap((one) => valuesOf(all, one, depth));
  }
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum !== undefined) return schema.enum;
  return [schema.type ?? 'string'].flat().flatMap((type) => {
    if (type === 'object') return objects(all, schema, depth);
    if (type === 'array') return arrays(all, schema, depth);
    return primitives(type, schema);
  });
}

function objects(all: Definitions, schema: Schema, depth: number): readonly unknown[] {
  const { properties = {}, required = [], additionalProperties: more } = schema;
  const least: Record<string, unknown> = {};
  for (const key of required) least[key] = valuesOf(all, properties[key] ?? {}, depth)[0];
  if (depth > maxDepth) return [least];
  const fields = Object.entries(properties);
  if (typeof more === 'object') fields.push(['example.com/key', more]);
  const one = fields.flatMap(([key, field]) =>
    valuesOf(all, field, depth).map((value) => ({ ...least, [key]: value })),
  );
  return [least, ...one];
}

function merged(all: Definitions, parts: readonly Schema[]): Schema {
  const schemas = parts.map((part) => all[referred(part) ?? ''] ?? part);
  return {
    type: 'object',
    properties: Object.assign({}, ...schemas.map(({ properties }) => properties)),
    required: schemas.flatMap(({ required = [] }) => required),
  };
}

function arrays(all: Definitions, { items = {}, maxItems = 2 }: Schema, depth: number): readonly unknown[] {
  if (depth > maxDepth) return [[]];
  const values = valuesOf(all, items, depth);
  return [[], ...values.map((value) => [value]), Array.from({ length: maxItems }, () => values[0])];
}

function primitives(type: string, { format, minimum, maximum }: Schema): readonly unknown[] {
  switch (type) {
    case 'string':
      return format === undefined ? ['text', ''] : [formatted(format)];
    case 'boolean':
      return [true, false];
    case 'null':
      return [null];
    default:
      return [minimum ?? 1, maximum ?? 2, ...(type === 'number' && maximum === undefined ? [0.5] : [])];
  }
}

function formatted(format: string): string {
  const value = formats.get(format);
  if (value === undefined) throw new Error(`there is no value of the format ${format}`);
  return value;
}

const formats: ReadonlyMap<string, string> = new Map([
  ['uri', 'file:///example.txt'],
  ['uri-template', 'file:///{path}'],
  ['byte', 'aGVsbG8='],
]);
