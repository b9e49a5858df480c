/** Scopes, as lists of names that are each there once. (RFC 6749, section 3.3.) */

const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

/** The most scopes of one list; a peer's text may hold any number. */
const maxScopes = 256;

/** True when a text may be one scope. */
export function isScope(text: unknown): text is string {
  return typeof text === 'string' && scopeToken.test(text);
}

/**
 * The scopes of a list that is separated by spaces, or of an array of such lists. Invalid scopes are left out.
 *
 * @returns Each scope once, in its original order; empty for any other value.
 */
export function scopesOf(given: unknown): readonly string[] {
  const texts = typeof given === 'string' ? [given] : Array.isArray(given) ? given : [];
  const found = new Set<string>();
  for (const text of texts) {
    if (typeof text !== 'string') continue;
    for (const name of text.split(' ', maxScopes)) {
      if (found.size < maxScopes && isScope(name)) found.add(name);
    }
  }
  return [...found];
}

/** The scopes of several lists, each once, those of the first list first. */
export function unionOf(...lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

/** The scopes that are wanted and not there. */
export function missingOf(wanted: readonly string[], there: readonly string[]): readonly string[] {
  return wanted.filter((scope) => !there.includes(scope));
}
