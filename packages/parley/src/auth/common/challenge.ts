/** The challenges of a `WWW-Authenticate` header. (RFC 9110, sections 11.2 to 11.6.1.) */

/** One challenge: how a server wants a client to authenticate. */
export interface Challenge {
  /** The scheme in lower case, such as `bearer`. */
  readonly scheme: string;
  /** Token in place of parameters, if there is one. */
  readonly token68?: string | undefined;
  /** The parameters by their names in lower case; of one that comes twice the first. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The longest header that is read. A longer one counts as empty. */
const mostCharacters = 16_384;
/** The most challenges and parameters that are read of one header. */
const maxChallenges = 32;
const maxParameters = 64;

const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const separators = /[ \t,]*/y;
const space = /[ \t]*/y;
const token68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const equals = /[ \t]*=[ \t]*/y;
const quoted = /"((?:[^"\\]|\\[^])*)"/y;
// Servers write URLs without quotes, which are no tokens.
const unquoted = /[^\s",;]+/y;
const rest = /[^,]*/y;

/**
 * Reads all challenges of a header, in order. Never throws. Malformed parts are skipped.
 *
 * @param header The value of the header; several lines joined by commas.
 */
export function parseChallenges(header: string | null | undefined): readonly Challenge[] {
  if (header === null || header === undefined || header.length > mostCharacters) return [];
  const reader = new Reader(header);
  const found: Challenge[] = [];
  while (found.length < maxChallenges) {
    reader.take(separators);
    if (reader.ended) break;
    const scheme = reader.take(token);
    if (scheme === undefined) reader.take(rest);
    else found.push(challengeOf(scheme.toLowerCase(), reader));
  }
  return found;
}

function challengeOf(scheme: string, reader: Reader): Challenge {
  reader.take(space);
  const single = reader.take(token68);
  // A scheme alone is followed by a comma or by the end, which is no token.
  if (single !== undefined) return { scheme, token68: single, parameters: {} };
  return { scheme, parameters: parametersOf(reader) };
}

function parametersOf(reader: Reader): Readonly<Record<string, string>> {
  const found = new Map<string, string>();
  for (let count = 0; count < maxParameters; count++) {
    const start = reader.at;
    reader.take(separators);
    const name = reader.take(token)?.toLowerCase();
    if (name === undefined || reader.take(equals) === undefined) {
      // It is the scheme of the next challenge, or nothing at all.
      reader.at = start;
      break;
    }
    const value = valueOf(reader);
    if (value !== undefined && !found.has(name)) found.set(name, value);
  }
  return Object.fromEntries(found);
}

function valueOf(reader: Reader): string | undefined {
  const text = reader.take(quoted);
  if (text !== undefined) return text.slice(1, -1).replaceAll(/\\([^])/g, '$1');
  const plain = reader.take(unquoted);
  // A quotation that never ends is passed over up to the next comma.
  if (plain === undefined) reader.take(rest);
  return plain;
}

/** A text that is read from its beginning to its end, by patterns that stick. */
class Reader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get ended(): boolean {
    return this.at >= this.#text.length;
  }

  /** Text that a pattern matches at this position; `undefined`, without moving, if it does not match. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined || found === '') return undefined;
    this.at += found.length;
    return found;
  }
}

/**
 * Writes one challenge.
 *
 * @param parameters Those that are `undefined` are left out; characters that may not stand in a quoted string become `?`.
 */
export function formatChallenge(scheme: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${quotable(value)}"`],
  );
  return written.length === 0 ? scheme : `${scheme} ${written.join(', ')}`;
}

function quotable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, String.raw`\$&`);
}
