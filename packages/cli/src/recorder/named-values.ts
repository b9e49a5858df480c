/** Values of keys in text that is JSON, or holds JSON as a text: they are found without reading it, since it may be cut off, or be none. */

/** Makes the search for keys: it ends with the quote that opens the value, and knows keys and values that are escaped once. */
export function keysNamed(names: string, flags = 'g'): RegExp {
  return new RegExp(`((\\\\?)"${names}\\2"\\s*:\\s*)\\2"`, flags);
}

/**
 * Replaces values that are texts, by the key and the value as they are written; `undefined` leaves one as it is.
 *
 * It takes no more than a few steps for each character, and no more of the stack for a long value: a stranger wrote it.
 */
export function replaceValues(
  text: string,
  keys: RegExp,
  replace: (key: string, value: string) => string | undefined,
): string {
  const search = new RegExp(keys);
  const parts: string[] = [];
  let from = 0;
  for (let found = search.exec(text); found !== null; found = search.exec(text)) {
    const [whole, key = '', escape = ''] = found;
    const begin = found.index + whole.length;
    const end = endOf(text, begin, escape !== '');
    const value = text.slice(begin, end);
    parts.push(text.slice(from, begin), replace(key, value) ?? value);
    from = end;
    search.lastIndex = end;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(from);
}

/** Place of the quote that closes a text, or of the end where there is none. */
function endOf(text: string, begin: number, isEscaped: boolean): number {
  const sign = /["\\]/g;
  for (let at = begin; ;) {
    sign.lastIndex = at;
    const found = sign.exec(text);
    if (found === null) return text.length;
    at = found.index;
    if (text[at] === '"' || (isEscaped && text[at + 1] === '"')) return at;
    // Within what is escaped once, an inner backslash is two, and so may be what it stands before.
    if (isEscaped && text[at + 1] === '\\') at += text[at + 2] === '\\' ? 4 : 3;
    else at += 2;
  }
}
