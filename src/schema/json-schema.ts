/** Checking of values against JSON Schema, by typebox: dialects 2020-12 and draft-07, within bounds. */

import type { TLocalizedValidationError } from 'typebox/error';
import { Check, Compile, Errors } from 'typebox/schema';
import { Budget, OverBudget } from './budget.ts';
import { SchemaDocument, SchemaError, type SchemaLimits } from './document.ts';
import { isKeywords } from './keywords.ts';
import { ownPatterns, peersPatterns, type Patterns } from './pattern.ts';
import { plainTest, type Fits } from './plain.ts';
import { prepare } from './prepare.ts';
import { toPointer, type Problem } from './problem.ts';

/** A schema that is ready to check values. */
export interface CompiledSchema {
  /** What does not fit, at most 20 problems; empty when the value fits. It never throws. */
  check(value: unknown): readonly Problem[];
}

/** How a schema is treated. */
export interface CompileOptions {
  /**
   * Who wrote the schema. That of a `peer` is never made into code, and references to groups are refused in its
   * patterns, since they cannot be looked for in linear time. A peer by default.
   */
  readonly origin?: 'own' | 'peer';
  readonly limits?: SchemaLimits;
}

const maxProblems = 20;

const tooMuchToCheck: Problem = { path: '', message: `cannot be checked: ${new OverBudget().message}`, tooMuch: true };

const notAllowed = 'is not allowed';

/**
 * Makes a schema ready to check values. `format` is not asserted: it is an annotation in 2020-12.
 *
 * @throws SchemaError when the schema is malformed, passes a limit, or holds a pattern that is not supported.
 */
export async function compileSchema(schema: unknown, options: CompileOptions = {}): Promise<CompiledSchema> {
  return compileDocument(new SchemaDocument(schema, options.limits), options);
}

/** Like `compileSchema`, for a schema that has been read already. */
export async function compileDocument(document: SchemaDocument, options: CompileOptions): Promise<CompiledSchema> {
  const { origin = 'peer', limits = {} } = options;
  try {
    return await (origin === 'own' ? compileOwn(document, limits) : compilePeers(document, limits));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SchemaError('schema has references that lead on and on', { cause: error });
  }
}

function hasPatterns({ names }: SchemaDocument): boolean {
  return names.has('pattern') || names.has('patternProperties');
}

const noPatterns: Patterns = () => {
  throw new TypeError('a schema without patterns has one');
};

async function compilePeers(document: SchemaDocument, { steps }: SchemaLimits): Promise<CompiledSchema> {
  const patterns = hasPatterns(document) ? peersPatterns() : noPatterns;
  const run = new Budget({ timed: true });
  const { schema } = prepare(document, { patterns, run });
  const plain = plainTest(document, patterns);
  return { check: (value) => check(value, { schema, plain, fits: (json) => Check(schema, json), run, steps }) };
}

async function compileOwn(document: SchemaDocument, { steps }: SchemaLimits): Promise<CompiledSchema> {
  const own = hasPatterns(document) ? ownPatterns() : undefined;
  const patterns = own?.patterns ?? noPatterns;
  const free = prepare(document, { patterns, run: undefined });
  // The code that is made would look for names on the engine of the platform.
  const isFree = free.isTree && !free.tracks && !document.names.has('patternProperties');
  const fits = isFree ? accelerated(free.schema) : undefined;
  const run = new Budget({ timed: false });
  if (fits !== undefined)
    return {
      // It counts no steps: only what does not fit is looked at again, with a budget.
      check(value) {
        own?.begin();
        const isFine = fitsAtOnce(fits, value);
        if (isFine === undefined) return [tooMuchToCheck];
        return isFine ? [] : check(value, { schema: free.schema, fits: () => false, run, steps });
      },
    };
  const { schema } = prepare(document, { patterns, run });
  return {
    check(value) {
      own?.begin();
      return check(value, { schema, fits: (json) => Check(schema, json), run, steps });
    },
  };
}

/** Undefined where no code can be made: it is forbidden, or a pattern is in the older syntax only. */
function accelerated(schema: object): ((value: unknown) => boolean) | undefined {
  try {
    const validator = Compile(schema);
    // A validator that is not accelerated would carry what a failed check noted into the next one.
    return validator.IsAccelerated() ? (value) => validator.Check(value) : undefined;
  } catch {
    return undefined;
  }
}

/** What is too deep to be copied does not fit; the check with a budget says why. Undefined where it is too much to search. */
function fitsAtOnce(fits: (value: unknown) => boolean, value: unknown): boolean | undefined {
  try {
    return fits(toJson(value));
  } catch (error) {
    return error instanceof OverBudget ? undefined : false;
  }
}

interface Checking {
  readonly schema: object;
  /** Finds out without typebox whether a value fits, where the schema allows it. */
  readonly plain?: Fits | undefined;
  readonly fits: (value: unknown) => boolean;
  readonly run: Budget;
  /** How many steps the check may take; by default as many as the value is worth. */
  readonly steps: number | undefined;
}

function check(given: unknown, { schema, plain, fits, run, steps }: Checking): readonly Problem[] {
  let isWrong = false;
  try {
    run.begin();
    if (plain !== undefined) {
      run.grant(steps ?? Number.POSITIVE_INFINITY);
      if (plain(given, run)) return [];
      isWrong = true;
    }
    if (isWrong) run.explain();
    const names = new Set<string>();
    let parts = 0;
    const value = toJson(given, (name) => {
      parts++;
      if (name !== undefined) names.add(name);
      run.tick();
    });
    run.names = names;
    const budget = steps ?? Math.min(10_000 + 100 * parts, 300_000);
    run.grant(budget);
    if (!isWrong && fits(value)) return [];
    if (!isWrong) run.explain();
    isWrong = true;
    run.grant(budget);
    const problems = Errors(schema, value)[1].flatMap(toProblems).slice(0, maxProblems);
    if (problems.length > 0) return problems.filter((problem) => !isEcho(problem, problems));
  } catch (error) {
    // A schema that recurs without end overflows the stack long before it runs out of steps.
    const tooMuch = error instanceof OverBudget || error instanceof RangeError;
    if (!isWrong) return [tooMuch ? tooMuchToCheck : { path: '', message: `cannot be checked: ${String(error)}` }];
  }
  return [{ path: '', message: 'does not fit the schema' }];
}

/** What failed counts as unevaluated, and so is told of twice. */
function isEcho({ path, message }: Problem, among: readonly Problem[]): boolean {
  const below = (other: Problem): boolean => other.message !== message && `${other.path}/`.startsWith(`${path}/`);
  return message === notAllowed && among.some(below);
}

/**
 * A value as it is when it is sent: without undefined, and with no names that objects inherit.
 *
 * @param hear Told of each part, with the name of those that are properties.
 */
function toJson(given: unknown, hear?: (name?: string) => void, name?: string): unknown {
  hear?.(name);
  const value = said(given);
  if (Array.isArray(value)) return Array.from(value, (item) => toJson(item, hear) ?? null);
  if (!isKeywords(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) {
    const field = value[key] === undefined ? undefined : toJson(value[key], hear, key);
    if (field !== undefined) copy[key] = field;
  }
  return copy;
}

/** What says itself how it stands in JSON, such as a date, is that; what JSON leaves out is nothing. */
function said(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null || !('toJSON' in value)) return value;
  return typeof value.toJSON === 'function' ? value.toJSON() : value;
}

/** Says with names and values what typebox says without. */
function toProblems(error: TLocalizedValidationError): readonly Problem[] {
  const { keyword, instancePath, params, message } = error;
  const each = (keys: readonly (string | number)[], what: string): readonly Problem[] =>
    keys.map((key) => ({ path: `${instancePath}${toPointer([key])}`, message: what }));
  switch (keyword) {
    case 'required':
      return each(params.requiredProperties, 'is required');
    case 'unevaluatedProperties':
      return each(params.unevaluatedProperties.map(String), notAllowed);
    case 'unevaluatedItems':
      return each(params.unevaluatedItems, notAllowed);
    case 'boolean':
      return [{ path: instancePath, message: notAllowed }];
    case 'const':
      return [{ path: instancePath, message: `must be ${brief(params.allowedValue)}` }];
    case 'enum':
      return [
        { path: instancePath, message: `must be one of ${params.allowedValues.map(brief).join(', ')}`.slice(0, 500) },
      ];
    // What does not fit has been told of already.
    case 'additionalProperties':
      return [];
    case 'if':
      return params.failingKeyword === 'else' ? [] : [{ path: instancePath, message }];
    default:
      return [{ path: instancePath, message }];
  }
}

function brief(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}
