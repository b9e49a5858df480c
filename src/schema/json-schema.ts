/** Checking of values against JSON Schema: dialects 2020-12 and draft-07, within bounds, without eval. */

import { applicatorKeywords } from './applicator-keywords.ts';
import { arrayKeywords } from './array-keywords.ts';
import { SchemaDocument, SchemaError, type SchemaLimits } from './document.ts';
import type { Keyword, Surroundings } from './keyword.ts';
import { objectKeywords } from './object-keywords.ts';
import { peerPattern, trustedPattern, type Matcher } from './pattern.ts';
import type { Problem } from './problem.ts';
import { evaluate, maxProblems, OverBudget, type Part, type Run, type SchemaNode } from './run.ts';
import { valueKeywords } from './value-keywords.ts';

/** A schema that is ready to check values. */
export interface CompiledSchema {
  /** What does not fit, at most 20 problems; empty when the value fits. It never throws. */
  check(value: unknown): readonly Problem[];
}

/** How a schema is treated. */
export interface CompileOptions {
  /**
   * Who wrote the schema. Patterns of a `peer` run on an engine of linear time, where lookbehind and references to groups
   * are refused; those of our `own` run on that of the platform. A peer by default.
   */
  readonly origin?: 'own' | 'peer';
  readonly limits?: SchemaLimits;
}

/** The keywords in the order in which they check; those that ask what others looked at come last. */
const keywords: readonly (readonly [string, Keyword])[] = Object.entries({
  ...valueKeywords,
  ...objectKeywords,
  ...arrayKeywords,
  ...applicatorKeywords,
}).toSorted(([a], [b]) => Number(a.startsWith('unevaluated')) - Number(b.startsWith('unevaluated')));

/**
 * Makes a schema ready to check values. `format` is not asserted: it is an annotation in 2020-12.
 *
 * @throws SchemaError when the dialect is not supported, a keyword is malformed, a reference leads nowhere or out of the
 *   document (nothing is ever fetched), or a limit is passed.
 */
export function compileSchema(schema: unknown, options: CompileOptions = {}): CompiledSchema {
  const limits = options.limits ?? {};
  const document = new SchemaDocument(schema, limits);
  const patterns = new Map<string, Matcher>();
  for (const node of document.nodes)
    node.parts = partsOf(node, document, (source) => matcherOf(source, patterns, options.origin));
  const steps = limits.steps ?? 1_000_000;
  const begin = (problems: Problem[] | undefined): Run => ({ steps, problems, scope: [], tracks: document.tracks });
  return {
    check(value) {
      const problems: Problem[] = [];
      try {
        if (evaluate(document.root, value, undefined, begin(undefined))) return [];
        evaluate(document.root, value, undefined, begin(problems));
      } catch (error) {
        // A schema that recurs without end overflows the stack long before it runs out of steps.
        if (!(error instanceof OverBudget || error instanceof RangeError)) throw error;
        if (problems.length === 0)
          problems.push({ path: '', message: 'cannot be checked: the schema asks for too many steps' });
      }
      if (problems.length === 0) problems.push({ path: '', message: 'does not fit the schema' });
      return problems.slice(0, maxProblems);
    },
  };
}

function matcherOf(source: string, known: Map<string, Matcher>, origin: CompileOptions['origin']): Matcher {
  const matcher = known.get(source) ?? (origin === 'own' ? trustedPattern(source) : peerPattern(source));
  known.set(source, matcher);
  return matcher;
}

function partsOf(node: SchemaNode, document: SchemaDocument, pattern: (source: string) => Matcher): readonly Part[] {
  if (typeof node.raw === 'boolean') return node.parts;
  const own = document.keywords(node.raw);
  const parts: Part[] = [];
  for (const [name, keyword] of keywords) {
    const value = Object.hasOwn(own, name) ? own[name] : undefined;
    if (value === undefined) continue;
    const surroundings: Surroundings = {
      name,
      keywords: own,
      node: (raw) => document.nodeAt(raw, node.resource),
      nodeIn: (resource, anchor) => document.nodeAt(resource.dynamicAnchors.get(anchor), resource),
      resolve: (reference) => document.resolve(reference, node.resource),
      pattern,
    };
    try {
      const part = keyword(value, surroundings);
      if (part !== undefined) parts.push(part);
    } catch (error) {
      if (!(error instanceof SchemaError) || node.location === '') throw error;
      throw new SchemaError(`at ${node.location}: ${error.message}`, { cause: error });
    }
  }
  return parts;
}
