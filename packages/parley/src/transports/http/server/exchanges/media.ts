/**
 * Reads the media types of a request by their grammar. (RFC 9110, 5.6.6, 8.3.1 and 12.5.1.) The reader only moves
 * forward, so the cost of a header is linear in its length.
 */

// Each pattern begins where the previous one ended, and matches in only one way.
const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const quoted = /"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"/y;
const whitespace = /[ \t]*/y;

/** Length limit of a header. */
const longest = 4096;

/** Tells whether a `Content-Type` is JSON in UTF-8. A missing, repeated or malformed header is not. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  if (contentType === undefined || contentType.length > longest) return false;
  const text = new Cursor(contentType);
  if (text.mediaType() !== 'application/json') return false;
  for (let one = text.parameter(); one !== undefined; one = text.parameter()) {
    if (one.name === 'charset' && !/^utf-?8$/i.test(one.value)) return false;
  }
  return text.ended;
}

/** The kinds of answer that a client takes. */
export interface AcceptedTypes {
  readonly json: boolean;
  readonly stream: boolean;
  /** True if the client names event streams, not only any type. */
  readonly streamNamed: boolean;
}

const anything: AcceptedTypes = { json: true, stream: true, streamNamed: false };
const both: AcceptedTypes = { json: true, stream: true, streamNamed: true };

/** Reads an `Accept` header. Without one everything is acceptable. Invalid media ranges are skipped. */
export function acceptedBy(accept: string | undefined): AcceptedTypes {
  if (accept === 'application/json, text/event-stream') return both;
  if (accept === undefined || accept === '' || accept === '*/*') return anything;
  const ranges = new Map<string, boolean>();
  const text = new Cursor(accept.slice(0, longest));
  do {
    const range = text.mediaType();
    if (range === undefined) continue;
    let taken = true;
    for (let one = text.parameter(); one !== undefined; one = text.parameter()) {
      if (one.name === 'q') taken = !/^0(?:\.0*)?$/.test(one.value);
    }
    ranges.set(range, taken);
  } while (text.next());
  return {
    json: takes(ranges, 'application', 'json'),
    stream: takes(ranges, 'text', 'event-stream'),
    streamNamed: ranges.get('text/event-stream') === true,
  };
}

/** The most specific range decides. */
function takes(ranges: ReadonlyMap<string, boolean>, type: string, subtype: string): boolean {
  return ranges.get(`${type}/${subtype}`) ?? ranges.get(`${type}/*`) ?? ranges.get('*/*') ?? false;
}

/** A name in lower case, and a value without its quotes; both are empty where only a semicolon stood. */
interface Parameter {
  readonly name: string;
  readonly value: string;
}

const nothing: Parameter = { name: '', value: '' };

/** Position in a header that is being read. */
class Cursor {
  readonly #text: string;
  #at = 0;
  #broken = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Tells whether everything was read and nothing was malformed. */
  get ended(): boolean {
    return !this.#broken && this.#at === this.#text.length;
  }

  /** Reads `type/subtype`, in lower case. */
  mediaType(): string | undefined {
    this.#take(whitespace);
    const type = this.#take(token);
    if (type === '' || !this.#skip('/')) return undefined;
    const subtype = this.#take(token);
    this.#take(whitespace);
    return subtype === '' ? undefined : `${type}/${subtype}`.toLowerCase();
  }

  /** Reads a semicolon and what follows it, if that is a parameter or nothing. */
  parameter(): Parameter | undefined {
    if (!this.#skip(';')) return undefined;
    this.#take(whitespace);
    const name = this.#take(token).toLowerCase();
    if (name === '') return nothing;
    const value = this.#skip('=') ? this.#take(token) || this.#take(quoted) : '';
    this.#take(whitespace);
    this.#broken ||= value === '';
    if (this.#broken) return undefined;
    return { name, value: value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value };
  }

  /** Moves behind the next comma, and returns whether there was one. */
  next(): boolean {
    const comma = this.#text.indexOf(',', this.#at);
    this.#at = comma + 1;
    return comma !== -1;
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }
}
