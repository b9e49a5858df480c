/**
 * Test of a value by a schema, whether it fits: each keyword as a function, made once, which looks at values in place
 * and copies nothing.
 */

import type { RunBudget } from './budget.ts';
import { SchemaError, type SchemaDocument, type SchemaNode } from './document.ts';
import { combined, namesOf, receivedType, silent, simpleTests } from './keyword-tests.ts';
import { isKeywords } from './keywords.ts';
import { Lookers } from './looked.ts';
import type { Patterns } from './pattern.ts';
import { MadeByScope, Scopes, type Scope } from './scope.ts';

/** Test of a value, whether it fits. It throws `OverBudget`. */
export type Fits = (value: unknown, run: RunBudget) => boolean;

/** A value that is looked at, at the expense of a check. */
export interface EvaluatedValue {
  readonly value: unknown;
  readonly run: RunBudget;
}

/** The tests of a document. */
export class SchemaTests {
  readonly scopes: Scopes;
  /** The test of the whole document. */
  readonly root: Fits;
  readonly #document: SchemaDocument;
  readonly #patterns: Patterns;
  readonly #isReceived: boolean;
  readonly #made = new MadeByScope<Fits>();
  /** The tests of each keyword of a node, by its name: who explains asks for them again, for each value. */
  readonly #kept = new MadeByScope<Map<string, readonly Fits[]>>();
  /** The tests whose keywords are being read, with how many references had been followed to them. */
  readonly #open = new Map<Fits, number>();
  #followed = 0;
  readonly #lookers: Lookers;
  #isTree = true;

  /**
   * @param isReceived True where values came as JSON text, so that integers beyond 2^53 may have lost digits.
   * @throws SchemaError for patterns that are not supported, and for more tests than there may be.
   */
  constructor(document: SchemaDocument, patterns: Patterns, isReceived: boolean = false) {
    this.#document = document;
    this.#isReceived = isReceived;
    this.#patterns = patterns;
    this.scopes = new Scopes(document);
    this.#lookers = new Lookers(document, this, patterns);
    this.root = this.test(document.root, this.scopes.outermost);
  }

  /** Tells whether no subschema contains itself: where one does, the value decides how often it is applied. */
  get isTree(): boolean {
    return this.#isTree;
  }

  /** The test of a schema that one came to in a scope. */
  test(raw: unknown, outer: Scope): Fits {
    const node = this.#document.node(raw);
    if (node === undefined) return () => raw !== false;
    const before = this.#made.get(raw, outer);
    if (before !== undefined) {
      this.#meetAgain(before);
      return before;
    }
    let fits: readonly Fits[] = [];
    const test: Fits = (value, run) => {
      run.spend(1);
      for (const one of fits) if (!one(value, run)) return false;
      return true;
    };
    // A schema may lead back to itself while its keywords are read.
    this.#made.set(raw, outer, test);
    this.#open.set(test, this.#followed);
    const scope = this.scopes.enter(node.resource, outer);
    fits = Object.keys(node.keywords).flatMap((name) => this.keyword(name, node, scope));
    this.#open.delete(test);
    return test;
  }

  /** A schema that is met while it is read is about itself. */
  #meetAgain(before: Fits): void {
    const followed = this.#open.get(before);
    if (followed === undefined) return;
    if (followed === this.#followed) throw new SchemaError('schema contains itself; a reference may lead to it');
    this.#isTree = false;
  }

  /** The test of one keyword of a schema; none where it has no effect of its own. */
  keyword(name: string, node: SchemaNode, scope: Scope): readonly Fits[] {
    let kept = this.#kept.get(node, scope);
    if (kept === undefined) this.#kept.set(node, scope, (kept = new Map()));
    const before = kept.get(name);
    if (before !== undefined) return before;
    const made = this.#keyword(name, node, scope);
    kept.set(name, made);
    return made;
  }

  #keyword(name: string, node: SchemaNode, scope: Scope): readonly Fits[] {
    if (silent.has(name)) return [];
    const { keywords, resource } = node;
    const value = keywords[name];
    if (name === 'type' && this.#isReceived) return [receivedType(value as never)];
    const simple = simpleTests[name]?.(value as never);
    if (simple !== undefined) return [simple];
    const test = (raw: unknown): Fits => this.test(raw, scope);
    // Beside patterns, those see to it.
    if (name === 'additionalProperties' && keywords['patternProperties'] !== undefined) return [];
    const made = combined[name]?.(value, keywords, test);
    if (made !== undefined) return [made];
    if (name === 'patternProperties') return [this.#byPattern(node, test)];
    if (name === 'unevaluatedProperties' || name === 'unevaluatedItems') return [this.#lookers.rest(name, node, scope)];
    if (name === '$ref' || name === '$dynamicRef') {
      this.#followed++;
      const target = test(this.scopes.follow(name, value, { resource, scope }));
      this.#followed--;
      return [target];
    }
    const pattern = this.#patterns(String(value));
    return [(given, run) => typeof given !== 'string' || pattern.test(given, run)];
  }

  /** The properties that one of two keywords says something of, each with its schema. */
  properties(
    name: 'patternProperties' | 'additionalProperties',
    { keywords }: SchemaNode,
    { value, run }: EvaluatedValue,
  ): readonly (readonly [string, unknown])[] {
    const sources = Object.entries(Object(keywords['patternProperties']));
    const names = isKeywords(value) ? namesOf(value, run) : [];
    const known = Object(keywords['properties'] ?? {});
    if (sources.length === 0)
      return names
        .filter((key) => !Object.hasOwn(known, key) && Object(value)[key] !== undefined)
        .map((key) => [key, keywords['additionalProperties']]);
    const there = names.filter((key) => Object(value)[key] !== undefined);
    const found = there.map((key) => {
      const own = sources.filter(([source]) => this.#patterns(source).test(key, run));
      return [key, own] as const;
    });
    if (name === 'patternProperties') return found.flatMap(([key, own]) => own.map(([, raw]) => [key, raw] as const));
    return found
      .filter(([key, own]) => own.length === 0 && !Object.hasOwn(known, key))
      .map(([key]) => [key, keywords['additionalProperties']]);
  }

  /** The parts of a value that nobody looked at, and that one of two keywords does not let pass. */
  strangers(
    name: 'unevaluatedProperties' | 'unevaluatedItems',
    node: SchemaNode,
    { scope, ...looked }: EvaluatedValue & { readonly scope: Scope },
  ): readonly (string | number)[] {
    return this.#lookers.strangers(name, node, scope)(looked.value, looked.run);
  }

  /** `patternProperties`, with the `additionalProperties` beside it, if there is one. */
  #byPattern({ keywords }: SchemaNode, test: (raw: unknown) => Fits): Fits {
    const { patternProperties, properties, additionalProperties = true } = keywords;
    const patterns = Object.entries(Object(patternProperties)).map(
      ([source, schema]) => [this.#patterns(source), test(schema)] as const,
    );
    const known = new Set(Object.keys(Object(properties ?? {})));
    const others = test(additionalProperties);
    return (value, run) =>
      !isKeywords(value) ||
      namesOf(value, run).every((name) => {
        run.spend(1 / 8);
        if (value[name] === undefined) return true;
        const own = patterns.filter(([pattern]) => pattern.test(name, run));
        if (own.length === 0 && !known.has(name)) return others(value[name], run);
        return own.every(([, fits]) => fits(value[name], run));
      });
  }
}
