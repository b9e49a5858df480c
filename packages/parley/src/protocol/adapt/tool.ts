/** Schemas of tools that older revisions cannot write. */

import type { Adaptation } from './adaptation.ts';
import { until, within } from '../lifetime.ts';
import type { Tool, ToolInputSchema, ToolOutputSchema } from '../features/tool.ts';
import { isFields, mapFields, type ObjectFields } from '../compile/value.ts';

/**
 * An output schema whose root is no object, from 2025-06-18 until 2025-11-25: that of an object with the value as
 * `result`. What the schema refers to inside itself keeps its meaning.
 */
export const wrappedOutputSchema: Adaptation<Tool> = {
  name: 'wrappedOutputSchema',
  life: within('2025-06-18', '2026-07-28'),
  toWire: (tool) => {
    const { outputSchema } = tool;
    // A bridge passes on what is malformed.
    if (!isFields(outputSchema) || !needsWrapping(outputSchema)) return tool;
    return { ...tool, outputSchema: wrapSchema(outputSchema) };
  },
};

/**
 * Tells whether an output schema is wrapped before 2026-07-28. Structured content under it must be wrapped as well,
 * even when it happens to be an object: see `wrapStructuredContent`.
 */
export function needsWrapping(outputSchema: ToolOutputSchema): boolean {
  return outputSchema['type'] !== 'object';
}

/** Boolean schemas of properties before 2026-07-28: `{}` for true and `{ not: {} }` for false, which say the same. */
export const booleanSchemas: Adaptation<ToolInputSchema> = {
  name: 'booleanSchemas',
  life: until('2026-07-28'),
  toWire: (schema) => {
    const { properties } = schema;
    if (!isFields(properties)) return schema;
    const objects = mapFields(properties, (value) => (value === true ? {} : value === false ? { not: {} } : value));
    return objects === properties ? schema : { ...schema, properties: objects };
  },
};

const definitions = ['$defs', 'definitions'];

function wrapSchema(schema: ObjectFields): ToolOutputSchema {
  const { $schema, ...rest } = schema;
  const dialect = typeof $schema === 'string' ? { $schema } : {};
  const wrap = (result: unknown, root: ObjectFields): ToolOutputSchema => ({
    ...dialect,
    type: 'object',
    properties: { result },
    required: ['result'],
    ...root,
  });
  // With an `$id` of its own the schema stays the base of its references.
  if (typeof schema['$id'] === 'string') return wrap(rest, {});
  const entries = Object.entries(rest).map(([key, value]): [string, unknown] => [key, moveReferences(value, key)]);
  const isDefinition = ([key]: [string, unknown]): boolean => definitions.includes(key);
  return wrap(
    Object.fromEntries(entries.filter((entry) => !isDefinition(entry))),
    Object.fromEntries(entries.filter(isDefinition)),
  );
}

/** Keywords whose value is data, not schema. */
const data = new Set(['const', 'enum', 'default', 'examples']);

/** Keywords whose value holds schemas by names of the author's choice. */
const named = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies', ...definitions]);

/** Points references to the old root at its new place; those to definitions stay, since these stay at the root. */
function moveReferences(value: unknown, key: string): unknown {
  if (data.has(key)) return value;
  if (typeof value === 'string' && (key === '$ref' || key === '$dynamicRef')) return moveReference(value);
  return named.has(key) && isFields(value) ? mapFields(value, inSchema) : inSchema(value);
}

function inSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSchema);
  if (!isFields(value) || typeof value['$id'] === 'string') return value;
  return mapFields(value, moveReferences);
}

function moveReference(reference: string): string {
  if (!reference.startsWith('#')) return reference;
  const pointer = decoded(reference);
  if (pointer !== '#' && !pointer.startsWith('#/')) return reference;
  if (definitions.some((name) => pointer.startsWith(`#/${name}/`))) return reference;
  return `#/properties/result${reference.slice(1)}`;
}

/** Any character of a pointer in a fragment may be percent-encoded. (RFC 6901, 6.) */
function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}
