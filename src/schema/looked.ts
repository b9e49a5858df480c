/** What `unevaluatedProperties` and `unevaluatedItems` ask: which parts of a value the rest of its schema looked at. */

import type { SchemaDocument, SchemaNode } from './document.ts';
import { matches, type Run } from './guards.ts';
import { has, isKeywords } from './keywords.ts';
import type { Pattern, Patterns } from './pattern.ts';
import type { Fits } from './plain.ts';

/** The names and places of a value that were looked at. */
type Seen = Set<string | number>;

/** Notes what a schema that fits has looked at; true where that is everything. */
type Look = (value: unknown, run: Run, seen: Seen) => boolean;

/** A keyword that says which parts it looks at, of objects or of arrays. */
type Kind = 'unevaluatedProperties' | 'unevaluatedItems';

/** How schemas are tested. */
interface Tests {
  readonly patterns: Patterns;
  test(raw: unknown): Fits;
}

const everything: Look = () => true;
const nothing: Look = () => false;

/** Makes the tests of what nobody looked at. */
export class Lookers {
  readonly #document: SchemaDocument;
  readonly #tests: Tests;
  readonly #made: Readonly<Record<Kind, Map<unknown, Look>>> = {
    unevaluatedProperties: new Map(),
    unevaluatedItems: new Map(),
  };

  constructor(document: SchemaDocument, tests: Tests) {
    this.#document = document;
    this.#tests = tests;
  }

  /** The test of one of the two keywords. Where a keyword beside it does not fit, its answer does not matter. */
  rest(kind: Kind, node: SchemaNode): Fits {
    const fits = this.#tests.test(node.keywords[kind]);
    const looks = this.#looks(kind, node, kind);
    const left = kind === 'unevaluatedItems' ? leftOfArray : leftOfObject;
    return (value, run) => {
      const seen: Seen = new Set();
      return lookAll(looks, value, { run, seen }) || left(value, seen, { fits, run });
    };
  }

  #look(kind: Kind, raw: unknown): Look {
    const node = this.#document.node(raw);
    if (node === undefined) return nothing;
    const before = this.#made[kind].get(raw);
    if (before !== undefined) return before;
    let looks: readonly Look[] = [];
    const look: Look = (value, run, seen) => {
      run.spend(1);
      return lookAll(looks, value, { run, seen });
    };
    // As with tests, a schema may lead back to itself.
    this.#made[kind].set(raw, look);
    looks = this.#looks(kind, node);
    return look;
  }

  #looks(kind: Kind, node: SchemaNode, except?: Kind): readonly Look[] {
    const names = Object.keys(node.keywords).filter((name) => name !== except);
    return names
      .map((name) => this.#inPlace(kind, name, node) ?? this.#own(kind, name, node))
      .filter((look) => look !== nothing);
  }

  /** What a keyword itself looks at. */
  #own(kind: Kind, name: string, { keywords }: SchemaNode): Look {
    if (name === kind) return everything;
    const value = keywords[name];
    return kind === 'unevaluatedItems' ? this.#inArrays(name, value) : this.#inObjects(name, value);
  }

  #inArrays(name: string, value: unknown): Look {
    if (name === 'items') return everything;
    if (name === 'prefixItems' && Array.isArray(value)) {
      return (_, run, seen) => {
        run.spend(value.length / 8);
        for (const at of value.keys()) seen.add(at);
        return false;
      };
    }
    if (name !== 'contains') return nothing;
    const fits = this.#tests.test(value);
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
    return byPattern(Object.keys(Object(value)).map((source) => this.#tests.patterns(source)));
  }

  /** What the schemas looked at that a keyword applies to the same value. */
  #inPlace(kind: Kind, name: string, { keywords, resource }: SchemaNode): Look | undefined {
    const value = keywords[name];
    const look = (raw: unknown): Look => this.#look(kind, raw);
    switch (name) {
      case '$ref':
        return look(this.#document.resolve(String(value), resource).target);
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        return several(Array.isArray(value) ? value.map((raw) => this.#wherever(kind, raw, name !== 'allOf')) : []);
      case 'if': {
        const fits = this.#tests.test(value);
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

  /** What a schema looked at that may or may not fit. */
  #wherever(kind: Kind, raw: unknown, mayFail: boolean): Look {
    const look = this.#look(kind, raw);
    if (!mayFail || look === nothing) return look;
    const fits = this.#tests.test(raw);
    return (value, run, seen) => fits(value, run) && look(value, run, seen);
  }
}

interface Rest {
  readonly fits: Fits;
  readonly run: Run;
}

function leftOfArray(value: unknown, seen: Seen, { fits, run }: Rest): boolean {
  if (!Array.isArray(value)) return true;
  run.spend(value.length / 8);
  return value.every((item, at) => seen.has(at) || fits(item === undefined ? null : item, run));
}

function leftOfObject(value: unknown, seen: Seen, { fits, run }: Rest): boolean {
  if (!isKeywords(value)) return true;
  return Object.keys(value).every((name) => {
    run.spend(1 / 8);
    return seen.has(name) || value[name] === undefined || fits(value[name], run);
  });
}

function lookAll(looks: readonly Look[], value: unknown, to: { readonly run: Run; readonly seen: Seen }): boolean {
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
    for (const name of isKeywords(value) ? Object.keys(value) : [])
      if (patterns.some((pattern) => matches(pattern, name, run))) seen.add(name);
    return false;
  };
}
