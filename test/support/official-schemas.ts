/** Checks messages against what the official JSON Schema of a revision says. */

import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { AnySchemaObject, ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import type { OfficialFile } from '../../scripts/spec-files.ts';
import { definitionsOf, document } from './official-definitions.ts';

type Definitions = Readonly<Record<string, AnySchemaObject>>;

/** The official schema of one revision. */
export interface OfficialSchema {
  /** The names of every definition. */
  readonly names: readonly string[];
  /** The definition of a method's message, or `undefined` when the revision does not have the method. */
  messageOf(method: string): string | undefined;
  /** Whether a union, such as `ServerRequest`, names a definition. */
  includes(union: string, name: string): boolean;
  /** What is wrong with a value, as `path message`; nothing when it fits the definition. */
  problems(name: string, value: unknown): readonly string[];
}

/** Gives the official schema of a revision, each read once. */
export type Judge = (date: string) => OfficialSchema;

/** A judge by schema files. */
export function judgeBy(files: (date: string) => OfficialFile): Judge {
  const fileOf = remembered((date) => widened(files(date)));
  return remembered((date) => load(date, fileOf));
}

/** Every test file that sends something reads these anew: nothing of it is done twice, or before it is needed. */
function remembered<Made>(make: (date: string) => Made): (date: string) => Made {
  const known = new Map<string, Made>();
  return (date) => {
    const made = known.get(date) ?? make(date);
    known.set(date, made);
    return made;
  };
}

/** The judge by the facts of the repository. */
export const officialSchema: Judge = judgeBy(document);

function load(date: string, files: (date: string) => OfficialFile): OfficialSchema {
  // It is changed below.
  const file = structuredClone(files(date));
  const keyword = file.$defs === undefined ? 'definitions' : '$defs';
  const own = definitions(file);
  for (const other of revisions) {
    if (other.date !== date) refuseForeign(own, definitions(files(other.date)));
  }
  let ajv: Ajv | undefined;
  const methods = new Map<string, string>();
  for (const [name, definition] of Object.entries(own)) {
    const method: unknown = definition['properties']?.method?.const;
    // 2026-07-28 repeats its only client notification under the name of the union.
    if (typeof method === 'string' && name !== 'ClientNotification') methods.set(method, name);
  }
  return {
    names: Object.keys(own),
    messageOf: (method) => methods.get(method),
    includes: (union, name) => members(own[union]).includes(name),
    problems: (name, value) => {
      ajv ??= createAjv(keyword).addSchema(file, 'spec');
      return check(ajv.getSchema(`spec#/${keyword}/${name}`), name, value);
    },
  };
}

function definitions(file: OfficialFile): Definitions {
  // Definitions are schemas, and ajv reads them as such.
  return definitionsOf(file) as Definitions;
}

/**
 * The schemas leave every object open. A field that another revision defines at the same place is no extension but
 * a mistake, so it is closed here.
 */
function refuseForeign(own: Definitions, others: Definitions): void {
  for (const [name, definition] of Object.entries(own)) closeProperties(definition, others[name]);
}

function closeProperties(own: AnySchemaObject, other: AnySchemaObject | undefined): void {
  const properties: unknown = own['properties'];
  const foreign: unknown = other?.['properties'];
  if (!isObject(properties) || !isObject(foreign)) return;
  for (const [name, schema] of Object.entries(foreign)) {
    const mine = properties[name];
    if (mine === undefined && !harmless.has(name)) properties[name] = false;
    else if (isObject(mine) && isObject(schema) && !schemas.has(name)) closeProperties(mine, schema);
  }
}

/** The envelope is inherited in the older files; extensions, and the `_meta` that they use, reach below the revision that lists them. */
const harmless: ReadonlySet<string> = new Set(['id', 'jsonrpc', 'extensions', '_meta']);

/** JSON Schemas may say whatever JSON Schema lets them say. */
const schemas: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema']);

function createAjv(keyword: 'definitions' | '$defs'): Ajv {
  // That they are schemas is a test of their own: each process would look again, which takes longer than all it checks.
  const options = { strict: false, allErrors: true, validateSchema: false };
  const ajv = keyword === '$defs' ? new Ajv2020(options) : new Ajv(options);
  addFormats.default(ajv, ['uri', 'uri-template', 'byte']);
  return ajv;
}

/** schema.json says integer where the TypeScript source of truth says number, for values that a form may return. */
function widened(file: OfficialFile): OfficialFile {
  return JSON.parse(JSON.stringify(file), (key, value: unknown) =>
    key === 'type' && Array.isArray(value) && value.includes('integer') && value.includes('boolean')
      ? value.map((type: unknown) => (type === 'integer' ? 'number' : type))
      : value,
  );
}

/** The names a union refers to; 2026-07-28 has no `ServerRequest`, and inlines `ClientNotification`. */
function members(union: AnySchemaObject | undefined): readonly string[] {
  if (union?.['properties']?.method?.const === 'notifications/cancelled') return ['CancelledNotification'];
  const parts: unknown = union?.['anyOf'];
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown) => {
    const reference = isObject(part) ? part['$ref'] : undefined;
    return typeof reference === 'string' ? [reference.slice(reference.lastIndexOf('/') + 1)] : [];
  });
}

function check(validate: ValidateFunction | undefined, name: string, value: unknown): readonly string[] {
  if (validate === undefined) return [`${name} is not a definition of this revision`];
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message ?? 'is wrong'}`);
}
