/** Checking of values against JSON Schema, by typebox: dialects 2020-12 and draft-07, within bounds. */

import type { TLocalizedValidationError } from 'typebox/error';
import { Check, Compile, Errors } from 'typebox/schema';
import { SchemaDocument, SchemaError, type SchemaLimits } from './document.ts';
import { OverBudget, type Run } from './guards.ts';
import { isKeywords } from './keywords.ts';
import { linearPatterns, trustedPatterns } from './pattern.ts';
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
   * Who wrote the schema. That of a `peer` is never made into code, and its patterns run on an engine of linear time,
   * where lookaround and references to groups are refused. A peer by default.
   */
  readonly origin?: 'own' | 'peer';
  readonly limits?: SchemaLimits;
}

const maxProblems = 20;

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
  const hasPatterns = document.names.has('pattern') || document.names.has('patternProperties');
  const patterns = origin === 'peer' && hasPatterns ? await linearPatterns() : trustedPatterns;
  const { steps } = limits;
  try {
    const free = origin === 'own' ? prepare(document, { patterns, run: undefined }) : undefined;
    const fits = free?.isTree === true && !free.tracks ? accelerated(free.schema) : undefined;
    if (free !== undefined && fits !== undefined)
      return {
        // It counts no steps: only what does not fit is looked at again, with a budget.
        check: (value) =>
          fitsAtOnce(fits, value)
            ? []
            : check(value, { schema: free.schema, fits: () => false, run: { steps: 0, names: new Set() }, steps }),
      };
    const run: Run = { steps: 0, names: new Set() };
    const { schema } = prepare(document, { patterns, run });
    return { check: (value) => check(value, { schema, fits: (json) => Check(schema, json), run, steps }) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SchemaError('schema has references that lead on and on', { cause: error });
  }
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

/** What is too deep to be copied does not fit; the check with a budget says why. */
function fitsAtOnce(fits: (value: unknown) => boolean, value: unknown): boolean {
  try {
    return fits(toJson(value));
  } catch {
    return false;
  }
}

interface Checking {
  readonly schema: object;
  readonly fits: (value: unknown) => boolean;
  readonly run: Run;
  /** How many steps the check may take; by default as many as the value is worth. */
  readonly steps: number | undefined;
}

function check(given: unknown, { schema, fits, run, steps }: Checking): readonly Problem[] {
  let isWrong = false;
  try {
    const names = new Set<string>();
    const value = toJson(given, (name) => names.add(name));
    run.names = names;
    const budget = steps ?? Math.min(10_000 + 100 * partsOf(value), 300_000);
    run.steps = budget;
    if (fits(value)) return [];
    isWrong = true;
    run.steps = budget;
    const problems = Errors(schema, value)[1].flatMap(toProblems).slice(0, maxProblems);
    if (problems.length > 0) return problems.filter((problem) => !isEcho(problem, problems));
  } catch (error) {
    // A schema that recurs without end overflows the stack long before it runs out of steps.
    const isTooMuch = error instanceof OverBudget || error instanceof RangeError;
    const reason = isTooMuch ? 'the schema asks for too many steps' : String(error);
    if (!isWrong) return [{ path: '', message: `cannot be checked: ${reason}` }];
  }
  return [{ path: '', message: 'does not fit the schema' }];
}

/** What failed counts as unevaluated, and so is told of twice. */
function isEcho({ path, message }: Problem, among: readonly Problem[]): boolean {
  const below = (other: Problem): boolean => other.message !== message && `${other.path}/`.startsWith(`${path}/`);
  return message === notAllowed && among.some(below);
}

/** How many values a value is made of, itself included. */
function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let parts = 1;
  for (const part of Object.values(value)) parts += partsOf(part);
  return parts;
}

/** A value as it is when it is sent: without undefined, and with no names that objects inherit. */
function toJson(value: unknown, hear?: (name: string) => void): unknown {
  if (Array.isArray(value)) return Array.from(value, (item) => (item === undefined ? null : toJson(item, hear)));
  if (!isKeywords(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) {
    if (value[key] === undefined) continue;
    hear?.(key);
    copy[key] = toJson(value[key], hear);
  }
  return copy;
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
