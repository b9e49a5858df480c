/** Holds the tables of `packages/parley/src/protocol` against the official schema of a revision, in both directions. */

import { isRequired } from '../../packages/parley/src/protocol/compile/inspect.ts';
import { isAlive } from '../../packages/parley/src/protocol/lifetime.ts';
import { methodNames, methodOf } from '../../packages/parley/src/protocol/catalogue.ts';
import { maySend, type MethodRow } from '../../packages/parley/src/protocol/method.ts';
import type { Revision } from '../../packages/parley/src/protocol/revision.ts';
import { kindOf, nameOf, type Kind, type Row, type Shape } from '../../packages/parley/src/protocol/shape.ts';
import type { Schema } from '../../scripts/schema-facts.ts';
import { referred, type Definitions } from './official-definitions.ts';
import { shapes } from './types.ts';
import { allowed, explained, extensionTypes, renamed } from './shape-differences.ts';

/** What the tables and an official schema do not agree on; nothing when they do. */
export function shapeProblems(revision: Revision, official: Definitions): readonly string[] {
  const comparison = new Comparison(revision, official);
  comparison.run();
  return comparison.problems;
}

/** One revision's official schema beside the tables. */
export class Comparison {
  readonly problems: string[] = [];
  /** The allowed differences that were met. */
  readonly used: Set<string> = new Set();
  readonly #revision: Revision;
  readonly #official: Definitions;
  /** The shapes that the official schema was compared with. */
  readonly #seen: Set<string> = new Set();

  constructor(revision: Revision, official: Definitions) {
    this.#revision = revision;
    this.#official = official;
  }

  /** Compares everything, and keeps what it finds. */
  run(): void {
    for (const [name, schema] of Object.entries(this.#official)) this.#definition(name, schema);
    for (const [name, row] of shapes) this.#unknownToSchema(name, row);
    for (const method of methodNames) this.#methodIsOfficial(method);
  }

  #problem(path: string, message: string): void {
    const short = `${path} ${message}`;
    for (const key of [`${this.#revision.date} ${short}`, short]) {
      if (!allowed.has(key)) continue;
      this.used.add(key);
      return;
    }
    if (!this.problems.includes(short)) this.problems.push(short);
  }

  #definition(name: string, schema: Schema): void {
    if (this.#isExplained(name)) return;
    const method = schema.properties?.['method']?.const;
    if (typeof method === 'string') {
      this.#message(name, method, schema);
      return;
    }
    const { properties, anyOf } = this.#resolve(schema);
    if (properties === undefined && anyOf === undefined) return;
    const own = this.#nameOf(name);
    const row = shapes.get(own);
    if (row === undefined) this.#problem(name, 'is in the official schema and not in the tables');
    else this.#kind(this.#resolve(schema), row.kind, own);
  }

  #isExplained(name: string): boolean {
    return explained.has(name) || explained.has(`${this.#revision.date} ${name}`);
  }

  #nameOf(official: string): string {
    return renamed.get(`${this.#revision.date} ${official}`) ?? renamed.get(official) ?? official;
  }

  /** A request or notification: a row of the methods, with its parameters. */
  #message(name: string, method: string, schema: Schema): void {
    const row = methodOf(method);
    if (row === undefined) {
      this.#problem(method, 'is in the official schema and not a method');
      return;
    }
    this.#direction(name, method, row);
    const params = schema.properties?.['params'];
    if (params === undefined) {
      this.#problem(method, 'has parameters on one side only');
      return;
    }
    const reference = referred(params);
    const own = nameOf(row.params);
    if (reference !== undefined && own !== this.#nameOf(reference)) {
      this.#problem(method, `has the parameters ${reference}, and not ${own}`);
    }
    this.#kind(this.#withBase(row, params), kindOf(row.params), own);
  }

  /** Until 2025-06-18 `_meta` stands in the base of all requests, and is not repeated. */
  #withBase(row: MethodRow, params: Schema): Schema {
    const resolved = this.#resolve(params);
    const base = this.#official[row.kind === 'request' ? 'Request' : 'Notification']?.properties?.['params'];
    const meta = base?.properties?.['_meta'];
    return meta === undefined ? resolved : { ...resolved, properties: { _meta: meta, ...resolved.properties } };
  }

  #direction(name: string, method: string, row: MethodRow): void {
    const embedded = row.embedded !== undefined && isAlive(row.embedded, this.#revision);
    const isIn = (union: string): boolean => {
      const members = this.#official[union]?.anyOf ?? [this.#official[union] ?? {}];
      return members.some((member) => referred(member) === name || member.properties?.['method']?.const === method);
    };
    if (embedded) {
      if (!isIn('InputRequest')) this.#problem(method, 'is no input request');
      return;
    }
    const word = row.kind === 'request' ? 'Request' : 'Notification';
    for (const side of ['client', 'server'] as const) {
      const official = isIn(`${side === 'client' ? 'Client' : 'Server'}${word}`);
      if (official !== maySend(side, row, this.#revision)) {
        this.#problem(method, `is ${official ? '' : 'not '}sent by the ${side}`);
      }
    }
  }

  #kind(schema: Schema, kind: Kind, path: string): void {
    const official = this.#resolve(schema);
    switch (kind.kind) {
      case 'widened':
        this.#kind(schema, (isAlive(kind.life, this.#revision) ? kind.newer : kind.older).kind, path);
        return;
      case 'ref':
        this.#shape(schema, kind.shape, path);
        return;
      case 'tagged':
        this.#union(schema, [...kind.cases.values()], path);
        return;
      case 'choice':
        this.#union(schema, kind.cases, path);
        return;
      case 'array':
        if (official.type !== 'array' || official.items === undefined) this.#problem(path, 'is no array');
        else this.#kind(official.items, kind.of.kind, `${path}[]`);
        return;
      case 'map':
        this.#map(official, kind.of.kind, path);
        return;
      case 'oneOf':
        this.#oneOf(official, kind.of, path);
        return;
      case 'literal':
        this.#literal(official, kind.values, path);
        return;
      default:
        this.#leaf(official, kind.kind, path);
    }
  }

  #shape(schema: Schema, shape: Shape, path: string): void {
    const name = referred(schema);
    if (name !== undefined && !this.#isExplained(name) && this.#nameOf(name) !== shape.name) {
      this.#problem(path, `is ${name}, and not ${shape.name}`);
      return;
    }
    this.#seen.add(shape.name);
    const official = this.#resolve(schema);
    if (!isAlive(shape.life, this.#revision)) {
      this.#problem(path, `is in the official schema, and ${shape.name} is not alive`);
      return;
    }
    // A named shape is compared under its own name, once.
    if (name !== undefined && path !== shape.name && !this.#isExplained(name)) return;
    this.#fields(official, shape);
  }

  #fields(official: Schema, shape: Shape): void {
    const path = shape.name;
    const known = Object.entries(shape.rows).filter(([, row]) => isAlive(row.life, this.#revision));
    const properties = official.properties ?? {};
    for (const [key, row] of known) {
      const field = properties[key];
      const at = `${path}.${key}`;
      if (field === undefined) this.#problem(at, 'is not in the official schema');
      else {
        const required = official.required?.includes(key) ?? false;
        if (required !== isRequired(row, this.#revision))
          this.#problem(at, `is officially ${required ? 'required' : 'optional'}`);
        this.#kind(field, row.kind, at);
      }
    }
    const rowKeys = new Set(known.map(([key]) => key));
    for (const key of Object.keys(properties)) {
      if (!rowKeys.has(key)) this.#problem(`${path}.${key}`, 'is in the official schema and has no row');
    }
  }

  #union(schema: Schema, shapesOfUnion: readonly Shape[], path: string): void {
    const alive = shapesOfUnion.filter((shape) => isAlive(shape.life, this.#revision)).map((shape) => shape.name);
    for (const shape of shapesOfUnion) this.#seen.add(shape.name);
    const only = shapesOfUnion.find((shape) => shape.name === alive[0]);
    if (only !== undefined && alive.length === 1 && referred(schema) === undefined) {
      this.#shape(schema, only, path);
      return;
    }
    const official = new Set(this.#alternatives(schema));
    for (const name of alive) if (!official.has(name)) this.#problem(path, `is officially never ${name}`);
    for (const name of official) if (!alive.includes(name)) this.#problem(path, `is officially also ${name}`);
  }

  /** The names of what a schema may be, unions within unions laid open. */
  #alternatives(schema: Schema): readonly string[] {
    const name = referred(schema);
    const members = this.#resolve(schema).anyOf;
    if (members !== undefined) return members.flatMap((member) => this.#alternatives(member));
    if (name !== undefined) return [this.#nameOf(name)];
    return [];
  }

  #map(official: Schema, values: Kind, path: string): void {
    const of = official.additionalProperties;
    if (official.type !== 'object' || typeof of !== 'object') this.#problem(path, 'is no map');
    else this.#kind(of, values, `${path}{}`);
  }

  #oneOf(official: Schema, members: readonly Row[], path: string): void {
    const union = members.find((member) => member.kind.kind === 'tagged');
    if (union !== undefined) this.#kind(official, union.kind, path);
    const own = members.flatMap((member) => (member.kind.kind === 'tagged' ? [] : [jsonType(member.kind)]));
    const types = union === undefined ? typesOf(official) : typesOf(official).filter((type) => type === 'array');
    assertSame(types, own, (message) => this.#problem(path, message));
  }

  #literal(official: Schema, values: readonly string[], path: string): void {
    const officialValues = official.enum ?? (official.const === undefined ? [] : [official.const]);
    assertSame(officialValues.map(String), values, (message) => this.#problem(path, message));
  }

  #leaf(official: Schema, kind: string, path: string): void {
    const type = kind === 'presence' ? 'object' : kind;
    if (type === 'any') {
      if (official.type !== undefined) this.#problem(path, `is officially ${String(official.type)}`);
    } else if (official.type !== type || official.const !== undefined || official.enum !== undefined) {
      this.#problem(path, `is officially ${JSON.stringify(official.const ?? official.enum ?? official.type)}`);
    }
  }

  #resolve(schema: Schema): Schema {
    const name = referred(schema);
    const target = name === undefined ? schema : this.#official[name];
    if (target !== undefined && target !== schema) return this.#resolve(target);
    if (schema.allOf === undefined) return schema;
    const parts = schema.allOf.map((part) => this.#resolve(part));
    return {
      type: 'object',
      properties: Object.assign({}, ...parts.map((part) => part.properties)),
      required: parts.flatMap((part) => part.required ?? []),
    };
  }

  /** A type that lives here must have been met in the official schema. */
  #unknownToSchema(name: string, row: Row): void {
    if (row.kind.kind !== 'ref' || extensionTypes.has(`${this.#revision.date} ${name}`)) return;
    if (isAlive(row.kind.shape.life, this.#revision) && !this.#seen.has(row.kind.shape.name)) {
      this.#problem(name, 'is not in the official schema');
    }
  }

  #methodIsOfficial(method: string): void {
    const row = methodOf(method);
    const alive =
      row !== undefined &&
      (isAlive(row.lifetime, this.#revision) || (row.embedded !== undefined && isAlive(row.embedded, this.#revision)));
    const inExtension = row?.extension !== undefined && isAlive(row.extension.lifetime, this.#revision);
    const official = Object.values(this.#official).some((schema) => schema.properties?.['method']?.const === method);
    if (inExtension && official) this.#problem(method, 'is officially there, and of an extension here');
    else if (!inExtension && alive !== official)
      this.#problem(method, `is officially ${official ? 'there' : 'not there'}`);
  }
}

function typesOf(official: Schema): readonly string[] {
  const alone = official.type === undefined ? [] : [official.type].flat();
  return [...alone, ...(official.anyOf ?? []).flatMap((member) => [member.type ?? []].flat())];
}

function jsonType(kind: Kind): string {
  return kind.kind === 'literal' ? 'string' : kind.kind;
}

function assertSame(official: readonly string[], own: readonly string[], report: (message: string) => void): void {
  const difference = (a: readonly string[], b: readonly string[]): string =>
    a
      .filter((value) => !b.includes(value))
      .toSorted()
      .join(', ');
  const missing = difference(official, own);
  const extra = difference(own, official);
  if (missing !== '') report(`is officially also ${missing}`);
  if (extra !== '') report(`is officially never ${extra}`);
}
