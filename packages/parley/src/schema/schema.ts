/** Schemas of definitions, whichever way they were written: resolved once, when the definition is made. */

import { checkOf } from './asynchronous.ts';
import { dialectOf, SchemaDocument } from './document.ts';
import { hasLargeInteger } from './usable/large-integer.ts';
import type { AnySchema } from './infer.ts';
import type { CompiledSchema, compileDocument } from './json-schema.ts';
import type { UsableSchema } from './usable/usable.ts';
import { isKeywords, type Keywords } from './keywords.ts';
import { plainTestOf, type PlainTest } from './plain.ts';
import { toPointer, type Problem } from './problem.ts';
import type { StandardIssue, StandardProperties, StandardResult, StandardSchema } from './standard.ts';

export type { Problem };

/** A schema that is ready to be listed and to check values. */
export interface ResolvedSchema {
  /** The schema as JSON Schema, as it is listed; one that was given as JSON Schema is this very object. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Checks a value: at once, or later where the schema's library takes its time. It never throws on account of the value. */
  validate(value: unknown): Validation | Promise<Validation>;
}

/** Outcome of a check: the value as the schema makes it (defaults filled in), or what does not fit. */
export type Validation =
  | { readonly value: unknown; readonly problems?: undefined }
  | { readonly problems: readonly Problem[] };

/**
 * Resolves the schema of a tool's arguments. Absent arguments count as an empty object.
 *
 * @throws TypeError when the schema cannot be used, has no JSON Schema side, or is not an object at its root.
 */
export function toInputSchema(schema: AnySchema): ResolvedSchema {
  refuseFields(schema);
  const resolved = resolve(schema, 'input');
  const json = isStandardSchema(schema) ? withObjectRoot(resolved.json) : resolved.json;
  if (json['type'] !== 'object') {
    throw new TypeError(
      `an input schema must have "type": "object" at its root; this one has ${JSON.stringify(json['type']) ?? 'no type'}`,
    );
  }
  return { json, validate: (value) => resolved.validate(value === undefined ? {} : value) };
}

/**
 * Resolves the schema of a tool's structured result; its root may be of any type. What is listed describes the values
 * after the check, since they are what is sent.
 *
 * @throws TypeError when the schema cannot be used or has no JSON Schema side.
 */
export function toOutputSchema(schema: AnySchema): ResolvedSchema {
  refuseFields(schema);
  return resolve(schema, 'output');
}

/** Fields of a library, each a schema, are no schema of an object yet. */
function refuseFields(schema: AnySchema): void {
  if (isStandardSchema(schema) || !isKeywords(schema)) return;
  const field = Object.keys(schema).find((name) => isStandardSchema(schema[name]));
  if (field === undefined) return;
  const list = JSON.stringify(field);
  throw new TypeError(`the schema is an object of fields (${list} is a schema); wrap them, as in z.object({ … })`);
}

/** Words for the schemas of a definition whose dialect is not supported. */
export function dialectProblem(what: string, definition: object): string | undefined {
  const odd = Object.entries(definition).flatMap(([name, schema]: [string, unknown]) => {
    const isSchema = ['input', 'output', 'params', 'result'].includes(name) && !isStandardSchema(schema);
    if (!isSchema) return [];
    if (isKeywords(schema) && readAsDraft07.has(schema)) return [`${name} has a list in "items" and no "$schema"`];
    return dialectOf(schema) === undefined
      ? [`${name} is of the dialect ${JSON.stringify(Object(schema)['$schema'])?.slice(0, 200)}`]
      : [];
  });
  if (odd.length === 0) return undefined;
  return `${what}: ${odd.join(', and ')}; values are checked by the nearest of 2020-12 and draft-07, or not at all`;
}

/** Tells whether a schema follows the standards, rather than being JSON Schema itself. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  // arktype's schemas are functions.
  return ((typeof schema === 'object' && schema !== null) || typeof schema === 'function') && '~standard' in schema;
}

function resolve(schema: unknown, side: 'input' | 'output'): ResolvedSchema {
  if (isStandardSchema(schema)) {
    const standard = schema['~standard'];
    const check = checkOf(schema, standard);
    const json = toJson(standard, side);
    const validate = (value: unknown): Validation | Promise<Validation> => validated(check(value));
    return { json, validate: side === 'input' ? withoutLoss(json, validate) : validate };
  }
  if (!isKeywords(schema))
    throw new TypeError(`a schema must be a standard schema or a JSON Schema object, not ${describe(schema)}`);
  // A schema that is malformed is told of when it is defined; what checks is loaded when the first value comes. What is
  // malformed in a dialect that is not supported is not known.
  const document = dialectOf(schema) === undefined ? undefined : documentOf(schema);
  let compiling: Promise<CompiledSchema> | undefined;
  let compiled: CompiledSchema | undefined;
  let plain: PlainTest | undefined;
  return {
    json: schema,
    validate(value) {
      if (compiled !== undefined) return validateOwn(compiled, value);
      if (compiling === undefined && document !== undefined) {
        plain ??= plainTestOf(schema, side === 'input') ?? (() => false);
        if (plain(value)) return { value };
      }
      compiling ??= compileOwn(schema, { document, received: side === 'input' }).then((ready) => (compiled = ready));
      return compiling.then((ready) => validateOwn(ready, value));
    },
  };
}

function documentOf(schema: Keywords): SchemaDocument {
  try {
    return new SchemaDocument(schema);
  } catch (error) {
    // A list in `items` is the only fault whose words name a dialect.
    if (schema['$schema'] !== undefined || !(error instanceof Error) || !error.message.endsWith('in draft-07'))
      throw error;
    readAsDraft07.add(schema);
    return new SchemaDocument({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' });
  }
}

/** The schemas of definitions that name no dialect and can only be of draft-07. */
const readAsDraft07 = new WeakSet<object>();

/** Libraries differ in whether they let an integer beyond 2^53 pass, which has lost digits where it came as JSON text. */
function withoutLoss(json: unknown, validate: ResolvedSchema['validate']): ResolvedSchema['validate'] {
  if (!JSON.stringify(json).includes('"integer"')) return validate;
  let lost: Promise<(value: unknown) => readonly Problem[]> | undefined;
  return (value) => {
    if (!hasLargeInteger(value)) return validate(value);
    lost ??= import('./usable/lost-digits.ts').then(({ lostDigitsBy }) => lostDigitsBy(json, 'own'));
    return lost.then((by) => {
      const problems = by(value);
      return problems.length > 0 ? { problems } : validate(value);
    });
  };
}

function validateOwn(schema: CompiledSchema, value: unknown): Validation {
  const problems = schema.check(value);
  return problems.length === 0 ? { value } : { problems };
}

let compiler: { readonly compileDocument: typeof compileDocument } | undefined;

async function compileOwn(
  schema: unknown,
  { document, received }: { readonly document: SchemaDocument | undefined; readonly received: boolean },
): Promise<CompiledSchema | UsableSchema> {
  if (document === undefined)
    return (await import('./usable/usable.ts')).compileUsable(schema, { origin: 'own', received });
  compiler ??= await import('./json-schema.ts');
  return compiler.compileDocument(document, { origin: 'own', received });
}

const remedies: ReadonlyMap<string, string> = new Map([
  ['valibot', 'wrap it in toStandardJsonSchema of @valibot/to-json-schema'],
  ['zod', 'use zod 4.2 or newer'],
  ['arktype', 'use arktype 2.1.28 or newer'],
]);

function toJson(standard: StandardProperties, side: 'input' | 'output'): Readonly<Record<string, unknown>> {
  const { vendor } = standard;
  // Libraries that only validate leave `jsonSchema` out, whatever the types say.
  const converter = standard.jsonSchema as StandardProperties['jsonSchema'] | undefined;
  if (typeof converter?.[side] !== 'function') {
    const remedy = remedies.get(vendor) ?? 'use a library with Standard JSON Schema, or give JSON Schema itself';
    throw new TypeError(`the ${vendor} schema has no JSON Schema side (~standard.jsonSchema); ${remedy}`);
  }
  try {
    return withoutDialect(converter[side]({ target: 'draft-2020-12' }));
  } catch (cause) {
    throw new TypeError(
      `the ${side} side of the ${vendor} schema cannot be written as JSON Schema: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/**
 * The dialect that is meant without `$schema` (2025-11-25, JSON Schema Usage) is not named: hosts whose validator knows
 * draft-07 alone refuse every call of a tool whose schema names a newer one, though they can read its keywords.
 */
function withoutDialect(json: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { $schema, ...rest } = json;
  return $schema === 'https://json-schema.org/draft/2020-12/schema' ? rest : json;
}

/** Libraries write unions without `type`; when all members are objects, the root says so too. */
function withObjectRoot(json: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (json['type'] !== undefined) return json;
  const members = json['anyOf'] ?? json['oneOf'] ?? json['allOf'];
  const objects =
    Array.isArray(members) &&
    members.length > 0 &&
    members.every((member) => isKeywords(member) && member['type'] === 'object');
  return objects ? { ...json, type: 'object' } : json;
}

function validated(
  result: StandardResult<unknown> | Promise<StandardResult<unknown>>,
): Validation | Promise<Validation> {
  return result instanceof Promise ? result.then(toValidation) : toValidation(result);
}

function toValidation(result: StandardResult<unknown>): Validation {
  return result.issues === undefined ? { value: result.value } : { problems: result.issues.map(toProblem) };
}

function toProblem({ message, path = [] }: StandardIssue): Problem {
  // The paths of arktype are arrays of a class of its own, of which an empty one does not stay empty when it is mapped.
  const keys = Array.from(path, (segment) => (typeof segment === 'object' ? segment.key : segment));
  return { path: toPointer(keys.map((key) => (typeof key === 'symbol' ? String(key) : key))), message };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function describe(value: unknown): string {
  return value === null || value === undefined
    ? String(value)
    : Array.isArray(value)
      ? 'an array'
      : `a ${typeof value}`;
}
