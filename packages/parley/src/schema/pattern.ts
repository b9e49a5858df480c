/** Patterns of schemas, which run in time linear in the text: other people's texts are held against our own, too. */

import { OverBudget } from './budget.ts';
import { SchemaError } from './document.ts';
import { toRegExp } from './keywords.ts';
import { linearPattern, type LinearPattern } from './linear/linear.ts';
import { Beyond } from './linear/parse.ts';
import type { SearchBudget } from './linear/scan.ts';

/** A pattern that is ready to be looked for. */
export interface Pattern {
  /** Tells whether a text holds a match, at the expense of a check. */
  test(text: string, searchBudget: SearchBudget): boolean;
}

/** Makes patterns ready. */
export type Patterns = (source: string) => Pattern;

/** Length that a peer's pattern may have, in characters. */
const maxLength = 1000;

/** Limit of the states of all patterns of a peer's schema; counted repetitions are written out. */
const maxStates = 20_000;

/** Price of a pattern beside its states, and of a class of Unicode: the platform builds it. */
const perPattern = 10;
const perClass = 25;

/** Length of a text that the engine of the platform looks at, in characters. */
const maxNativeText = 500;

/** Price that the searches of one check may have, in steps; it is about a quarter of a second. */
const maxSearches = 1_000_000;

/** Patterns of our own schemas, and what begins the searches of a check. */
export interface OwnPatterns {
  readonly patterns: Patterns;
  begin(): void;
}

/**
 * Patterns of our own schemas, which clients' texts are held against. What cannot be matched in linear time (references
 * to groups) runs on the engine of the platform, for texts of up to 500 characters; a longer one, and searches that cost
 * too much together, are `OverBudget`.
 */
export function ownPatterns(): OwnPatterns {
  let left = maxSearches;
  const spend = (steps: number): void => {
    left -= steps;
    if (left < 0) throw new OverBudget();
  };
  const known = new Map<string, Pattern>();
  const patterns: Patterns = (source) => {
    const before = known.get(source);
    if (before !== undefined) return before;
    const made = ready(source);
    known.set(source, made);
    return made;
  };
  const ready: Patterns = (source) => {
    const native = nativeOf(source);
    const linear = linearOrNot(source, native.unicode);
    if (linear !== undefined) return { test: (text) => linear.test(text, { spend }) };
    return {
      test(text) {
        if (text.length > maxNativeText) throw new OverBudget();
        return native.test(text);
      },
    };
  };
  return { patterns, begin: () => void (left = maxSearches) };
}

function linearOrNot(source: string, unicode: boolean): LinearPattern | undefined {
  try {
    return linearPattern(source, unicode, maxStates);
  } catch (error) {
    // What nests too deep for us may still suit the platform.
    if (error instanceof Beyond || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Bounds of the patterns of a peer's schema, to be asked before the platform reads them: it builds each class of Unicode at once.
 *
 * @returns Function that throws a SchemaError for a pattern that is too large, alone or with those before it.
 */
export function peersAllowance(): (source: string) => void {
  const known = new Set<string>();
  let weight = 0;
  return (source) => {
    if (known.has(source)) return;
    known.add(source);
    if (source.length <= maxLength) weight += weightOf(source);
    if (source.length > maxLength || weight > maxStates) throw new SchemaError(`${named(source)} is too large`);
  };
}

/** Weight of a pattern beside its states. */
function weightOf(source: string): number {
  return perPattern + perClass * (source.match(/\\p/gi) ?? []).length;
}

function named(source: string): string {
  return `pattern ${JSON.stringify(source.slice(0, 200))}`;
}

/**
 * Patterns of a peer's schema. What cannot be matched in linear time (references to groups, flags within the pattern),
 * and what is too large, is a SchemaError.
 */
export function peersPatterns(): Patterns {
  const known = new Map<string, Pattern>();
  let states = 0;
  return (source) => {
    const before = known.get(source);
    if (before !== undefined) return before;
    const words = named(source);
    const { unicode } = nativeOf(source);
    let pattern: LinearPattern;
    try {
      pattern = linearPattern(source, unicode, maxStates);
    } catch (cause) {
      const why = cause instanceof Beyond && cause.isSize ? 'is too large' : "is not supported in a peer's schema";
      throw new SchemaError(`${words} ${why}`, { cause });
    }
    states += pattern.size + weightOf(source);
    if (states > maxStates) throw new SchemaError(`${words} is too large`);
    known.set(source, pattern);
    return pattern;
  };
}

function nativeOf(source: string): RegExp {
  const native = toRegExp(source);
  if (native === undefined) throw new SchemaError(`pattern ${JSON.stringify(source)} is not a regular expression`);
  return native;
}
