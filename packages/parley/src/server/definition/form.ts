import { isObject } from '../../jsonrpc/message.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { PrimitiveSchemaDefinition, RequestedSchema } from '../../protocol/features/elicitation-schema.ts';

/** The keywords that a field of a form may have, by the kind of the field. Other keywords are not sent. */
const named = ['type', 'title', 'description', 'default'] as const;
const keywords = {
  string: [...named, 'minLength', 'maxLength', 'format'],
  number: [...named, 'minimum', 'maximum'],
  boolean: named,
  choice: [...named, 'enum', 'enumNames', 'oneOf'],
  choices: [...named, 'minItems', 'maxItems', 'items'],
} as const;

const formats: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time']);

/**
 * Makes the form for an object schema. A form supports only a part of JSON Schema. A keyword that a form cannot express
 * (a pattern, say) is left out, but the answer is still validated against it.
 *
 * @throws TypeError for a field that no form can have, such as a nested object.
 * (Spec 2025-11-25, Elicitation, Requested schema.)
 */
export function formOf(schema: JsonObject): RequestedSchema {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const fields = Object.entries(properties).map(([name, property]) => [name, fieldOf(name, property)] as const);
  // `required` of an object schema is a list of names: the schema was checked when it was resolved.
  const required = schema['required'] as readonly string[] | undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(required === undefined || required.length === 0 ? {} : { required }),
  };
}

function fieldOf(name: string, property: unknown): PrimitiveSchemaDefinition {
  if (isObject(property)) {
    const kind = kindOf(property);
    // The required keywords of the type told which kind it is.
    if (kind !== undefined) return pick(property, keywords[kind]) as unknown as PrimitiveSchemaDefinition;
  }
  throw new TypeError(
    `a form cannot ask for ${JSON.stringify(name)}: fields are strings, numbers, booleans, or choices of strings`,
  );
}

function kindOf(property: JsonObject): keyof typeof keywords | undefined {
  switch (property['type']) {
    case 'string':
      return Array.isArray(property['enum']) || isTitled(property['oneOf']) ? 'choice' : 'string';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array': {
      const { items } = property;
      return isObject(items) && (Array.isArray(items['enum']) || isTitled(items['anyOf'])) ? 'choices' : undefined;
    }
    default:
      return undefined;
  }
}

function isTitled(options: unknown): boolean {
  return (
    Array.isArray(options) &&
    options.every(
      (option) => isObject(option) && typeof option['const'] === 'string' && typeof option['title'] === 'string',
    )
  );
}

function pick(property: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => isKept(property, key)).map((key) => [key, property[key]]));
}

function isKept(property: JsonObject, key: string): boolean {
  return property[key] !== undefined && (key !== 'format' || formats.has(property[key]));
}
