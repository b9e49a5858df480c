/** A JSON Schema as a graph: its nodes, the resources they belong to, and what its references lead to. */

import {
  isKeywords,
  keywordsThatCount,
  malformed,
  mapSchemas,
  patternsOf,
  type Dialect,
  type Keywords,
} from './keywords.ts';
import { toPointer } from './problem.ts';

/** A schema that cannot be used; the message says where and why. */
export class SchemaError extends TypeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SchemaError';
  }
}

/** Bounds for a schema, and for the work that a check may do. */
export interface SchemaLimits {
  /** Depth to which subschemas may nest; 64 by default. */
  readonly depth?: number;
  /** Limit of subschemas; 10,000 by default. */
  readonly subschemas?: number;
  /**
   * Limit of steps (roughly: subschemas applied to values) one check may take. By default a schema of our own that
   * refers to itself has 10,000 and 100 for each part of the value, 300,000 at most; a peer's is bounded by time.
   */
  readonly steps?: number;
}

/** A schema with an identity of its own: the document, or what has an `$id` in it. */
export interface SchemaResource {
  readonly base: string;
  readonly root: unknown;
  /** The schemas that `$anchor` and `$dynamicAnchor` name. */
  readonly anchors: Map<string, unknown>;
  readonly dynamicAnchors: Map<string, unknown>;
  /** Targets of the references in it, as far as they were followed. */
  readonly followed: Map<string, ReferenceTarget>;
}

/** Target of a reference, and the dynamic anchor that it names, if it names one. */
export interface ReferenceTarget {
  readonly target: unknown;
  readonly dynamicAnchor?: string;
}

/** One subschema that is an object. */
export interface SchemaNode {
  /** The keywords that count in the dialect. */
  readonly keywords: Keywords;
  readonly resource: SchemaResource;
}

const dialects: ReadonlyMap<unknown, Dialect> = new Map([
  [undefined, 'draft-2020-12'],
  ['https://json-schema.org/draft/2020-12/schema', 'draft-2020-12'],
  ['http://json-schema.org/draft-07/schema', 'draft-07'],
  ['https://json-schema.org/draft-07/schema', 'draft-07'],
]);

/** The dialect that a schema declares, 2020-12 without `$schema`; `undefined` where it is not supported. */
export function dialectOf(schema: unknown): Dialect | undefined {
  const declared = isKeywords(schema) ? schema['$schema'] : undefined;
  return dialects.get(typeof declared === 'string' ? declared.replace(/#$/, '') : declared);
}

function supportedDialectOf(schema: unknown): Dialect {
  const dialect = dialectOf(schema);
  if (dialect !== undefined) return dialect;
  const declared = JSON.stringify(Object(schema)['$schema']);
  throw new SchemaError(
    `JSON Schema dialect ${declared} is not supported; supported are 2020-12 (https://json-schema.org/draft/2020-12/schema) and draft-07`,
  );
}

/** Limit of an identifier once it is resolved, in characters: each reference in the resource is read against it. */
const maxBaseLength = 1000;

/** Base URI of a schema without `$id`; nothing can be fetched from there. */
const defaultBase = 'schema://document/';

/** The graph of a schema document, found well-formed and closed in itself. */
export class SchemaDocument {
  readonly dialect: Dialect;
  readonly root: unknown;
  /** The names of all keywords that occur. */
  readonly names: Set<string> = new Set();
  /** Everything that references lead to. */
  readonly targets: Set<unknown> = new Set();
  readonly #limits: SchemaLimits;
  readonly #admit: (pattern: string) => void;
  readonly #resources = new Map<string, SchemaResource>();
  readonly #nodes = new Map<unknown, SchemaNode>();

  /**
   * @param admit Hears of each pattern before it is read, and throws for one that must not be.
   * @throws SchemaError when the dialect is not supported, a keyword is malformed, a reference leads nowhere or out of
   *   the document (nothing is ever fetched), or a limit is passed.
   */
  constructor(schema: unknown, limits: SchemaLimits = {}, admit: (pattern: string) => void = () => undefined) {
    if (typeof schema !== 'boolean' && !isKeywords(schema))
      throw new SchemaError('a JSON Schema must be an object or a boolean');
    this.root = schema;
    this.dialect = supportedDialectOf(schema);
    this.#limits = limits;
    this.#admit = admit;
    this.#visit(schema, this.#addResource(defaultBase, schema), []);
    // Nodes that only a reference leads to join while this goes on.
    for (const { keywords, resource } of this.#nodes.values()) {
      for (const reference of [keywords['$ref'], keywords['$dynamicRef']])
        if (typeof reference === 'string') this.targets.add(this.resolve(reference, resource).target);
    }
  }

  /** The node of a subschema that is an object; undefined for anything else. */
  node(raw: unknown): SchemaNode | undefined {
    return this.#nodes.get(raw);
  }

  /**
   * Schema that a reference leads to, and the dynamic anchor that it names, if it names one.
   *
   * @throws SchemaError when it leads out of the document or to nothing.
   */
  resolve(reference: string, from: SchemaResource): ReferenceTarget {
    const before = from.followed.get(reference);
    if (before !== undefined) return before;
    const found = this.#resolve(reference, from);
    from.followed.set(reference, found);
    return found;
  }

  #resolve(reference: string, from: SchemaResource): ReferenceTarget {
    const url = URL.canParse(reference, from.base) ? new URL(reference, from.base) : undefined;
    const fragment = url === undefined ? undefined : decode(url.hash.slice(1));
    if (url === undefined || fragment === undefined)
      throw new SchemaError(`$ref ${JSON.stringify(reference)} is malformed`);
    const resource = this.#resources.get(withoutFragment(url));
    if (resource === undefined) {
      throw new SchemaError(
        `$ref ${JSON.stringify(reference)} leads out of the schema; external references are never fetched`,
      );
    }
    const isPointer = fragment === '' || fragment.startsWith('/');
    const target = isPointer ? this.#follow(fragment, resource) : resource.anchors.get(fragment);
    if (target === undefined) throw new SchemaError(`$ref ${JSON.stringify(reference)} leads to nothing`);
    return resource.dynamicAnchors.has(fragment) ? { target, dynamicAnchor: fragment } : { target };
  }

  #follow(pointer: string, from: SchemaResource): unknown {
    let raw = from.root;
    let home = from;
    for (const token of pointer.split('/').slice(1)) {
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
      // The check before the access makes sure that it is an own property of an object or array.
      raw = typeof raw === 'object' && raw !== null && Object.hasOwn(raw, key) ? (raw as Keywords)[key] : undefined;
      home = this.#nodes.get(raw)?.resource ?? home;
    }
    if (raw !== undefined && typeof raw !== 'boolean' && !isKeywords(raw))
      throw new SchemaError(`$ref "#${pointer}" leads to something that is no schema`);
    this.#visit(raw, home, pointer.split('/').slice(1));
    return raw;
  }

  #visit(raw: unknown, outer: SchemaResource, path: readonly (string | number)[], depth = 0): void {
    if (!isKeywords(raw) || this.#nodes.has(raw)) return;
    const { depth: maxDepth = 64, subschemas: most = 10_000 } = this.#limits;
    if (depth > maxDepth)
      throw new SchemaError(`schema nests deeper than the limit of ${maxDepth} levels; move parts to $defs`);
    if (this.#nodes.size >= most)
      throw new SchemaError(
        `schema has more than the limit of ${most} subschemas; describe what repeats once, in $defs`,
      );
    const keywords = keywordsThatCount(raw, this.dialect);
    const resource = this.#identify(keywords, raw, outer);
    this.#nodes.set(raw, { keywords, resource });
    for (const [name, value] of Object.entries(keywords)) {
      for (const pattern of patternsOf(name, value)) this.#admit(pattern);
      const problem = malformed(name, value, this.dialect);
      if (problem !== undefined)
        throw new SchemaError(path.length === 0 ? problem : `at ${toPointer(path)}: ${problem}`);
      this.names.add(name);
      mapSchemas(name, value, (item, ...key) => this.#visit(item, resource, [...path, ...key], depth + 1));
    }
  }

  /** Notes the identifiers of a node; the result is the resource that it belongs to. */
  #identify({ $id, $anchor, $dynamicAnchor }: Keywords, raw: Keywords, outer: SchemaResource): SchemaResource {
    let resource = outer;
    if (typeof $id === 'string') {
      if (!URL.canParse($id, outer.base))
        throw new SchemaError(`$id ${JSON.stringify($id.slice(0, 200))} is malformed`);
      // Draft-07, core 8.2.3: an `$id` that is only a fragment names the place and does not move the base.
      if ($id.startsWith('#')) outer.anchors.set($id.slice(1), raw);
      else {
        const base = withoutFragment(new URL($id, outer.base));
        if (base.length > maxBaseLength) throw new SchemaError(`$id ${JSON.stringify($id.slice(0, 200))} is too long`);
        resource = this.#addResource(base, raw);
      }
    }
    for (const anchor of [$anchor, $dynamicAnchor]) if (typeof anchor === 'string') resource.anchors.set(anchor, raw);
    if (typeof $dynamicAnchor === 'string') {
      resource.dynamicAnchors.set($dynamicAnchor, raw);
      this.targets.add(raw);
    }
    return resource;
  }

  #addResource(base: string, root: unknown): SchemaResource {
    const resource: SchemaResource = { base, root, anchors: new Map(), dynamicAnchors: new Map(), followed: new Map() };
    // The first of several schemas with one identifier is the one that references find.
    if (!this.#resources.has(base)) this.#resources.set(base, resource);
    return resource;
  }
}

function withoutFragment(url: URL): string {
  return url.href.slice(0, url.href.length - url.hash.length).replace(/#$/, '');
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
