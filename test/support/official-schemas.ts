/** Checks messages against the official JSON Schema of a revision, which lies beside the repository. */

import { existsSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { AnySchemaObject, ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { isObject } from '../../src/jsonrpc/message.ts';
import { revisions } from '../../src/protocol/revision.ts';

const folder = new URL('../../../shared/spec/', import.meta.url);

/** Whether the official schemas are there; without them nothing can be checked. */
export const schemasPresent: boolean = existsSync(folder);

/** Said once by whatever needs the schemas and does not find them. */
export const schemasMissing = 'official schemas not found at ../shared/spec: wire checks are skipped';

/** The part of a schema file that is read here. */
interface SchemaFile {
  readonly $schema: string;
  readonly definitions?: Definitions;
  readonly $defs?: Definitions;
}

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

const loaded = new Map<string, OfficialSchema>();

/** The official schema of a revision, read once. */
export function officialSchema(date: string): OfficialSchema {
  const known = loaded.get(date);
  if (known !== undefined) return known;
  const schema = load(date);
  loaded.set(date, schema);
  return schema;
}

function load(date: string): OfficialSchema {
  const file = read(date);
  const keyword = file.$defs === undefined ? 'definitions' : '$defs';
  const own = definitions(file);
  for (const other of revisions) {
    if (other.date !== date) refuseForeign(own, definitions(read(other.date)));
  }
  const ajv = createAjv(keyword);
  ajv.addSchema(file, 'spec');
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
    problems: (name, value) => check(ajv.getSchema(`spec#/${keyword}/${name}`), name, value),
  };
}

function read(date: string): SchemaFile {
  // The file is one of the official schemas, whose outer shape is this.
  return JSON.parse(readFileSync(new URL(`${date}/schema.json`, folder), 'utf8'), widen) as SchemaFile;
}

function definitions(file: SchemaFile): Definitions {
  return file.$defs ?? file.definitions ?? {};
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

/** The envelope is inherited in the older files; an extension may reach below the revision that lists extensions. */
const harmless: ReadonlySet<string> = new Set(['id', 'jsonrpc', 'extensions']);

/** JSON Schemas may say whatever JSON Schema lets them say. */
const schemas: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema']);

function createAjv(keyword: 'definitions' | '$defs'): Ajv {
  const options = { strict: false, allErrors: true };
  const ajv = keyword === '$defs' ? new Ajv2020(options) : new Ajv(options);
  addFormats.default(ajv, ['uri', 'uri-template', 'byte']);
  return ajv;
}

/** schema.json says integer where the TypeScript source of truth says number, for values that a form may return. */
function widen(this: unknown, key: string, value: unknown): unknown {
  return key === 'type' && Array.isArray(value) && value.includes('integer') && value.includes('boolean')
    ? value.map((type: unknown) => (type === 'integer' ? 'number' : type))
    : value;
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
