/** Patterns of schemas, which run in time linear in the text: other people's texts are held against our own, too. */

import { OverBudget } from './budget.ts';
import { SchemaError } from './document.ts';
import { toRegExp } from './keywords.ts';
import { toRe2 } from './re2-syntax.ts';

/** A pattern that is ready to be looked for. */
export interface Pattern {
  /** Whether a text holds a match. */
  test(text: string): boolean;
  /** How much the search costs at each character, in instructions; nothing where that is counted elsewhere. */
  readonly size: number;
}

/** Makes patterns ready. */
export type Patterns = (source: string) => Pattern;

/** How long a peer's pattern may be, in characters. */
const maxLength = 1000;

/** How many instructions the patterns of a peer's schema may need together; counted repetitions are written out. */
const maxInstructions = 20_000;

/** What a class of Unicode counts for: to make one costs more than to use it. */
const perClass = 25;

/** How long a text may be that the engine of the platform looks at, in characters. */
const maxNativeText = 500;

/** What the searches of one check may cost, in instructions applied to characters; it is about a quarter of a second. */
const maxSearches = 64_000_000;

/** Patterns of our own schemas, and what begins the searches of a check. */
export interface OwnPatterns {
  readonly patterns: Patterns;
  begin(): void;
}

/**
 * Patterns of our own schemas, which clients' texts are held against: on the engine RE2, with the meaning that the engine
 * of the platform gives them. What RE2 cannot say runs there, for texts of up to 500 characters; a longer one, and
 * searches that cost too much together, are `OverBudget`.
 */
export async function ownPatterns(): Promise<OwnPatterns> {
  const { RE2JS } = await import('re2js');
  let left = maxSearches;
  const linear = (source: string): Pattern['test'] | undefined => {
    const sayable = toRe2(source);
    if (sayable === undefined) return undefined;
    try {
      const [all, none] = [sayable.all, sayable.none].map((list) => list.map((one) => RE2JS.compile(one)));
      const size = [...(all ?? []), ...(none ?? [])].reduce((sum, one) => sum + one.programSize() + 8, 0);
      if (size > maxInstructions) return undefined;
      return (text) => {
        left -= size * text.length;
        if (left < 0) throw new OverBudget();
        return all?.every((one) => one.test(text)) === true && none?.some((one) => one.test(text)) !== true;
      };
    } catch {
      return undefined;
    }
  };
  const patterns: Patterns = (source) => {
    const native = toRegExp(source);
    if (native === undefined) throw new SchemaError(`pattern ${JSON.stringify(source)} is not a regular expression`);
    const bounded: Pattern['test'] = (text) => {
      if (text.length > maxNativeText) throw new OverBudget();
      return native.test(text);
    };
    return { test: linear(source) ?? bounded, size: 0 };
  };
  return { patterns, begin: () => void (left = maxSearches) };
}

/**
 * Patterns of a peer's schema, on the engine RE2. What that engine does not have (lookaround and references to groups) is
 * a SchemaError.
 */
export async function linearPatterns(): Promise<Patterns> {
  const { RE2JS } = await import('re2js');
  const known = new Map<string, Pattern>();
  let instructions = 0;
  return (source) => {
    const before = known.get(source);
    if (before !== undefined) return before;
    const words = `pattern ${JSON.stringify(source.slice(0, 200))}`;
    if (source.length > maxLength) throw new SchemaError(`${words} is too large`);
    // The translation would read a reference to a named group as text; flags within a pattern are new to the platforms,
    // and what ignores case is slow to make.
    if (/(?:^|[^\\])(?:\\\\)*(?:\\k|\(\?[ims-]+:)/.test(source))
      throw new SchemaError(`${words} is not supported in a peer's schema`);
    let compiled;
    try {
      const sayable = toRe2(source);
      const own = sayable?.all.length === 1 && sayable.none.length === 0 ? sayable.all[0] : undefined;
      compiled = RE2JS.compile(own ?? RE2JS.translateRegExp(source));
    } catch (cause) {
      throw new SchemaError(`${words} is not supported in a peer's schema`, { cause });
    }
    const size = compiled.programSize();
    instructions += size + perClass * (source.match(/\\p/gi) ?? []).length;
    if (instructions > maxInstructions) throw new SchemaError(`${words} is too large`);
    const pattern = { test: (text: string) => compiled.test(text), size };
    known.set(source, pattern);
    return pattern;
  };
}
