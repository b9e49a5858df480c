/** Patterns of schemas: our own run on the engine of the platform, those of a peer in time linear in the text. */

import { SchemaError } from './document.ts';
import { toRegExp } from './keywords.ts';

/** A pattern that is ready to be looked for. */
export interface Pattern {
  /** Whether a text holds a match. */
  test(text: string): boolean;
  /** How much the search costs at each character, in instructions; nothing for a pattern that is trusted. */
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

/** Patterns that we trust. */
export const trustedPatterns: Patterns = (source) => {
  const pattern = toRegExp(source);
  if (pattern === undefined) throw new SchemaError(`pattern ${JSON.stringify(source)} is not a regular expression`);
  return { test: (text) => pattern.test(text), size: 0 };
};

/**
 * Patterns of a peer's schema, on the engine RE2. What that engine does not have (lookaround and references to groups) is
 * a SchemaError; `\s` and `.` are those of RE2, which know less of Unicode.
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
      compiled = RE2JS.compile(RE2JS.translateRegExp(source));
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
