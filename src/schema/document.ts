/** A JSON Schema as a graph: its nodes, the resources they belong to, and what its references lead to. */

import { toPointer } from './problem.ts';
import { fail, type Keywords, type Part, type Resource, type SchemaNode } from './run.ts';

/** A schema that cannot be used; the message says where and why. */
export class SchemaError extends TypeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SchemaError';
  }
}

/** Bounds for a schema, and for the work that a check may do. */
export interface SchemaLimits {
  /** How deep subschemas may nest; 64 by default. */
  readonly depth?: number;
  /** How many subschemas there may be; 10,000 by default. */
  readonly subschemas?: number;
  /** How many steps (roughly: subschemas applied, items compared) one check may take; 1,000,000 by default. */
  readonly steps?: number;
}

/** The dialects of JSON Schema that are understood. */
export type Dialect = 'draft-2020-12' | 'draft-07';

const dialects: ReadonlyMap<unknown, Dialect> = new Map([
  [undefined, 'draft-2020-12'],
  ['https://json-schema.org/draft/2020-12/schema', 'draft-2020-12'],
  ['https://json-schema.org/draft/2020-12/schema#', 'draft-2020-12'],
  ['http://json-schema.org/draft-07/schema', 'draft-07'],
  ['http://json-schema.org/draft-07/schema#', 'draft-07'],
  ['https://json-schema.org/draft-07/schema', 'draft-07'],
  ['https://json-schema.org/draft-07/schema#', 'draft-07'],
]);

/** The dialect that a schema declares; 2020-12 without `$schema`. */
export function dialectOf(schema: unknown): Dialect {
  const declared = isKeywords(schema) ? schema['$schema'] : undefined;
  const dialect = dialects.get(declared);
  if (dialect === undefined) {
    throw new SchemaError(
      `JSON Schema dialect ${JSON.stringify(declared)} is not supported; supported are 2020-12 (https://json-schema.org/draft/2020-12/schema) and draft-07`,
    );
  }
  return dialect;
}

/** Keywords that hold one subschema, a list of them, or subschemas by name. */
const one = new Set(
  'additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);
const list = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);
const byName = new Set(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties']);

/** Keywords that draft-07 does not have. */
const newer = new Set(
  '$anchor $dynamicAnchor $dynamicRef dependentRequired dependentSchemas maxContains minContains prefixItems unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);

/** Where a schema without `$id` stands; nothing can be fetched from there. */
const defaultBase = 'schema://document/';

/** The graph of a schema document. */
export class SchemaDocument {
  readonly dialect: Dialect;
  /** Whether some node has `unevaluatedProperties` or `unevaluatedItems`. */
  tracks = false;
  readonly root: SchemaNode;
  readonly #maxDepth: number;
  readonly #maxSubschemas: number;
  readonly #resources = new Map<string, Resource>();
  readonly #nodes = new Map<unknown, SchemaNode>();
  #count = 0;

  /** @throws SchemaError when the dialect is unknown, an identifier is malformed, or a limit is passed. */
  constructor(schema: unknown, limits: SchemaLimits) {
    if (typeof schema !== 'boolean' && !isKeywords(schema))
      throw new SchemaError('a JSON Schema must be an object or a boolean');
    this.dialect = dialectOf(schema);
    this.#maxDepth = limits.depth ?? 64;
    this.#maxSubschemas = limits.subschemas ?? 10_000;
    const resource = this.#addResource(defaultBase, schema);
    this.#visit(schema, resource, [], 0);
    this.root = this.nodeAt(schema, resource);
  }

  /** Every subschema that is an object. */
  get nodes(): Iterable<SchemaNode> {
    return this.#nodes.values();
  }

  /** The keywords of a node that count in the dialect. */
  keywords(raw: Keywords): Keywords {
    if (this.dialect === 'draft-2020-12') return raw;
    // Draft-07, core 8.3: everything beside `$ref` is ignored.
    if (typeof raw['$ref'] === 'string') return { $ref: raw['$ref'] };
    return Object.fromEntries(Object.entries(raw).filter(([keyword]) => !newer.has(keyword)));
  }

  /** The node of a subschema; visits it first where only a reference leads to it. */
  nodeAt(raw: unknown, resource: Resource): SchemaNode {
    if (typeof raw === 'boolean') return { raw, resource, location: '', parts: raw ? [] : [neverFits] };
    if (!isKeywords(raw)) throw new SchemaError(`${describe(raw)} stands where a schema must be`);
    if (!this.#nodes.has(raw)) this.#visit(raw, resource, [], 0);
    const node = this.#nodes.get(raw);
    if (node === undefined) throw new SchemaError('a subschema was not visited');
    return node;
  }

  /**
   * What a reference leads to.
   *
   * @throws SchemaError when it leads out of the document (nothing is ever fetched) or to nothing.
   */
  resolve(
    reference: string,
    from: Resource,
  ): { readonly node: SchemaNode; readonly dynamicAnchor: string | undefined } {
    const url = parseUrl(reference, from.base);
    const fragment = url === undefined ? undefined : decodeFragment(url.hash);
    if (url === undefined || fragment === undefined)
      throw new SchemaError(`$ref ${JSON.stringify(reference)} is malformed`);
    const resource = this.#resources.get(withoutFragment(url));
    if (resource === undefined) {
      throw new SchemaError(
        `$ref ${JSON.stringify(reference)} leads out of the schema; external references are never fetched`,
      );
    }
    if (fragment === '' || fragment.startsWith('/')) {
      return { node: this.#follow(fragment, resource, reference), dynamicAnchor: undefined };
    }
    const target = resource.anchors.get(fragment);
    if (target === undefined) throw new SchemaError(`$ref ${JSON.stringify(reference)} leads to nothing`);
    return {
      node: this.nodeAt(target, resource),
      dynamicAnchor: resource.dynamicAnchors.has(fragment) ? fragment : undefined,
    };
  }

  #follow(pointer: string, resource: Resource, reference: string): SchemaNode {
    let raw = resource.root;
    let home = resource;
    for (const token of pointer.split('/').slice(1)) {
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
      // The check before the access makes sure that it is an own property of an object or array.
      raw = typeof raw === 'object' && raw !== null && Object.hasOwn(raw, key) ? (raw as Keywords)[key] : undefined;
      home = this.#nodes.get(raw)?.resource ?? home;
    }
    if (raw === undefined) throw new SchemaError(`$ref ${JSON.stringify(reference)} leads to nothing`);
    return this.nodeAt(raw, home);
  }

  #visit(raw: unknown, outer: Resource, path: readonly (string | number)[], depth: number): void {
    if (!isKeywords(raw) || this.#nodes.has(raw)) return;
    if (depth > this.#maxDepth) throw new SchemaError(`schema nests deeper than ${this.#maxDepth} levels`);
    if (++this.#count > this.#maxSubschemas)
      throw new SchemaError(`schema has more than ${this.#maxSubschemas} subschemas`);
    const keywords = this.keywords(raw);
    const resource = this.#identify(keywords, raw, outer);
    this.#nodes.set(raw, { raw, resource, location: toPointer(path), parts: [] });
    if ('unevaluatedProperties' in keywords || 'unevaluatedItems' in keywords) this.tracks = true;
    for (const [keyword, value] of Object.entries(keywords)) {
      for (const [key, item] of subschemas(keyword, value))
        this.#visit(item, resource, [...path, keyword, ...key], depth + 1);
    }
  }

  /** Notes the identifiers of a node; the result is the resource that it belongs to. */
  #identify(keywords: Keywords, raw: Keywords, outer: Resource): Resource {
    const { $id, $anchor, $dynamicAnchor } = keywords;
    let resource = outer;
    if (typeof $id === 'string') {
      const url = parseUrl($id, outer.base);
      if (url === undefined) throw new SchemaError(`$id ${JSON.stringify($id)} is malformed`);
      // Draft-07, core 8.2.3: an `$id` that is only a fragment names the place and does not move the base.
      if ($id.startsWith('#')) outer.anchors.set($id.slice(1), raw);
      else resource = this.#addResource(withoutFragment(url), raw);
    }
    if (typeof $anchor === 'string') resource.anchors.set($anchor, raw);
    if (typeof $dynamicAnchor === 'string') {
      resource.anchors.set($dynamicAnchor, raw);
      resource.dynamicAnchors.set($dynamicAnchor, raw);
    }
    return resource;
  }

  #addResource(base: string, root: unknown): Resource {
    const resource: Resource = { base, root, anchors: new Map(), dynamicAnchors: new Map() };
    // The first of several schemas with one identifier is the one that references find.
    if (!this.#resources.has(base)) this.#resources.set(base, resource);
    return resource;
  }
}

const neverFits: Part = (_value, at, run) => fail(run, at, 'is not allowed');

/** The subschemas that a keyword holds, with the keys that lead to them. */
function subschemas(keyword: string, value: unknown): readonly (readonly [readonly (string | number)[], unknown])[] {
  if (Array.isArray(value)) return list.has(keyword) ? value.map((item, index) => [[index], item]) : [];
  if (one.has(keyword)) return [[[], value]];
  return byName.has(keyword) && isKeywords(value) ? Object.entries(value).map(([key, item]) => [[key], item]) : [];
}

function parseUrl(text: string, base: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

function withoutFragment(url: URL): string {
  return url.href.slice(0, url.href.length - url.hash.length).replace(/#$/, '');
}

function decodeFragment(hash: string): string | undefined {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return undefined;
  }
}

function describe(raw: unknown): string {
  return raw === null ? 'null' : Array.isArray(raw) ? 'an array' : `a ${typeof raw}`;
}

/** Whether a value is an object that can hold keywords or properties. */
export function isKeywords(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
