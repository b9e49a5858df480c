/** Rewrites a schema so that typebox checks it as the specification says, and within bounds. */

import { SchemaError, type Resource, type SchemaDocument } from './document.ts';
import { isKeywords, mapSchemas, type Keywords } from './keywords.ts';
import type { Patterns } from './pattern.ts';

/** The state of a check. */
export interface Run {
  /** How many steps are left before the check gives up. */
  steps: number;
  /** The names of all properties in the value. */
  names: ReadonlySet<string>;
}

/** A check that took more steps than it may: a hostile schema, or a value made for a costly one. */
export class OverBudget extends Error {}

/** Takes steps out of the budget of a check. */
export function spend(run: Run, steps: number): void {
  run.steps -= steps;
  if (run.steps < 0) throw new OverBudget('the schema asks for too many steps');
}

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
  /** Whether some subschema asks what others looked at; typebox's compiler optimizes that away in places. */
  readonly tracks: boolean;
}

/** A function of our own among the keywords of typebox. */
interface Refinement {
  check(value: unknown): boolean;
  error(): string;
}

/**
 * Rewrites a schema. Only keywords that assert something are left. References become pointers into one flat `$defs`:
 * they are resolved here, since typebox takes one that it cannot resolve for `false` and knows no draft-07 scope.
 */
export function prepare(document: SchemaDocument, options: PrepareOptions): Prepared {
  const preparation = new Preparation(document, options);
  const root = preparation.reference(document.root, noScope);
  // With `$schema`, typebox spares itself a search of the document at every reference.
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...root, $defs: preparation.definitions };
  return { schema, isTree: preparation.isTree, tracks: preparation.tracks };
}

/** The schemas that dynamic anchors name in the resources entered so far, the outermost first. */
interface Scope {
  readonly anchors: ReadonlyMap<string, unknown>;
  readonly key: string;
}

const noScope: Scope = { anchors: new Map(), key: '' };

class Preparation {
  readonly definitions: Record<string, unknown> = {};
  isTree = true;
  readonly tracks: boolean;
  readonly #document: SchemaDocument;
  readonly #options: PrepareOptions;
  readonly #identities = new Map<unknown, number>();
  readonly #names = new Map<string, string>();
  readonly #open = new Set<string>();
  #count = 0;

  constructor(document: SchemaDocument, options: PrepareOptions) {
    this.#document = document;
    this.#options = options;
    this.tracks = document.names.has('unevaluatedItems') || document.names.has('unevaluatedProperties');
  }

  /** A reference to a schema as it is in a scope; what `$dynamicRef` means is settled there. */
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
    const known = this.#identities.get(raw) ?? this.#identities.size;
    this.#identities.set(raw, known);
    return known;
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
    if (++this.#count > 20_000) throw new SchemaError('schema has too many subschemas in different dynamic scopes');
    const { keywords, resource } = node;
    const scope = this.#enter(resource, outer);
    const schemaOf = (item: unknown): unknown =>
      this.#document.targets.has(item) ? this.reference(item, scope) : this.#rewrite(item, scope);
    const rewritten: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(keywords)) {
      if (name.startsWith('$') || name === 'definitions' || name === 'pattern' || name === 'uniqueItems') continue;
      rewritten[name] = this.#isolate(name, mapSchemas(name, value, schemaOf)) ?? value;
    }
    const references = ['$ref', '$dynamicRef'].flatMap((name) => this.#follow(name, keywords[name], resource, scope));
    if (references.length > 0) rewritten['allOf'] = [...references, ...listOf(rewritten['allOf'])];
    const refinements = [...this.#pattern(keywords['pattern']), ...this.#uniqueItems(keywords['uniqueItems'])];
    if (refinements.length > 0) rewritten['~refine'] = refinements;
    return this.#charged(rewritten);
  }

  #follow(name: string, reference: unknown, resource: Resource, scope: Scope): readonly object[] {
    if (typeof reference !== 'string') return [];
    const { target, dynamicAnchor } = this.#document.resolve(reference, resource);
    const outermost = name === '$dynamicRef' ? scope.anchors.get(dynamicAnchor ?? '') : undefined;
    return [this.reference(outermost ?? target, scope)];
  }

  /**
   * Typebox notes what a subschema looked at even where that must not count: after a failed `if`, inside of `not`, and
   * for the items of an array as if they were the array. Doubly negated, a schema says the same and notes nothing.
   */
  #isolate(name: string, value: unknown): unknown {
    if (!this.tracks || !isKeywords(value)) return value;
    if (name === 'if') return { allOf: [value] };
    if (name === 'not') return { not: { not: value } };
    return ['contains', 'unevaluatedItems', 'unevaluatedProperties'].includes(name) ? { not: { not: value } } : value;
  }

  *#pattern(source: unknown): Iterable<Refinement> {
    if (typeof source !== 'string') return;
    const isMatch = this.#matcher(source);
    yield {
      check: (value) => typeof value !== 'string' || isMatch(value),
      error: () => `must match the pattern ${source.slice(0, 200)}`,
    };
  }

  #matcher(source: string): (text: string) => boolean {
    const { run, patterns } = this.#options;
    const pattern = patterns(source);
    return (text) => {
      if (run !== undefined) spend(run, 1 + (text.length * pattern.size) / 16);
      return pattern.test(text);
    };
  }

  /** Typebox compares hashes, which are the same for `[[1], 2]` and `[[1, 2]]`, and tells of repeated items at length. */
  *#uniqueItems(unique: unknown): Iterable<Refinement> {
    const { run } = this.#options;
    if (unique !== true) return;
    const textOf = (item: unknown): string => {
      const text = JSON.stringify(item, sorted);
      if (run !== undefined) spend(run, 1 + text.length / 64);
      return text;
    };
    yield {
      check: (value) => !Array.isArray(value) || new Set(value.map(textOf)).size === value.length,
      error: () => 'must not have duplicate items',
    };
  }

  /** Charges every application of a schema, before it begins, by the size of the schema and of the value. */
  #charged(rewritten: Record<string, unknown>): object {
    const { run } = this.#options;
    if (run === undefined) return exceptArrays(rewritten);
    const weight = 1 + weigh(rewritten) / 32;
    const byName = 'patternProperties' in rewritten;
    if (byName) this.#settleNames(rewritten, run);
    const charge: Refinement = {
      check(value) {
        spend(run, (weight + (byName ? run.names.size / 8 : 0)) * (1 + sizeOf(value) / 64));
        return true;
      },
      error: () => '',
    };
    return { allOf: [{ '~refine': [charge] }, exceptArrays(rewritten)] };
  }

  /** Typebox looks for patterns with the engine of the platform; so they become the names that occur in the value. */
  #settleNames(rewritten: Record<string, unknown>, run: Run): void {
    const { properties, patternProperties } = rewritten;
    const byPattern = Object.entries(Object(patternProperties)).map(
      ([source, schema]) => [this.#matcher(source), schema] as const,
    );
    delete rewritten['patternProperties'];
    let names: Run['names'] | undefined;
    let settled: Keywords = {};
    Object.defineProperty(rewritten, 'properties', {
      enumerable: true,
      get() {
        if (names === run.names) return settled;
        names = run.names;
        const merged = new Map<string, unknown>(Object.entries(Object(properties)));
        for (const name of names) {
          const schemas = byPattern.filter(([isMatch]) => isMatch(name)).map(([, schema]) => schema);
          if (schemas.length > 0) merged.set(name, { allOf: [...schemas, merged.get(name) ?? true] });
        }
        return (settled = Object.fromEntries(merged));
      },
    });
  }
}

/** Typebox takes the items of an array for properties that nothing looked at. */
function exceptArrays(rewritten: object): object {
  if (!('unevaluatedProperties' in rewritten)) return rewritten;
  const { unevaluatedProperties: _, ...others } = Object.getOwnPropertyDescriptors(rewritten);
  const isArray = { type: 'array' };
  return {
    allOf: [
      { if: isArray, else: rewritten },
      { if: { not: isArray }, else: Object.defineProperties({}, others) },
    ],
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** How much of a schema is its own: all but the subschemas, of which the names count. */
function weigh(rewritten: Keywords): number {
  const own = Object.entries(rewritten).map(([name, value]) => mapSchemas(name, value, () => 0) ?? value);
  return JSON.stringify(own).length;
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return isKeywords(value) ? Object.keys(value).length : 0;
}

function sorted(_key: string, value: unknown): unknown {
  if (!isKeywords(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, value[key]]),
  );
}
