/** Checking of values against JSON Schema, dialects 2020-12 and draft-07, within bounds. */

import { CheckBudget, OverBudget } from './budget.ts';
import { SchemaDocument, SchemaError, type SchemaLimits } from './document.ts';
import { explainProblems, withoutEchoes } from './explain.ts';
import { SchemaTests } from './fits.ts';
import { ownPatterns, peersAllowance, peersPatterns } from './pattern.ts';
import type { Problem } from './problem.ts';
import { asSent } from './sent.ts';

/** A schema that is ready to check values. */
export interface CompiledSchema {
  /** Checks a value; the problems are those that do not fit, at most 20; empty when the value fits. It never throws. */
  check(value: unknown): readonly Problem[];
}

/** Options of compiling a schema. */
export interface CompileOptions {
  /**
   * Author of the schema. References to groups are refused in the patterns of a `peer`, since they cannot be looked for
   * in linear time, and its checks are bounded by time. A peer by default.
   */
  readonly origin?: 'own' | 'peer';
  readonly limits?: SchemaLimits;
  /** True where values came as JSON text: integers beyond 2^53 may have lost digits, and do not fit. False by default. */
  readonly received?: boolean;
}

/**
 * Makes a schema ready to check values. `format` is not asserted: it is an annotation in 2020-12.
 *
 * @throws SchemaError when the schema is malformed, passes a limit, or holds a pattern that is not supported.
 */
export async function compileSchema(schema: unknown, options: CompileOptions = {}): Promise<CompiledSchema> {
  const admit = options.origin === 'own' ? undefined : peersAllowance();
  return compileDocument(new SchemaDocument(schema, options.limits, admit), options);
}

/** Like `compileSchema`, for a schema that has been read already. */
export function compileDocument(document: SchemaDocument, options: CompileOptions): CompiledSchema {
  const { origin = 'peer', limits: { steps } = {}, received = false } = options;
  try {
    return (origin === 'own' ? compileOwn : compilePeers)(document, { steps, received });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SchemaError('schema has endless references', { cause: error });
  }
}

interface Compiling {
  readonly steps: number | undefined;
  readonly received: boolean;
}

function compilePeers(document: SchemaDocument, { steps = Infinity, received }: Compiling): CompiledSchema {
  const run = new CheckBudget({ timed: true });
  const tests = new SchemaTests(document, peersPatterns(), received);
  return { check: (value) => checked(value, { document, tests, run, read: () => ({ value, steps }) }) };
}

function compileOwn(document: SchemaDocument, { steps, received }: Compiling): CompiledSchema {
  const { patterns, begin } = ownPatterns();
  const run = new CheckBudget({ timed: false });
  const tests = new SchemaTests(document, patterns, received);
  const read = (given: unknown): Readable => {
    // What was received is as it was sent; walking through very many members takes half as long as parsing them.
    if (received && tests.isTree) return { value: given, steps: steps ?? Number.POSITIVE_INFINITY };
    const { value, parts } = asSent(given);
    // Where no schema contains itself, the schema bounds what a part of the value costs.
    const most = tests.isTree ? Number.POSITIVE_INFINITY : Math.min(10_000 + 100 * parts, 300_000);
    return { value, steps: steps ?? most };
  };
  return {
    check(value) {
      begin();
      return checked(value, { document, tests, run, read });
    },
  };
}

/** A value to check, and how many steps that may take. */
interface Readable {
  readonly value: unknown;
  readonly steps: number;
}

interface Checking {
  readonly document: SchemaDocument;
  readonly tests: SchemaTests;
  readonly run: CheckBudget;
  read(given: unknown): Readable;
}

function checked(given: unknown, { document, tests, run, read }: Checking): readonly Problem[] {
  const told: Problem[] = [];
  let isWrong = false;
  try {
    run.begin();
    const { value, steps } = read(given);
    run.grant(steps);
    if (tests.root(value, run)) return [];
    isWrong = true;
    run.explain();
    run.grant(steps);
    explainProblems(document, { tests, run, told }, value);
  } catch (error) {
    // A schema that recurs without end overflows the stack long before it runs out of steps.
    const tooMuch = error instanceof OverBudget || error instanceof RangeError;
    if (!isWrong)
      return [
        {
          path: '',
          message: `cannot be checked: ${tooMuch ? new OverBudget().message : String(error)}`,
          ...(tooMuch ? { tooMuch } : {}),
        },
      ];
  }
  return told.length > 0 ? withoutEchoes(told) : [{ path: '', message: 'does not fit the schema' }];
}
