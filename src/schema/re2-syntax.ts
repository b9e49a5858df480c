/** Says in the syntax of RE2 what a pattern of JSON Schema means: that of ECMAScript, whose `.` and `\s` know more of Unicode. */

const space = '\\t-\\r\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const noSpace =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

/** Longer names of what RE2 knows by one or two letters. */
const categories: Readonly<Record<string, string>> = {
  Letter: 'L',
  Lowercase_Letter: 'Ll',
  Uppercase_Letter: 'Lu',
  Mark: 'M',
  Number: 'N',
  Decimal_Number: 'Nd',
  Punctuation: 'P',
  Symbol: 'S',
  Separator: 'Z',
};

const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

/** RE2 has no word for what the pattern says. */
class Unsayable extends Error {}

/** A pattern as patterns of RE2: a text fits when it has a match of each of `all`, and of none of `none`. */
export interface Sayable {
  readonly all: readonly string[];
  readonly none: readonly string[];
}

/**
 * Translates a pattern that the platform has accepted. What it looks ahead for at its very beginning (`^(?=…)(?!…)`) are
 * patterns of their own; undefined for any other lookaround, for references to groups, and for what is spelled in
 * a way that only the older syntax knows.
 */
export function toRe2(source: string): Sayable | undefined {
  const all: string[] = [];
  const none: string[] = [];
  try {
    let rest = source;
    for (let ahead = lookahead(rest); ahead !== undefined; ahead = lookahead(rest)) {
      (ahead.negative ? none : all).push(`^(?:${translated(ahead.inner)})`);
      // In the older syntax a lookahead may be repeated.
      if (/^[*+?{]/.test(ahead.rest)) return undefined;
      rest = `^${ahead.rest}`;
    }
    const last = translated(rest);
    // An alternative beside the one that looks ahead would be held to it as well.
    if (all.length + none.length > 0 && hasAlternatives(rest)) return undefined;
    return { all: [...all, last], none };
  } catch (error) {
    if (error instanceof Unsayable) return undefined;
    throw error;
  }
}

function lookahead(
  source: string,
): { readonly negative: boolean; readonly inner: string; readonly rest: string } | undefined {
  const [head = ''] = /^\^\(\?[=!]/.exec(source) ?? [];
  if (head === '') return undefined;
  const end = closing(source, head.length);
  return { negative: head.endsWith('!'), inner: source.slice(head.length, end), rest: source.slice(end + 1) };
}

/** Where the group ends that is open at a place. */
function closing(source: string, from: number): number {
  let depth = 1;
  for (const { at, character } of outsideClasses(source)) {
    if (at < from) continue;
    if (character === '(') depth++;
    if (character === ')' && --depth === 0) return at;
  }
  throw new Unsayable();
}

function hasAlternatives(source: string): boolean {
  let depth = 0;
  for (const { character } of outsideClasses(source)) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (character === '|' && depth === 0) return true;
  }
  return false;
}

/** The characters that are neither escaped nor in a class. */
function* outsideClasses(source: string): Generator<{ readonly at: number; readonly character: string }> {
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '\\') at++;
    else if (inClass) inClass = character !== ']';
    else if (character === '[') inClass = true;
    else yield { at, character };
  }
}

function translated(source: string): string {
  const reader = new Reader(source);
  let out = '';
  while (!reader.ended) out += reader.next();
  return out;
}

/** A character by its code point, or a set in the words of RE2. */
type Item = number | string;

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get ended(): boolean {
    return this.#at >= this.#source.length;
  }

  next(): string {
    const plain = this.#take(/[*+?|^$)]|\{\d+(?:,\d*)?\}/y);
    if (plain !== undefined) return plain;
    if (this.#take(/\./y) !== undefined) return '[^\\n\\r\\x{2028}\\x{2029}]';
    if (this.#take(/\((?:\?:|\?<[^=!>][^>]*>)?/y) !== undefined) {
      if (this.#source[this.#at] === '?') throw new Unsayable();
      return '(?:';
    }
    if (this.#take(/\[/y) !== undefined) return this.#class();
    const anchor = this.#take(/\\[bB]/y);
    if (anchor !== undefined) return anchor;
    const item = this.#item();
    return typeof item === 'number' ? spelled(item) : item.startsWith('\\') && item.length === 2 ? item : `[${item}]`;
  }

  /** What follows `[`, and the bracket that ends it. */
  #class(): string {
    const negated = this.#take(/\^/y) !== undefined;
    let items = '';
    while (this.#take(/\]/y) === undefined) {
      if (this.ended) throw new Unsayable();
      const first = this.#classItem();
      if (typeof first === 'string' || this.#take(/-(?!\])/y) === undefined) {
        items += typeof first === 'string' ? first : spelled(first);
        continue;
      }
      const last = this.#classItem();
      // A set cannot end a range: the older syntax takes the hyphen for itself.
      items +=
        typeof last === 'string' ? `${spelled(first)}${spelled(0x2d)}${last}` : `${spelled(first)}-${spelled(last)}`;
    }
    if (items === '') return negated ? '[\\x{0}-\\x{10ffff}]' : '[^\\x{0}-\\x{10ffff}]';
    return `[${negated ? '^' : ''}${items}]`;
  }

  #classItem(): Item {
    return this.#take(/\\b/y) === undefined ? this.#item() : 8;
  }

  #item(): Item {
    const simple = this.#take(/\\[dDwW]/y);
    if (simple !== undefined) return simple;
    if (this.#take(/\\s/y) !== undefined) return space;
    if (this.#take(/\\S/y) !== undefined) return noSpace;
    const property = this.#take(/\\[pP]\{[^}]*\}/y);
    if (property !== undefined) return propertyOf(property);
    const pair = this.#take(/\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}/y);
    if (pair !== undefined)
      return String.fromCharCode(hexOf(pair.slice(0, 6)), hexOf(pair.slice(6))).codePointAt(0) ?? 0;
    const hex = this.#take(/\\x[0-9A-Fa-f]{2}|\\u\{[0-9A-Fa-f]{1,6}\}|\\u[0-9A-Fa-f]{4}/y);
    if (hex !== undefined) return scalar(hexOf(hex));
    const control = this.#take(/\\c[A-Za-z]/y);
    if (control !== undefined) return control.charCodeAt(2) % 32;
    const named = this.#take(/\\(?:[tnvfr]|0(?!\d))/y);
    if (named !== undefined) return controls[named.charAt(1)] ?? 0;
    const escaped = this.#take(/\\[^A-Za-z0-9]/y);
    if (escaped !== undefined) return scalar(escaped.charCodeAt(1));
    const code = this.#source.codePointAt(this.#at);
    if (code === undefined || code === 0x5c) throw new Unsayable();
    this.#at += code > 0xffff ? 2 : 1;
    return scalar(code);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

function hexOf(escape: string): number {
  return Number.parseInt(escape.replaceAll(/[\\xu{}]/g, ''), 16);
}

/** RE2 knows no halves of pairs. */
function scalar(code: number): number {
  if (code >= 0xd800 && code <= 0xdfff) throw new Unsayable();
  return code;
}

function spelled(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

function propertyOf(property: string): string {
  const [, kind, given = ''] = /^\\([pP])\{(?:(?:General_Category|gc|Script|sc)=)?(\w+)\}$/.exec(property) ?? [];
  if (kind === undefined) throw new Unsayable();
  return `\\${kind}{${categories[given] ?? given}}`;
}
