/** URI templates (RFC 6570, levels 1 to 4): parsing and expansion; matching is next door. */

import { matchUri, toPieces, type Piece } from './uri-template-match.ts';
import type { Expression, Operator, Variable, VariablesOf } from './uri-template-types.ts';

/** How long a template may be, in characters. */
export const maxTemplateLength = 4096;

/** How many variables a template may have. */
export const maxVariables = 64;

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
   * Reads the values back from a URI in time linear in its length; `undefined` when it does not follow the template, is
   * longer than 64 KiB, or holds malformed percent-encoding.
   *
   * Values are decoded: `%2F` gives `/` and `..` stays `..`, so a reader of files checks where a path leads. Variables
   * outside `{?…}`, `{&…}` and `{;…}` are never empty; a list may be.
   */
  match(uri: string): VariablesOf<Template> | undefined;
}

/** Values to expand a template with. */
export type ExpandValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

const operators: ReadonlyMap<string, Operator> = new Map(
  [
    operator({ symbol: '', separator: ',' }),
    operator({ symbol: '+', separator: ',', reserved: true }),
    operator({ symbol: '#', first: '#', separator: ',', reserved: true }),
    operator({ symbol: '.', first: '.', separator: '.' }),
    operator({ symbol: '/', first: '/', separator: '/' }),
    operator({ symbol: ';', first: ';', separator: ';', named: true }),
    operator({ symbol: '?', first: '?', separator: '&', named: true, ifEmpty: '=' }),
    operator({ symbol: '&', first: '&', separator: '&', named: true, ifEmpty: '=' }),
  ].map((row) => [row.symbol, row]),
);

function operator(row: Partial<Operator> & Pick<Operator, 'symbol' | 'separator'>): Operator {
  return { first: '', named: false, ifEmpty: '', reserved: false, ...row };
}

/**
 * Parses a template.
 *
 * @throws TypeError when it is malformed, too long, or has too many variables.
 *
 * @example
 * parseTemplate('user://{id}{?lang}').match('user://7?lang=de'); // { id: '7', lang: 'de' }
 */
export function parseTemplate<Template extends string>(template: Template): UriTemplate<Template> {
  if (template.length > maxTemplateLength) {
    throw new TypeError(`URI template has ${template.length} characters; at most ${maxTemplateLength} are allowed`);
  }
  const parts = parseExpressions(template);
  const names = parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables.map(({ name }) => name)));
  if (names.length > maxVariables) {
    throw new TypeError(`URI template has ${names.length} variables; at most ${maxVariables} are allowed`);
  }
  let pieces: readonly Piece[] | undefined;
  return {
    template,
    variables: [...new Set(names)],
    expand: (values) => parts.map((part) => (typeof part === 'string' ? part : expand(part, values))).join(''),
    match(uri) {
      pieces ??= toPieces(parts);
      // The pieces were made from the text that `VariablesOf` reads by the same rules.
      return matchUri(pieces, uri) as VariablesOf<Template> | undefined;
    },
  };
}

/**
 * Splits a template into literals, already encoded, and expressions.
 *
 * @throws TypeError when it is malformed.
 */
export function parseExpressions(template: string): readonly (string | Expression)[] {
  const parts: (string | Expression)[] = [];
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{', at);
    const literal = template.slice(at, open < 0 ? undefined : open);
    if (literal.includes('}')) throw malformed(template, 'has a } without {');
    if (literal !== '') parts.push(encodeReserved(literal));
    if (open < 0) break;
    const close = template.indexOf('}', open);
    if (close < 0) throw malformed(template, 'has a { without }');
    parts.push(parseExpression(template.slice(open + 1, close), template));
    at = close + 1;
  }
  return parts;
}

function parseExpression(text: string, template: string): Expression {
  const marked = text === '' ? undefined : operators.get(text.charAt(0));
  // The row of the empty symbol is in the table above.
  const row = marked ?? (operators.get('') as Operator);
  const variables = text
    .slice(row.symbol.length)
    .split(',')
    .map((variable) => parseVariable(variable, template));
  return { operator: row, variables };
}

const variablePattern = /^((?:\w|%[0-9A-Fa-f]{2})+(?:\.(?:\w|%[0-9A-Fa-f]{2})+)*)(\*|:[1-9]\d{0,3})?$/;

function parseVariable(text: string, template: string): Variable {
  const [, name, modifier] = variablePattern.exec(text) ?? [];
  if (name === undefined) throw malformed(template, `has ${JSON.stringify(text)} where a variable should be`);
  return {
    name,
    explode: modifier === '*',
    prefix: modifier?.startsWith(':') === true ? Number(modifier.slice(1)) : undefined,
  };
}

function malformed(template: string, why: string): TypeError {
  return new TypeError(`URI template ${JSON.stringify(template)} ${why}`);
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

function expandList(row: Operator, variable: Variable, list: readonly string[]): readonly string[] {
  if (list.length === 0) return [];
  const items = list.map((item) => encode(row, item));
  if (!variable.explode) return [named(row, variable, items.join(','))];
  return items.map((item) => named(row, variable, item));
}

function named(row: Operator, variable: Variable, encoded: string): string {
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

/** Leaves reserved characters and percent-encoded triplets as they are. */
function encodeReserved(value: string): string {
  return value.replace(/%(?![0-9A-Fa-f]{2})|[^%\w\-.~:/?#[\]@!$&'()*+,;=]+/g, encodeURIComponent);
}
