/** Says why a value does not fit a schema. */

import type { RunBudget } from './budget.ts';
import type { SchemaDocument, SchemaNode } from './document.ts';
import type { SchemaTests } from './fits.ts';
import { has, isKeywords, type Keywords } from './keywords.ts';
import { toPointer, type Problem } from './problem.ts';
import type { Scope } from './scope.ts';

/** Number of problems that are told. */
const maxProblems = 20;

/** Limit of what is told of one problem, in characters. */
const maxMessageLength = 500;

const notAllowed = 'is not allowed';

/** Words for an integer that came as JSON text and that JavaScript cannot hold. */
export const lostDigits = 'must be an integer from -(2^53 - 1) to 2^53 - 1; larger ones lose digits';

/** A value, and where it is. */
interface Place {
  readonly value: unknown;
  readonly path: string;
}

/** A keyword that does not hold or leads on. */
interface Told extends Place {
  readonly node: SchemaNode;
  readonly scope: Scope;
  /** The value of the keyword. */
  readonly keyword: unknown;
}

/** Order in which keywords are told of: those about one value before those about its parts. */
const order =
  'type required additionalProperties dependencies dependentRequired dependentSchemas patternProperties properties propertyNames minProperties maxProperties contains items minItems maxItems prefixItems uniqueItems minLength maxLength pattern exclusiveMinimum exclusiveMaximum minimum maximum multipleOf $ref $dynamicRef const enum if not allOf anyOf oneOf unevaluatedItems unevaluatedProperties'.split(
    ' ',
  );

/**
 * Finds out what is wrong with a value that does not fit.
 *
 * @param told The problems found are added to it, at most 20, also where it throws `OverBudget` in the end.
 */
export function explainProblems(
  document: SchemaDocument,
  { tests, run, told }: { readonly tests: SchemaTests; readonly run: RunBudget; readonly told: Problem[] },
  value: unknown,
): void {
  new ProblemSearch(document, { tests, run, told }).of(document.root, tests.scopes.outermost, { value, path: '' });
}

/** Problems without the echoes of others: what failed counts as unevaluated as well, and so is told of twice. */
export function withoutEchoes(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ path, message }) => {
    const below = (other: Problem): boolean => other.message !== message && `${other.path}/`.startsWith(`${path}/`);
    return message !== notAllowed || !problems.some(below);
  });
}

class ProblemSearch {
  readonly #document: SchemaDocument;
  readonly #tests: SchemaTests;
  readonly #run: RunBudget;
  readonly #told: Problem[];

  constructor(
    document: SchemaDocument,
    { tests, run, told }: { readonly tests: SchemaTests; readonly run: RunBudget; readonly told: Problem[] },
  ) {
    this.#document = document;
    this.#tests = tests;
    this.#run = run;
    this.#told = told;
  }

  /** Tells what is wrong with a value; whether anything is. */
  of(raw: unknown, outer: Scope, place: Place): boolean {
    this.#run.spend(1);
    if (this.#told.length >= maxProblems) return true;
    const node = this.#document.node(raw);
    if (node === undefined) return raw === false && this.#tell(place.path, notAllowed);
    const scope = this.#tests.scopes.enter(node.resource, outer);
    let isWrong = false;
    for (const name of order) {
      if (!Object.hasOwn(node.keywords, name)) continue;
      if (this.#keyword(name, { ...place, node, scope, keyword: node.keywords[name] })) isWrong = true;
    }
    return isWrong;
  }

  #tell(path: string, message: string): true {
    if (this.#told.length < maxProblems) this.#told.push({ path, message: message.slice(0, maxMessageLength) });
    return true;
  }

  #keyword(name: string, told: Told): boolean {
    const parts = this.#parts(name, told);
    if (parts !== undefined) return parts;
    const { node, scope, value, path } = told;
    if (this.#tests.keyword(name, node, scope).every((fits) => fits(value, this.#run))) return false;
    this.#within(name, told);
    for (const problem of saidOf(name, told)) this.#tell(path + problem.path, problem.message);
    // What is said may be cut from much.
    this.#run.look();
    return true;
  }

  /** Keywords that hold if schemas hold; undefined for the others. */
  #parts(name: string, { node, scope, keyword, value, path }: Told): boolean | undefined {
    const of = (raw: unknown, at: unknown, ...keys: (string | number)[]): boolean =>
      this.of(raw, scope, { value: at, path: path + toPointer(keys) });
    const each = <T>(list: readonly T[], isWrong: (one: T) => boolean): boolean => {
      let wrong = 0;
      for (const one of list) {
        // Nothing more is told, and there may be very many.
        if (this.#told.length >= maxProblems) return true;
        if (isWrong(one)) wrong++;
      }
      return wrong > 0;
    };
    switch (name) {
      case '$ref':
      case '$dynamicRef':
        return of(this.#tests.scopes.follow(name, keyword, { resource: node.resource, scope }), value);
      case 'allOf':
        return each(listOf(keyword), (raw) => of(raw, value));
      case 'dependentSchemas':
      case 'properties': {
        const inPlace = name === 'dependentSchemas';
        const there = Object.entries(Object(keyword)).filter(([key]) => isKeywords(value) && has(value, key));
        return each(there, ([key, raw]) => (inPlace ? of(raw, value) : of(raw, Object(value)[key], key)));
      }
      case 'patternProperties':
      case 'additionalProperties':
        return each(this.#tests.properties(name, node, { value, run: this.#run }), ([key, raw]) =>
          of(raw, Object(value)[key], key),
        );
      case 'items':
      case 'prefixItems':
        return each(itemsOf(name, node.keywords, value), ([at, raw]) => of(raw, Object(value)[at] ?? null, at));
      case 'unevaluatedItems':
      case 'unevaluatedProperties': {
        const left = this.#tests.strangers(name, node, { scope, value, run: this.#run });
        return each(left, (key) => this.#tell(path + toPointer([key]), notAllowed));
      }
      default:
        return undefined;
    }
  }

  /** Problems by the schemas that a keyword needs one of. */
  #within(name: string, { scope, keyword, node, value, path }: Told): void {
    const of = (raw: unknown, at: Place = { value, path }): boolean => this.of(raw, scope, at);
    const fits = (raw: unknown): boolean => this.#tests.test(raw, scope)(value, this.#run);
    if (name === 'anyOf' || (name === 'oneOf' && !listOf(keyword).some(fits)))
      for (const raw of listOf(keyword)) of(raw);
    if (name === 'if') {
      const isThen = fits(keyword);
      of(isThen ? node.keywords['then'] : node.keywords['else']);
      if (isThen) this.#tell(path, 'must match "then" schema');
    }
    if (name === 'propertyNames')
      for (const key of Object.keys(Object(value))) of(keyword, { value: key, path: path + toPointer([key]) });
    if (name !== 'dependencies') return;
    for (const [key, raw] of Object.entries(Object(keyword)))
      if (!Array.isArray(raw) && isKeywords(value) && has(value, key)) of(raw);
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The items that one of the two keywords says something of, each with its schema. */
function itemsOf(name: string, keywords: Keywords, value: unknown): readonly (readonly [number, unknown])[] {
  const { items, prefixItems, additionalItems = true } = keywords;
  const isList = Array.isArray(items);
  const first = listOf(isList ? items : prefixItems);
  const rest = isList ? additionalItems : items;
  return listOf(value).flatMap((_, at): readonly (readonly [number, unknown])[] => {
    if (at < first.length) return isList || name === 'prefixItems' ? [[at, first[at]]] : [];
    return name === 'items' ? [[at, rest]] : [];
  });
}

/** Words for a keyword that does not hold, by paths from the value. */
function saidOf(name: string, { keyword, node, value }: Told): readonly Problem[] {
  const say = (message: string): readonly Problem[] => [{ path: '', message }];
  switch (name) {
    case 'required':
      return missing(keyword, value).map((key) => ({ path: toPointer([key]), message: 'is required' }));
    case 'type':
      if (Number.isInteger(value) && [keyword].flat().includes('integer')) return say(lostDigits);
      return say(
        Array.isArray(keyword) ? `must be either ${[...new Set(keyword)].join(' or ')}` : `must be ${String(keyword)}`,
      );
    case 'dependencies':
    case 'dependentRequired':
      return Object.entries(Object(keyword))
        .filter(([key, keys]) => isKeywords(value) && has(value, key) && missing(keys, value).length > 0)
        .slice(0, maxProblems)
        .flatMap(([key, keys]) =>
          say(`must have properties ${listOf(keys).slice(0, 100).join(', ')} when property ${key} is present`),
        );
    case 'const':
      return say(`must be ${brief(keyword)}`);
    case 'enum':
      return say(`must be one of ${listOf(keyword).slice(0, maxMessageLength).map(brief).join(', ')}`);
    // That has been said, with what the schema wants.
    case 'if':
      return [];
    case 'contains':
      return say(contained(node.keywords));
    default:
      return say((words[name] ?? 'does not fit').replace('{}', () => String(keyword).slice(0, 200)));
  }
}

const words: Readonly<Record<string, string>> = {
  anyOf: 'must match a schema in anyOf',
  oneOf: 'must match exactly one schema in oneOf',
  not: 'must not be valid',
  propertyNames: 'has names of properties that are invalid',
  exclusiveMaximum: 'must be < {}',
  exclusiveMinimum: 'must be > {}',
  maximum: 'must be <= {}',
  minimum: 'must be >= {}',
  multipleOf: 'must be multiple of {}',
  maxItems: 'must not have more than {} items',
  minItems: 'must not have fewer than {} items',
  maxLength: 'must not have more than {} characters',
  minLength: 'must not have fewer than {} characters',
  maxProperties: 'must not have more than {} properties',
  minProperties: 'must not have fewer than {} properties',
  uniqueItems: 'must not have duplicate items',
  pattern: 'must match the pattern {}',
};

function contained({ minContains = 1, maxContains }: Keywords): string {
  const least = `must contain at least ${String(minContains)} valid item${minContains === 1 ? '' : 's'}`;
  return maxContains === undefined ? least : `${least} and at most ${JSON.stringify(maxContains)}`;
}

function missing(names: unknown, value: unknown): readonly string[] {
  return listOf(names)
    .map(String)
    .filter((name) => isKeywords(value) && !has(value, name));
}

function brief(value: unknown): string {
  return String(JSON.stringify(typeof value === 'string' ? value.slice(0, 100) : value)).slice(0, 100);
}
