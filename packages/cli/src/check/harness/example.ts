import { isObject } from '../../../../parley/src/jsonrpc/message.ts';

/** Limits of depth and of schemas for making examples. Beyond them there is none. */
const most = { depth: 8, schemas: 2_000 };

/**
 * A value that a JSON Schema may allow: its own example, default or choice; otherwise the smallest of its type. It may
 * be invalid, so callers validate it.
 */
export function exampleOf(schema: unknown): unknown {
  return made(schema, { root: schema, left: most.schemas }, 0);
}

/** Things that are the same for all parts of one example. */
interface Making {
  readonly root: unknown;
  /** Schemas that may still be looked at: one that leads to itself many times would go on for ever. */
  left: number;
}

function made(schema: unknown, making: Making, depth: number): unknown {
  if (!isObject(schema) || depth > most.depth || making.left-- <= 0) return null;
  const { const: only, default: own, examples, enum: choices, $ref } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(examples) && examples.length > 0) return examples[0] as unknown;
  if (own !== undefined) return own;
  if (Array.isArray(choices) && choices.length > 0) return choices[0] as unknown;
  if (typeof $ref === 'string') return made(referred($ref, making.root), making, depth + 1);
  for (const word of ['oneOf', 'anyOf', 'allOf']) {
    const parts = schema[word];
    if (Array.isArray(parts) && schema['type'] === undefined) return made(parts[0], making, depth + 1);
  }
  return ofType(schema, making, depth);
}

function ofType(schema: Readonly<Record<string, unknown>>, making: Making, depth: number): unknown {
  const { type, properties, required, items, minItems, minimum, exclusiveMinimum, minLength } = schema;
  switch (Array.isArray(type) ? (type[0] as unknown) : type) {
    case 'string':
      return stringOf(schema['format'], typeof minLength === 'number' ? minLength : 0);
    case 'integer':
    case 'number':
      if (typeof minimum === 'number') return Math.ceil(minimum);
      return typeof exclusiveMinimum === 'number' ? Math.floor(exclusiveMinimum) + 1 : 1;
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: typeof minItems === 'number' ? Math.min(minItems, 10) : 0 }, () =>
        made(items, making, depth + 1),
      );
    case 'object':
    case undefined: {
      const wanted = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
      const parts = isObject(properties) ? properties : {};
      return Object.fromEntries(wanted.map((name) => [name, made(parts[name], making, depth + 1)]));
    }
    default:
      return null;
  }
}

function stringOf(format: unknown, length: number): string {
  switch (format) {
    case 'email':
      return 'parley@example.com';
    case 'uri':
      return 'https://example.com/';
    case 'date':
      return '2026-01-01';
    case 'date-time':
      return '2026-01-01T00:00:00Z';
    default:
      return 'parley'.padEnd(Math.min(length, 1_000), '.');
  }
}

/** Finds what a reference within the schema names. */
function referred(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return undefined;
  let at = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}
