/** Test of the values of a template, whether they would lead out of the folder that they are read below. */

/**
 * Tells whether a value contains path traversal: a segment `..` (alone, or before the `;` of path parameters or spaces,
 * which some readers cut off), a root (`/`, `\`, `c:\`), or a null character. It also checks the value after repeated
 * percent-decoding. A value that is still encoded after many rounds is not trusted. (Spec 2026-07-28, Resources,
 * Security considerations.)
 */
export function leadsElsewhere(value: string): boolean {
  let text = value;
  for (let times = 0; times < maxDecodings; times++) {
    const decoded = text.replace(triplet, (hex) => String.fromCharCode(Number.parseInt(hex.slice(1), 16)));
    if (decoded === text) return rooted.test(text) || text.includes('\0') || text.split(/[\\/]/).some(isParent);
    text = decoded;
  }
  return true;
}

/** Real values are encoded less often. Without a bound, a long value would take as many passes as it has triplets. */
const maxDecodings = 8;

/** An encoded character of ASCII; no other leads elsewhere. */
const triplet = /%[0-7][0-9a-f]/gi;

const rooted = /^(?:[\\/]|[A-Za-z]:[\\/])/;

function isParent(segment: string): boolean {
  const [name = ''] = segment.split(';', 1);
  return name.trim() === '..';
}
