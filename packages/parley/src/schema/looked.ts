/**
 * Parts of a value that the rest of its schema looked at, which `unevaluatedProperties` and `unevaluatedItems` ask for.
 */

import type { RunBudget } from './budget.ts';
import type { SchemaDocument, SchemaNode } from './document.ts';
import type { Fits } from './fits.ts';
import { namesOf } from './keyword-tests.ts';
import { has, isKeywords } from './keywords.ts';
import type { Pattern, Patterns } from './pattern.ts';
import { MadeByScope, type Scope, type Scopes } from './scope.ts';

/** The names and places of a value that were looked at. */
type SeenParts = Set<string | number>;

/** Notes what a schema that fits has looked at; true where that is everything. */
type Look = (value: unknown, run: RunBudget, seen: SeenParts) => boolean;

/** A keyword that says which parts it looks at, of objects or of arrays. */
type UnevaluatedKeyword = 'unevaluatedProperties' | 'unevaluatedItems';

/** Tests of schemas. */
interface Tests {
  readonly scopes: Scopes;
  test(raw: unknown, scope: Scope): Fits;
}

const everything: Look = () => true;
const nothing: Look = () => false;

/** Makes the tests of what nobody looked at. */
export class Lookers {
  readonly #document: SchemaDocument;
  readonly #tests: Tests;
  readonly #patterns: Patterns;
  readonly #made: Readonly<Record<UnevaluatedKeyword, MadeByScope<Look>>> = {
    unevaluatedProperties: new MadeByScope(),
    unevaluatedItems: new MadeByScope(),
  };
  readonly #kept: Readonly<Record<UnevaluatedKeyword, MadeByScope<Left>>> = {
    unevaluatedProperties: new MadeByScope(),
    unevaluatedItems: new MadeByScope(),
  };

  constructor(document: SchemaDocument, tests: Tests, patterns: Patterns) {
    this.#document = document;
    this.#tests = tests;
    this.#patterns = patterns;
  }

  /** The test of one of the two keywords. Where a keyword beside it does not fit, its answer does not matter. */
  rest(kind: UnevaluatedKeyword, node: SchemaNode, scope: Scope): Fits {
    const fits = this.#tests.test(node.keywords[kind], scope);
    const left = this.#left(kind, node, scope);
    return (value, run) => {
      for (const [, part] of left(value, run)) if (!fits(part, run)) return false;
      return true;
    };
  }

  /** Parts of a value that do not fit the keyword, by name or place. */
  strangers(
    kind: UnevaluatedKeyword,
    node: SchemaNode,
    scope: Scope,
  ): (value: unknown, run: RunBudget) => readonly (string | number)[] {
    const fits = this.#tests.test(node.keywords[kind], scope);
    const left = this.#left(kind, node, scope);
    return (value, run) => [...left(value, run)].filter(([, part]) => !fits(part, run)).map(([key]) => key);
  }

  /** The parts of a value that nobody looked at. */
  #left(kind: UnevaluatedKeyword, node: SchemaNode, scope: Scope): Left {
    const before = this.#kept[kind].get(node, scope);
    if (before !== undefined) return before;
    const looks = this.#looks(kind, node, { scope, except: kind });
    const parts = kind === 'unevaluatedItems' ? leftOfArray : leftOfObject;
    const left: Left = (value, run) => {
      const seen: SeenParts = new Set();
      return lookAll(looks, value, { run, seen }) ? [] : parts(value, seen, run);
    };
    this.#kept[kind].set(node, scope, left);
    return left;
  }

  #look(kind: UnevaluatedKeyword, raw: unknown, outer: Scope): Look {
    const node = this.#document.node(raw);
    if (node === undefined) return nothing;
    const before = this.#made[kind].get(raw, outer);
    if (before !== undefined) return before;
    let looks: readonly Look[] = [];
    const look: Look = (value, run, seen) => {
      run.spend(1);
      return lookAll(looks, value, { run, seen });
    };
    // As with tests, a schema may lead back to itself.
    this.#made[kind].set(raw, outer, look);
    looks = this.#looks(kind, node, { scope: this.#tests.scopes.enter(node.resource, outer) });
    return look;
  }

  #looks(
    kind: UnevaluatedKeyword,
    node: SchemaNode,
    { scope, except }: { readonly scope: Scope; readonly except?: UnevaluatedKeyword },
  ): readonly Look[] {
    const names = Object.keys(node.keywords).filter((name) => name !== except);
    return names
      .map((name) => this.#inPlace(kind, name, { node, scope }) ?? this.#own(kind, name, { node, scope }))
      .filter((look) => look !== nothing);
  }

  /** Parts that a keyword itself looks at. */
  #own(kind: UnevaluatedKeyword, name: string, { node, scope }: Here): Look {
    if (name === kind) return everything;
    const value = node.keywords[name];
    return kind === 'unevaluatedItems' ? this.#inArrays(name, value, scope) : this.#inObjects(name, value);
  }

  #inArrays(name: string, value: unknown, scope: Scope): Look {
    if (name === 'items') return everything;
    if (name === 'prefixItems' && Array.isArray(value)) {
      return (_, run, seen) => {
        run.spend(value.length / 8);
        for (const at of value.keys()) seen.add(at);
        return false;
      };
    }
    if (name !== 'contains') return nothing;
    const fits = this.#tests.test(value, scope);
    return (items, run, seen) => {
      for (const [at, item] of Array.isArray(items) ? items.entries() : []) {
        run.spend(1 / 8);
        if (fits(item === undefined ? null : item, run)) seen.add(at);
      }
      return false;
    };
  }

  #inObjects(name: string, value: unknown): Look {
    if (name === 'additionalProperties') return everything;
    if (name === 'properties') return byName(Object.keys(Object(value)));
    if (name !== 'patternProperties') return nothing;
    return byPattern(Object.keys(Object(value)).map((source) => this.#patterns(source)));
  }

  /** Parts that the schemas looked at that a keyword applies to the same value. */
  #inPlace(kind: UnevaluatedKeyword, name: string, { node: { keywords, resource }, scope }: Here): Look | undefined {
    const value = keywords[name];
    const look = (raw: unknown): Look => this.#look(kind, raw, scope);
    const wherever = (raw: unknown): Look => {
      const [one, fits] = [look(raw), this.#tests.test(raw, scope)];
      return one === nothing ? nothing : (given, run, seen) => fits(given, run) && one(given, run, seen);
    };
    switch (name) {
      case '$ref':
      case '$dynamicRef':
        return look(this.#tests.scopes.follow(name, value, { resource, scope }));
      case 'allOf':
        return several(Array.isArray(value) ? value.map(look) : []);
      case 'anyOf':
      case 'oneOf':
        return several(Array.isArray(value) ? value.map(wherever) : []);
      case 'if': {
        const fits = this.#tests.test(value, scope);
        const [yes, no] = [several([look(value), look(keywords['then'])]), look(keywords['else'])];
        return (given, run, seen) => (fits(given, run) ? yes : no)(given, run, seen);
      }
      case 'dependentSchemas':
      case 'dependencies':
        return several(
          Object.entries(Object(value)).map(([property, raw]) => {
            const one = look(raw);
            return (given, run, seen) => isKeywords(given) && has(given, property) && one(given, run, seen);
          }),
        );
      default:
        return undefined;
    }
  }
}

/** A schema, in a scope. */
interface Here {
  readonly node: SchemaNode;
  readonly scope: Scope;
}

/** A part of a value, with its name or place. */
type Part = readonly [string | number, unknown];

/** The parts of a value that nobody looked at. */
type Left = (value: unknown, run: RunBudget) => Iterable<Part>;

function* leftOfArray(value: unknown, seen: SeenParts, run: RunBudget): Iterable<Part> {
  if (!Array.isArray(value)) return;
  run.spend(value.length / 8);
  for (const [at, item] of value.entries()) if (!seen.has(at)) yield [at, item === undefined ? null : item];
}

function* leftOfObject(value: unknown, seen: SeenParts, run: RunBudget): Iterable<Part> {
  if (!isKeywords(value)) return;
  for (const name of namesOf(value, run)) {
    run.spend(1 / 8);
    if (!seen.has(name) && value[name] !== undefined) yield [name, value[name]];
  }
}

function lookAll(
  looks: readonly Look[],
  value: unknown,
  to: { readonly run: RunBudget; readonly seen: SeenParts },
): boolean {
  return looks.some((look) => look(value, to.run, to.seen));
}

function several(looks: readonly Look[]): Look {
  return (value, run, seen) => lookAll(looks, value, { run, seen });
}

function byName(names: readonly string[]): Look {
  return (_, run, seen) => {
    run.spend(names.length / 8);
    for (const name of names) seen.add(name);
    return false;
  };
}

function byPattern(patterns: readonly Pattern[]): Look {
  return (value, run, seen) => {
    for (const name of isKeywords(value) ? namesOf(value, run) : [])
      if (patterns.some((pattern) => pattern.test(name, run))) seen.add(name);
    return false;
  };
}
