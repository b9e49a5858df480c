/** JSON text read so that its numbers can be written again as they were. */
import { ExactNumber } from './exact-number.ts';
import { endOfString, parseJson } from './parse.ts';

/**
 * Parses JSON text like `parseJson`, but for the numbers that JavaScript would spell in another way: those become exact
 * numbers. Text that `JSON.stringify` wrote has none, unless it wrote exact ones.
 *
 * @param depth How deep arrays and objects may nest; 128 by default.
 * @throws JsonError when the text is malformed or nests too deep.
 */
export function parseExactJson(text: string, depth?: number): unknown {
  const value = parseJson(text, depth);
  return hasOddNumber(text) ? new ExactReader(text).value() : value;
}

const quote = 0x22;
const minus = 0x2d;

/** Tells whether JSON text has a number that would change its spelling. */
function hasOddNumber(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at + 1);
    else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (isOdd(text, at, end)) return true;
      at = end - 1;
    }
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  // Only digits, signs, points and exponents can stand between the beginning of a number and what comes after it.
  while (isDigit(text.charCodeAt(end)) || '+-.eE'.includes(text[end] ?? ' ')) end++;
  return end;
}

function isOdd(text: string, start: number, end: number): boolean {
  // One digit is by far the most frequent number.
  if (end - start === 1) return false;
  const number = text.slice(start, end);
  return String(Number(number)) !== number;
}

/** Reads text that is known to be JSON, and not too deep for recursion. */
class ExactReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #object(): unknown {
    const entries: [string, unknown][] = [];
    while (this.#hasNext('}')) {
      this.#skipSpace();
      const key = this.#string();
      this.#skipSpace();
      this.#at++;
      entries.push([key, this.value()]);
    }
    // It defines own keys, whatever their names, and the last of equal ones counts.
    return Object.fromEntries(entries);
  }

  #array(): unknown {
    const items: unknown[] = [];
    while (this.#hasNext(']')) items.push(this.value());
    return items;
  }

  /** Steps over the opening bracket or a comma; at the closing bracket, over that. */
  #hasNext(close: string): boolean {
    this.#skipSpace();
    const over = this.#text[this.#at] === close;
    this.#at++;
    if (over) return false;
    // Only an opening bracket may have the closing one right behind it.
    this.#skipSpace();
    if (this.#text[this.#at] !== close) return true;
    this.#at++;
    return false;
  }

  #string(): string {
    const start = this.#at;
    this.#at = endOfString(this.#text, start + 1) + 1;
    // A slice would keep the whole text alive; what stands between quotes is a string.
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #number(): unknown {
    const start = this.#at;
    this.#at = endOfNumber(this.#text, start);
    const text = this.#text.slice(start, this.#at);
    const number = Number(text);
    return String(number) === text ? number : new ExactNumber(text);
  }

  #word<T>(word: string, meaning: T): T {
    this.#at += word.length;
    return meaning;
  }

  #skipSpace(): void {
    while (this.#text.charCodeAt(this.#at) <= 0x20) this.#at++;
  }
}
