import { parseExactJson } from '../../json/parse-exact.ts';

/** Strings, which are left as they are, and comments. */
const comments = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g;
const trailingCommas = /"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g;

/**
 * The JSON within a text that may have comments and trailing commas, as editors allow in their settings. Blanks stand in
 * their place, so that what follows keeps its line and column.
 */
export function plainJson(text: string): string {
  const blank = (found: string): string => (found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, ' '));
  return text.replaceAll(comments, blank).replaceAll(trailingCommas, blank);
}

/** Parses such a text. Numbers keep their digits. @throws JsonError when it is malformed. */
export function parseJsonc(text: string): unknown {
  return parseExactJson(plainJson(text));
}
