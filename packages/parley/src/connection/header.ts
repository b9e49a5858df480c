/**
 * The headers that 2026-07-28 mirrors from the body over HTTP: how a value becomes header text, and which arguments
 * of a tool travel in `Mcp-Param-*`. (Spec 2026-07-28, Streamable HTTP: Request metadata.)
 */
import { plainNumber } from '../json/exact-number.ts';
import { isObject } from '../jsonrpc/message.ts';

/** One argument that travels in a header too. */
export interface HeaderParameter {
  /** The part of the header name after `Mcp-Param-`. */
  readonly name: string;
  /** The keys that lead to the argument. */
  readonly path: readonly string[];
}

/** Headers that `x-mcp-header` annotations of a tool ask for: the parameters to mirror, or why the tool is invalid. */
export interface HeaderParameters {
  readonly parameters: readonly HeaderParameter[];
  /** One sentence for each annotation that breaks a rule; the tool is invalid unless it is empty. */
  readonly problems: readonly string[];
}

const sentinel = /^=\?base64\?(.*)\?=$/s;
const headerText = /^[\t\x20-\x7e]*$/;
const edgeWhitespace = /^[\t ]|[\t ]$/;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** The header text of a value: the value itself if it is safe, otherwise the base64 sentinel form. */
export function encodeHeaderValue(value: string): string {
  if (headerText.test(value) && !edgeWhitespace.test(value) && !sentinel.test(value)) return value;
  let binary = '';
  for (const byte of new TextEncoder().encode(value)) binary += String.fromCharCode(byte);
  return `=?base64?${btoa(binary)}?=`;
}

/** The value of a header text; `undefined` if it has invalid characters or a broken sentinel form. */
export function decodeHeaderValue(text: string): string | undefined {
  if (!headerText.test(text)) return undefined;
  const base64 = sentinel.exec(text)?.[1];
  if (base64 === undefined) return text;
  try {
    const binary = atob(base64);
    // `atob` forgives missing padding, inner whitespace and left-over bits; only the canonical form is accepted.
    if (btoa(binary) !== base64) return undefined;
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The text of an argument to mirror, not yet encoded; `undefined` when the header is left out: nothing at the path,
 * null, or a value that no header can carry.
 */
export function headerValueOf(argumentsOfCall: unknown, path: readonly string[]): string | undefined {
  let value = argumentsOfCall;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  if (typeof value === 'string') return value;
  const plain = plainNumber(value);
  if (typeof plain === 'boolean' || Number.isSafeInteger(plain)) return String(plain);
  return undefined;
}

/** Finds the `x-mcp-header` annotations of an input schema and checks every rule that holds for them. */
export function headerParametersOf(inputSchema: unknown): HeaderParameters {
  const walk: Walk = { parameters: [], problems: [], names: new Set() };
  visit(walk, inputSchema, []);
  return { parameters: walk.parameters, problems: walk.problems };
}

interface Walk {
  readonly parameters: HeaderParameter[];
  readonly problems: string[];
  /** The names so far in lower case, since header names do not tell case apart. */
  readonly names: Set<string>;
}

const annotation = 'x-mcp-header';
/** Keywords of JSON Schema whose value is one schema or an array of schemas. */
export const subschemaKeywords: readonly string[] = [
  'items',
  'prefixItems',
  'contains',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'propertyNames',
  'contentSchema',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
];
/** Keywords of JSON Schema whose value maps names to schemas, besides `properties`. */
export const schemaMapKeywords: readonly string[] = [
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
];
const holdsSchemas: ReadonlySet<string> = new Set(subschemaKeywords);
const mapsToSchemas: ReadonlySet<string> = new Set(schemaMapKeywords);
const deepest = 128;

/** @param path The chain of `properties` keys that leads here, or `undefined` once the chain is broken. */
function visit(walk: Walk, schema: unknown, path: readonly string[] | undefined, depth: number = 0): void {
  if (!isObject(schema) || depth > deepest) return;
  if (Object.hasOwn(schema, annotation)) annotated(walk, schema, path);
  if (isObject(schema['properties'])) {
    for (const [key, value] of Object.entries(schema['properties']))
      visit(walk, value, path && [...path, key], depth + 1);
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (typeof value !== 'object' || value === null) continue;
    if (holdsSchemas.has(keyword))
      for (const one of Array.isArray(value) ? value : [value]) visit(walk, one, undefined, depth + 1);
    else if (mapsToSchemas.has(keyword) && !Array.isArray(value))
      for (const one of Object.values(value)) visit(walk, one, undefined, depth + 1);
  }
}

function annotated(walk: Walk, schema: Readonly<Record<string, unknown>>, path: readonly string[] | undefined): void {
  const name = schema[annotation];
  const at = path === undefined || path.length === 0 ? '' : ` of ${JSON.stringify(path.join('.').slice(0, 100))}`;
  if (typeof name !== 'string' || !token.test(name)) {
    walk.problems.push(`${annotation}${at} is not a header name`);
  } else if (path === undefined || path.length === 0) {
    walk.problems.push(`${annotation} ${JSON.stringify(name.slice(0, 100))} is not on a chain of properties`);
  } else if (!isPrimitive(schema['type'])) {
    walk.problems.push(`${annotation}${at} needs a parameter of type string, integer or boolean`);
  } else if (walk.names.has(name.toLowerCase())) {
    walk.problems.push(`${annotation} ${JSON.stringify(name.slice(0, 100))} is used twice`);
  } else {
    walk.names.add(name.toLowerCase());
    walk.parameters.push({ name, path });
  }
}

/** A nullable primitive counts: a null argument leaves its header out. */
function isPrimitive(type: unknown): boolean {
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type];
  return types.length === 1 && (types[0] === 'string' || types[0] === 'integer' || types[0] === 'boolean');
}
