/** Rewrites a schema so that typebox checks it as the specification says, and within bounds. */

import { SchemaError, type Resource, type SchemaDocument } from './document.ts';
import { charged, exceptArrays, isolated, matching, settleNames, unique, type Refinement, type Run } from './guards.ts';
import { mapSchemas } from './keywords.ts';
import type { Patterns } from './pattern.ts';

/** How a schema is rewritten. */
export interface PrepareOptions {
  readonly patterns: Patterns;
  /** What checks are charged to; without it they are not bounded. */
  readonly run: Run | undefined;
}

/** A schema for typebox. */
export interface Prepared {
  readonly schema: object;
  /** Whether no subschema contains itself: where one does, the value decides how often it is applied. */
  readonly isTree: boolean;
  /** Whether some subschema asks what others looked at; typebox answers it right only where checks are bounded. */
  readonly tracks: boolean;
}

/**
 * Rewrites a schema. Only keywords that assert something are left. References become pointers into one flat `$defs`:
 * they are resolved here, since typebox takes one that it cannot resolve for `false` and knows no draft-07 scope.
 */
export function prepare(document: SchemaDocument, options: PrepareOptions): Prepared {
  const preparation = new Preparation(document, options);
  const root = preparation.reference(document.root, { anchors: new Map(), key: '' });
  // With `$schema`, typebox spares itself a search of the document at every reference.
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...root, $defs: preparation.definitions };
  return { schema, isTree: preparation.isTree, tracks: preparation.tracks };
}

/** The schemas that dynamic anchors name in the resources entered so far, the outermost first. */
interface Scope {
  readonly anchors: ReadonlyMap<string, unknown>;
  readonly key: string;
}

/** Keywords that name schemas, or that something else takes the place of. */
const replaced = new Set(
  '$id $anchor $dynamicAnchor $defs definitions $ref $dynamicRef pattern uniqueItems'.split(' '),
);

/** How many subschemas may come of it; one is written again for each dynamic scope that it is used in. */
const maxWritten = 20_000;

class Preparation {
  readonly definitions: Record<string, unknown> = {};
  readonly tracks: boolean;
  isTree = true;
  readonly #document: SchemaDocument;
  readonly #options: PrepareOptions;
  readonly #identities = new Map<unknown, number>();
  readonly #names = new Map<string, string>();
  readonly #open = new Set<string>();
  #written = 0;

  constructor(document: SchemaDocument, options: PrepareOptions) {
    this.#document = document;
    this.#options = options;
    this.tracks = document.names.has('unevaluatedItems') || document.names.has('unevaluatedProperties');
  }

  /** A reference to a schema as it is in a scope: what `$dynamicRef` means is settled there. */
  reference(raw: unknown, scope: Scope): { readonly $ref: string } {
    const key = `${this.#identity(raw)} ${scope.key}`;
    let name = this.#names.get(key);
    if (name === undefined) {
      name = String(this.#names.size);
      this.#names.set(key, name);
      this.#open.add(key);
      this.definitions[name] = this.#rewrite(raw, scope);
      this.#open.delete(key);
    } else if (this.#open.has(key)) this.isTree = false;
    return { $ref: `#/$defs/${name}` };
  }

  #identity(raw: unknown): number {
    const identity = this.#identities.get(raw) ?? this.#identities.size;
    this.#identities.set(raw, identity);
    return identity;
  }

  #enter({ dynamicAnchors }: Resource, scope: Scope): Scope {
    if (!this.#document.names.has('$dynamicRef')) return scope;
    const added = [...dynamicAnchors].filter(([anchor]) => !scope.anchors.has(anchor));
    if (added.length === 0) return scope;
    const key = `${scope.key} ${added.map(([, raw]) => this.#identity(raw)).join()}`;
    return { anchors: new Map([...scope.anchors, ...added]), key };
  }

  #rewrite(raw: unknown, outer: Scope): unknown {
    const node = this.#document.node(raw);
    if (node === undefined) return raw;
    if (++this.#written > maxWritten) throw new SchemaError('schema has too many dynamic scopes');
    const { keywords, resource } = node;
    const scope = this.#enter(resource, outer);
    const rewriteItem = (item: unknown): unknown =>
      this.#document.targets.has(item) ? this.reference(item, scope) : this.#rewrite(item, scope);
    const schema: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(keywords)) {
      if (replaced.has(name)) continue;
      const mapped = mapSchemas(name, value, rewriteItem) ?? value;
      schema[name] = this.tracks ? isolated(name, mapped) : mapped;
    }
    const targets = [
      ...this.#follow(keywords['$ref'], resource),
      ...this.#follow(keywords['$dynamicRef'], resource, scope),
    ];
    if (targets.length > 0)
      schema['allOf'] = [...targets.map((target) => this.reference(target, scope)), ...[schema['allOf'] ?? []].flat()];
    const refinements = this.#refinements(keywords['pattern'], keywords['uniqueItems']);
    if (refinements.length > 0) schema['~refine'] = refinements;
    return this.#bound(schema);
  }

  /** What a reference leads to; in a dynamic scope, the outermost schema with the anchor that it names. */
  #follow(reference: unknown, resource: Resource, scope?: Scope): readonly unknown[] {
    if (typeof reference !== 'string') return [];
    const { target, dynamicAnchor } = this.#document.resolve(reference, resource);
    return [scope?.anchors.get(dynamicAnchor ?? '') ?? target];
  }

  #refinements(pattern: unknown, uniqueItems: unknown): readonly Refinement[] {
    const { patterns, run } = this.#options;
    return [
      ...(typeof pattern === 'string' ? [matching(patterns(pattern), pattern, run)] : []),
      ...(uniqueItems === true ? [unique(run)] : []),
    ];
  }

  #bound(schema: Record<string, unknown>): object {
    const { patterns, run } = this.#options;
    if (run === undefined) return exceptArrays(schema);
    const { patternProperties } = schema;
    if (patternProperties === undefined) return charged(schema, false, run);
    const byPattern = Object.entries(Object(patternProperties)).map(
      ([source, item]) => [patterns(source), item] as const,
    );
    delete schema['patternProperties'];
    settleNames(schema, byPattern, run);
    return charged(schema, true, run);
  }
}
