import { plainNumber } from '../../../../parley/src/json/exact-number.ts';
import { parseExactJson } from '../../../../parley/src/json/parse-exact.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { nearestWords } from '../../../../parley/src/options/nearest.ts';
import type { Tool } from '../../../../parley/src/protocol/features/tools.ts';
import { UsageError } from '../io.ts';

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object';

/** Thing that is filled in: a tool, or a form that a server shows. */
interface FieldsOf {
  readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> };
}

/**
 * Makes the arguments of a call from the command line.
 *
 * @param input Arguments that were given as JSON; single pairs are added to it.
 * @param tool The called tool; without it, a value that parses as JSON (except a string) is JSON.
 * @throws UsageError for a value that does not have the type of its argument.
 */
export function argumentsOf(
  pairs: readonly (readonly [string, string])[],
  input: Readonly<Record<string, unknown>> | undefined,
  tool: FieldsOf | undefined,
): Readonly<Record<string, unknown>> {
  const typed = pairs.map(([name, text]) => [name, valueOf(name, text, typesOf(tool, name))] as const);
  return { ...input, ...Object.fromEntries(typed) };
}

/**
 * Checks the names of arguments, before they are sent.
 *
 * @returns What to tell of an argument that the schema neither names nor forbids.
 * @throws UsageError for a required argument that is missing, and for one that the tool does not take.
 */
export function checkArguments(
  { name, inputSchema }: Tool,
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const { properties = {}, required = [], additionalProperties, patternProperties } = inputSchema;
  const names = Object.keys(properties);
  const missing = required.filter((key) => !Object.hasOwn(given, key));
  const unknown = Object.keys(given).find((key) => !names.includes(key));
  const isOpen =
    inputSchema.properties === undefined ||
    patternProperties !== undefined ||
    (additionalProperties !== undefined && additionalProperties !== false);
  const has = names.length === 0 ? 'it takes none' : `it takes ${names.slice(0, most).join(', ')}`;
  const about =
    unknown === undefined || isOpen
      ? undefined
      : `${name} has no argument ${JSON.stringify(unknown)}: ${has}${nearestWords(unknown, names)}`;
  const needs = missing.map((key) => `${key}${typeWords(typesOf({ inputSchema }, key))}`).join(', ');
  if (missing.length > 0) throw new UsageError(`${name} needs ${needs}${about === undefined ? '' : `; ${about}`}`);
  if (about !== undefined && additionalProperties === false) throw new UsageError(about);
  return about;
}

/** The most names that are listed. */
const most = 20;

function typeWords(types: ReadonlySet<string>): string {
  return types.size === 0 ? '' : ` (${[...types].join(' or ')})`;
}

/** The types that a tool's schema allows for an argument; empty when it does not say. */
function typesOf(tool: FieldsOf | undefined, name: string): ReadonlySet<string> {
  const properties = tool?.inputSchema.properties;
  const schema = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return new Set(typesIn(schema));
}

function typesIn(schema: unknown): readonly string[] {
  if (!isObject(schema)) return [];
  const { type, anyOf, oneOf } = schema;
  const named = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
  const members = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const nested = members.map(typesIn);
  // A member that allows anything says nothing.
  return nested.some((types) => types.length === 0) ? named : [...named, ...nested.flat()];
}

function valueOf(name: string, text: string, types: ReadonlySet<string>): unknown {
  if (types.size === 1 && types.has('string')) return text;
  const value = jsonOf(text);
  if (value !== undefined && fits(value, types)) return value;
  if (types.size === 0 || types.has('string')) return text;
  throw new UsageError(`argument ${name} must be ${[...types].join(' or ')}, not ${JSON.stringify(text)}`);
}

function jsonOf(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** Text in quotes stays as it was typed. */
function fits(value: unknown, types: ReadonlySet<string>): boolean {
  const own = typesOfValue(value);
  return types.size === 0 ? !own.includes('string') : own.some((type) => type !== 'string' && types.has(type));
}

function typesOfValue(value: unknown): readonly JsonType[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  const plain = plainNumber(value);
  if (typeof plain === 'number') return Number.isInteger(plain) ? ['number', 'integer'] : ['number'];
  if (typeof value === 'string') return ['string'];
  return typeof value === 'boolean' ? ['boolean'] : ['object'];
}
