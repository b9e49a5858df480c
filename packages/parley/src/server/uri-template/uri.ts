const character = "(?:[\\w.~!$&'()*+,;=-]|%[0-9a-f]{2})";
const authority = `//(?:(?:${character}|:)*@)?(?:\\[[0-9a-f:.]+\\]|${character}*)(?::\\d*)?(?:/(?:${character}|[:@])*)*`;
const path = `(?!//)(?:${character}|[:@/])+`;
const tail = `(?:${character}|[:@/?])*`;
const syntax = new RegExp(`^[a-z][a-z0-9+.-]*:(?:${authority}|${path})(?:\\?${tail})?(?:#${tail})?$`, 'i');

/** Length that a URI may have, in characters. */
const maxLength = 65_536;

/** Tells whether text is a URI with a scheme, as RFC 3986 has it: whatever it does not allow is percent-encoded. */
export function isUri(text: string): boolean {
  return text.length <= maxLength && syntax.test(text);
}

/**
 * Percent-encodes non-ASCII characters, as in a template's own literals; `undefined` for a text that cannot be encoded.
 */
export function toAscii(uri: string): string | undefined {
  try {
    return uri.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  } catch {
    return undefined;
  }
}
