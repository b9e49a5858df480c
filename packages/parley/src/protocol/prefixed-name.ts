/**
 * Names of tools and prompts of several servers that are shown as those of one: `prefix__name`. Bridges and servers that mount others
 * both name by these rules.
 */

/** Spec 2025-11-25, Tools, Tool names: 1 to 128 letters, digits, underscores, hyphens and dots. */
export const maxNameLength = 128;
/** The longest prefix: there is room for a name behind it. */
export const maxPrefixLength = 48;

const separator = '__';
const foreign = /[^A-Za-z0-9_.-]+/g;

/** Makes a prefix of any text: what names cannot have becomes a hyphen. */
export function fittingPrefix(text: string): string {
  return text.replaceAll(foreign, '-').slice(0, maxPrefixLength);
}

/** Name with its prefix, however long it is. */
export function fullName(prefix: string, name: string): string {
  return prefix + separator + name;
}

/** Name with its prefix; one that would be too long is cut and ends with digits that depend on both. */
export function prefixedName(prefix: string, name: string): string {
  const full = fullName(prefix, name);
  return full.length <= maxNameLength ? full : digested(prefix, name);
}

/** Name with its prefix that ends with digits which depend on both. */
export function digested(prefix: string, name: string): string {
  const digits = digest(`${prefix} ${name}`);
  // There is room for a count behind the digits.
  return `${fullName(prefix, name).slice(0, maxNameLength - digits.length - 5)}_${digits}`;
}

/** Name behind a prefix; `undefined` where another or none is before it. */
export function withoutPrefix(prefix: string, name: string): string | undefined {
  const begins = prefix + separator;
  return name.length > begins.length && name.startsWith(begins) ? name.slice(begins.length) : undefined;
}

/** FNV-1a, 32 bits: tells names apart, and protects nothing. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
