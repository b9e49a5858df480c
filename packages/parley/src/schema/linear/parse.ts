/** Reads a pattern of ECMAScript that the platform has accepted, into a tree without groups that capture. */

/** Part of a pattern. */
export type PatternPart =
  /** One character, of those that a piece of the pattern stands for: a character, an escape, a class or a dot. */
  | { readonly kind: 'one'; readonly source: string }
  | { readonly kind: 'all'; readonly parts: readonly PatternPart[] }
  | { readonly kind: 'any'; readonly parts: readonly PatternPart[] }
  | { readonly kind: 'repeat'; readonly part: PatternPart; readonly least: number; readonly most: number }
  /** Something that is true of a place in the text. */
  | { readonly kind: 'at'; readonly place: Anchor }
  | { readonly kind: 'look'; readonly part: PatternPart; readonly behind: boolean; readonly negative: boolean };

/** The beginning and the end of the text, the edge of a word, and what is no edge. */
export type Anchor = '^' | '$' | '\\b' | '\\B';

/** A pattern cannot be matched in linear time, or is spelled in a way of which that is not known, or is too large. */
export class Beyond extends Error {
  readonly isSize: boolean;

  constructor(what: string, { isSize = false }: { readonly isSize?: boolean } = {}) {
    super(`${what} cannot be matched in linear time`);
    this.name = 'Beyond';
    this.isSize = isSize;
  }
}

const looks: Readonly<Record<string, { readonly behind: boolean; readonly negative: boolean }>> = {
  '(?=': { behind: false, negative: false },
  '(?!': { behind: false, negative: true },
  '(?<=': { behind: true, negative: false },
  '(?<!': { behind: true, negative: true },
};

/**
 * Reads a pattern.
 *
 * @param unicode Whether it was accepted with the flag `u`; if not, it is in the older syntax, which knows units of UTF-16.
 * @throws Beyond for references to groups, for flags within the pattern, and for spellings that have two meanings.
 */
export function parsePattern(source: string, unicode: boolean): PatternPart {
  const reader = new Reader(source, unicode);
  const part = reader.alternatives();
  if (!reader.ended) throw new Beyond(source);
  return part;
}

class Reader {
  readonly #source: string;
  readonly #unicode: boolean;
  #at = 0;

  constructor(source: string, unicode: boolean) {
    this.#source = source;
    this.#unicode = unicode;
  }

  get ended(): boolean {
    return this.#at >= this.#source.length;
  }

  alternatives(): PatternPart {
    const parts = [this.#sequence()];
    while (this.#take(/\|/y) !== undefined) parts.push(this.#sequence());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'any', parts };
  }

  #sequence(): PatternPart {
    const parts: PatternPart[] = [];
    while (!this.ended && !'|)'.includes(this.#source.charAt(this.#at))) parts.push(this.#repeated(this.#part()));
    return { kind: 'all', parts };
  }

  #repeated(part: PatternPart): PatternPart {
    const quantifier = this.#take(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y);
    if (quantifier === undefined) return part;
    // The older syntax allows that, and it is of no use.
    if (part.kind === 'look') throw new Beyond(quantifier);
    const bounds = /^\{(\d+)(,?)(\d*)/.exec(quantifier);
    if (bounds === null) {
      const sign = quantifier.charAt(0);
      return { kind: 'repeat', part, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
    }
    const [, least, comma, most] = bounds;
    const open = most === '' ? Number.POSITIVE_INFINITY : Number(most);
    return { kind: 'repeat', part, least: Number(least), most: comma === '' ? Number(least) : open };
  }

  #part(): PatternPart {
    const place = this.#take(/[$^]|\\[bB]/y);
    // The pattern lists all of them.
    if (place !== undefined) return { kind: 'at', place: place as Anchor };
    const group = this.#take(/\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y);
    if (group !== undefined) return this.#group(group);
    return { kind: 'one', source: this.#one() };
  }

  #group(opening: string): PatternPart {
    // Flags, as in `(?i:…)`.
    if (this.#source.charAt(this.#at) === '?') throw new Beyond(this.#source.slice(this.#at - 1));
    const part = this.alternatives();
    if (this.#take(/\)/y) === undefined) throw new Beyond(opening);
    const look = looks[opening];
    return look === undefined ? part : { kind: 'look', part, ...look };
  }

  /** The text of what stands for one character; what it means, the platform knows. */
  #one(): string {
    const character = this.#take(this.#unicode ? /[^\\[]/uy : /[^\\[]/y);
    if (character !== undefined) return character;
    return this.#take(/\[(?:\\[^]|[^\]\\])*\]/y) ?? this.#escape();
  }

  #escape(): string {
    const escape = this.#take(
      this.#unicode
        ? /\\(?:u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|u\{[0-9A-Fa-f]+\}|[pP]\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[dDwWsStnvfr]|0(?!\d)|[^A-Za-z0-9])/y
        : /\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|0(?!\d)|[^ck0-9])/y,
    );
    // A number is a reference or an octal escape, by the number of groups; so is a name.
    if (escape === undefined) throw new Beyond(this.#source.slice(this.#at, this.#at + 20));
    return escape;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}
