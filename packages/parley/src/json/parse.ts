/** JSON text from a peer, read within bounds. */

/** Depth to which arrays and objects may nest by default. */
export const defaultDepth = 128;

/** Text that is not acceptable JSON; `reason` says whether it is malformed or over a limit. */
export class JsonError extends Error {
  /** Reason: the text is no JSON, or nested too deeply. */
  readonly reason: 'malformed' | 'too-deep';

  constructor(reason: JsonError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'JsonError';
    this.reason = reason;
  }
}

/**
 * Parses JSON text, refusing what nests too deep before it is parsed, so that no recursion over the value can
 * exhaust the stack. Where a key repeats, the last one counts, here and for everybody who reads the value.
 *
 * @param depth How deep arrays and objects may nest; 128 by default.
 * @throws JsonError when the text is malformed or nests too deep.
 */
export function parseJson(text: string, depth: number = defaultDepth): unknown {
  // What is opened must be closed: a short text cannot nest deep.
  if (text.length >= 2 * depth && nestsDeeper(text, depth))
    throw new JsonError('too-deep', `JSON nests deeper than ${depth} levels`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new JsonError('malformed', 'text is not JSON', { cause });
  }
}

/** Parses JSON text within bounds; `undefined`, which no JSON is, for text that is not acceptable. */
export function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Walks the brackets outside strings; strings are skipped with `indexOf`, so long ones cost little. */
function nestsDeeper(text: string, limit: number): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at + 1);
      if (at < 0) return false;
    } else if (code === 0x7b || code === 0x5b) {
      if (++open > limit) return true;
    } else if (code === 0x7d || code === 0x5d) {
      open--;
    }
  }
  return false;
}

/** The index of the quote that ends a string which begins at `start`, or -1 when none does. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end > 0) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash && end - 1 - slashes >= start) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}
