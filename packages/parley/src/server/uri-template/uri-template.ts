/** URI templates (RFC 6570, levels 1 to 4) as a whole: expansion; parsing and matching are next door. */

import { matchTemplate } from './match.ts';
import { encodeReserved, TemplateParts } from './parse.ts';
import type { Expression, Operator, TemplateVariable, VariablesOf } from './types.ts';

/** A parsed template. */
export interface UriTemplate<Template extends string = string> {
  /** The text it was parsed from. */
  readonly template: Template;
  /** The names of its variables in order of appearance, without repeats. */
  readonly variables: readonly string[];
  /**
   * Writes the URI for some values; a variable without value is left out. Associative arrays are not supported.
   *
   * @throws URIError when a value holds half of a surrogate pair.
   */
  expand(values: ExpandValues): string;
  /**
   * Reads the values from a URI in time linear in its length. Returns `undefined` if the URI does not follow the
   * template, is longer than 64 KiB, or holds malformed percent-encoding.
   *
   * Values are decoded: `%2F` gives `/` and `..` stays `..`, so a reader of files checks where a path leads. Variables
   * outside `{?…}`, `{&…}` and `{;…}` are never empty; a list may be.
   */
  match(uri: string): VariablesOf<Template> | undefined;
}

/** Values to expand a template with. */
export type ExpandValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/**
 * Parses a template.
 *
 * @throws TypeError when it is malformed, too long, or has too many variables.
 *
 * @example
 * parseTemplate('user://{id}{?lang}').match('user://7?lang=de'); // { id: '7', lang: 'de' }
 */
export function parseTemplate<Template extends string>(template: Template): UriTemplate<Template> {
  const parsed = new TemplateParts(template);
  const { parts, variables } = parsed;
  return {
    template,
    variables,
    expand: (values) => parts.map((part) => (typeof part === 'string' ? part : expand(part, values))).join(''),
    // `VariablesOf` reads the same text by the same rules as the parser.
    match: (uri) => matchTemplate(parsed, uri) as VariablesOf<Template> | undefined,
  };
}

function expand({ operator: row, variables }: Expression, values: ExpandValues): string {
  const written: string[] = [];
  for (const variable of variables) {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
    if (value === undefined) continue;
    if (typeof value === 'object') written.push(...expandList(row, variable, value));
    else written.push(named(row, variable, encode(row, truncate(String(value), variable.prefix))));
  }
  return written.length === 0 ? '' : row.first + written.join(row.separator);
}

function expandList(row: Operator, variable: TemplateVariable, list: readonly string[]): readonly string[] {
  if (list.length === 0) return [];
  const items = list.map((item) => encode(row, item));
  if (!variable.explode) return [named(row, variable, items.join(','))];
  return items.map((item) => named(row, variable, item));
}

function named(row: Operator, variable: TemplateVariable, encoded: string): string {
  if (!row.named) return encoded;
  return variable.name + (encoded === '' ? row.ifEmpty : `=${encoded}`);
}

function truncate(value: string, prefix: number | undefined): string {
  return prefix === undefined ? value : Array.from(value).slice(0, prefix).join('');
}

function encode(row: Operator, value: string): string {
  return row.reserved ? encodeReserved(value) : encodeUnreserved(value);
}

function encodeUnreserved(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
