/**
 * Matching of URI templates without regular expressions: the work is bounded by the length of the URI times the number
 * of pieces of the template, whatever the URI holds.
 */

import type { TemplateParts } from './parse.ts';
import type { Expression, Operator, TemplateVariable } from './types.ts';
import { toAscii } from './uri.ts';

/** Length of a URI that may be matched, in characters. */
export const maxUriLength = 65_536;

/** A stretch of a URI: fixed text, or the values of the variables of an expression. */
export type Piece =
  | { readonly literal: string }
  | {
      readonly literal?: undefined;
      readonly operator: Operator;
      readonly variables: readonly TemplateVariable[];
      /** The characters that may begin it (all are written before the values); empty when the values begin at once. */
      readonly leads: string;
      /** The characters that its values never hold. */
      readonly excluded: string;
      /** True when it may be missing altogether. */
      readonly optional: boolean;
    };

type ExpressionPiece = Exclude<Piece, { readonly literal: string }>;
type Values = Map<string, string | string[]>;

/** Counts the steps of a match, so that a test can see that they are few. */
export interface StepCounter {
  steps: number;
}

/** Prepares a parsed template for matching. */
export function toPieces(parts: readonly (string | Expression)[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const part of parts) {
    const last = pieces.at(-1);
    if (typeof part === 'string') {
      pieces.push({ literal: withUpperEscapes(part) });
    } else if (last !== undefined && last.literal === undefined && isQuery(last.operator) && isQuery(part.operator)) {
      // `{?a}{&b}` is one query. Its parameters come in any order.
      pieces[pieces.length - 1] = {
        ...last,
        leads: last.leads === '?' ? '?&' : last.leads,
        variables: [...last.variables, ...part.variables],
      };
    } else {
      pieces.push(toPiece(part));
    }
  }
  return pieces;
}

function toPiece({ operator, variables }: Expression): Piece {
  const lone = variables.length === 1 && variables[0]?.explode !== true;
  return {
    operator,
    variables,
    leads: operator.first,
    excluded: operator.reserved ? '' : isQuery(operator) ? '#' : operator.symbol === '/' && !lone ? '?#' : '/?#',
    optional: operator.named || variables.every(({ explode }) => explode),
  };
}

function isQuery({ symbol }: Operator): boolean {
  return symbol === '?' || symbol === '&';
}

/** Matches a URI against a template; see `UriTemplate.match`. */
export function matchTemplate(
  template: TemplateParts,
  uri: string,
): Readonly<Record<string, string | readonly string[]>> | undefined {
  return matchUri((template.pieces ??= toPieces(template.parts)), uri);
}

/** Matches a URI against what was prepared of a template. */
export function matchUri(
  pieces: readonly Piece[],
  uri: string,
  counter: StepCounter = { steps: 0 },
): Record<string, string | string[]> | undefined {
  if (uri.length > maxUriLength) return undefined;
  const first = pieces[0];
  const ascii = toAscii(uri);
  const text = ascii && withUpperEscapes(ascii);
  if (text === undefined || (first?.literal !== undefined && !text.startsWith(first.literal))) return undefined;
  const spans = divide(pieces, text, counter);
  if (spans === undefined) return undefined;
  const values: Values = new Map();
  const cut = new Set<string>();
  for (const [piece, span] of spans) {
    const found = readSpan(piece, span);
    if (found === undefined || !merge(values, found, piece, cut)) return undefined;
    counter.steps += span.length;
  }
  return Object.fromEntries(values);
}

/** RFC 3986, section 6.2.2.1: the hexadecimal digits of an escape are case-insensitive. */
function withUpperEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase());
}

/**
 * Gives every expression its stretch of the text. From the right, each piece learns at which positions the rest of the
 * template can begin; from the left, each expression then takes the shortest stretch after which the rest can follow.
 */
function divide(pieces: readonly Piece[], text: string, counter: StepCounter): [ExpressionPiece, string][] | undefined {
  let after = new Uint8Array(text.length + 1);
  after[text.length] = 1;
  const rests = [after];
  for (const piece of pieces.toReversed()) {
    after = piece.literal === undefined ? beginnings(piece, text, after) : occurrences(piece.literal, text, after);
    counter.steps += text.length + (piece.literal?.length ?? 0);
    rests.push(after);
  }
  if (rests.pop()?.[0] !== 1) return undefined;
  const spans: [ExpressionPiece, string][] = [];
  let at = 0;
  for (const piece of pieces) {
    const rest = rests.pop();
    if (rest === undefined) return undefined;
    if (piece.literal !== undefined) {
      at += piece.literal.length;
      continue;
    }
    let end = at;
    if (!(piece.optional && rest[at] === 1)) {
      end = at + leadLength(piece) + (piece.optional ? 0 : 1);
      while (end < text.length && rest[end] !== 1) end++;
    }
    counter.steps += end - at;
    spans.push([piece, text.slice(at, end)]);
    at = end;
  }
  return spans;
}

function leadLength(piece: ExpressionPiece): number {
  return piece.leads === '' ? 0 : 1;
}

/** The positions where an expression can begin such that the rest of the template can follow it. */
function beginnings(piece: ExpressionPiece, text: string, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const found = new Uint8Array(text.length + 1);
  // Whether the rest can follow some run of allowed characters that begins one or two positions further on.
  let run = rest[text.length] === 1;
  let nextRun = false;
  if (piece.optional) found[text.length] = run ? 1 : 0;
  for (let at = text.length - 1; at >= 0; at--) {
    const allowed = !piece.excluded.includes(text.charAt(at));
    // After the end there is the empty text, which every text includes.
    const nextAllowed = !piece.excluded.includes(text.charAt(at + 1));
    const follows =
      piece.leads === ''
        ? allowed && run
        : piece.leads.includes(text.charAt(at)) && (piece.optional ? run : nextAllowed && nextRun);
    if (follows || (piece.optional && rest[at] === 1)) found[at] = 1;
    nextRun = run;
    run = rest[at] === 1 || (allowed && run);
  }
  return found;
}

/** The positions of a literal from which the rest can follow (Knuth, Morris and Pratt). */
function occurrences(literal: string, text: string, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const found = new Uint8Array(text.length + 1);
  const borders = bordersOf(literal);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    while (matched > 0 && (matched === literal.length || text[at] !== literal[matched]))
      matched = borders[matched - 1] ?? 0;
    if (text[at] === literal[matched]) matched++;
    if (matched === literal.length && rest[at + 1] === 1) found[at + 1 - literal.length] = 1;
  }
  return found;
}

/** For each prefix of a literal, how long a proper prefix of it is also its end. */
function bordersOf(literal: string): readonly number[] {
  const borders = [0];
  let length = 0;
  for (let at = 1; at < literal.length; at++) {
    while (length > 0 && literal[at] !== literal[length]) length = borders[length - 1] ?? 0;
    if (literal[at] === literal[length]) length++;
    borders.push(length);
  }
  return borders;
}

/** Reads the values of an expression from its stretch. */
function readSpan(piece: ExpressionPiece, span: string): Values | undefined {
  const body = span.slice(leadLength(piece));
  try {
    if (piece.operator.named) return span === '' ? new Map() : readNamed(piece, body.split(piece.operator.separator));
    const lone = piece.variables.length === 1 && piece.variables[0]?.explode !== true;
    return readPositional(piece, span === '' ? [] : lone ? [body] : body.split(piece.operator.separator));
  } catch {
    // Only `decodeURIComponent` throws here, on malformed percent-encoding.
    return undefined;
  }
}

function readNamed({ variables }: ExpressionPiece, pairs: readonly string[]): Values | undefined {
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  const values: Values = new Map();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const variable = byName.get(equals < 0 ? pair : pair.slice(0, equals));
    if (variable === undefined) return undefined;
    const value = decodeURIComponent(equals < 0 ? '' : pair.slice(equals + 1));
    const known = values.get(variable.name);
    if (Array.isArray(known)) known.push(value);
    else if (known !== undefined || !fitsPrefix(variable, value)) return undefined;
    else values.set(variable.name, variable.explode ? [value] : value);
  }
  return values;
}

/**
 * One item for each variable. The first list takes the remaining items, or the last variable if it may contain commas.
 */
function readPositional({ variables, operator }: ExpressionPiece, items: readonly string[]): Values | undefined {
  const values: Values = new Map();
  const explodeAt = variables.findIndex(({ explode }) => explode);
  const surplus = items.length - variables.length;
  if (explodeAt < 0 ? surplus < 0 || (surplus > 0 && !operator.reserved) : surplus < -1) return undefined;
  let at = 0;
  for (const [index, variable] of variables.entries()) {
    const count = index === explodeAt || (explodeAt < 0 && index === variables.length - 1) ? surplus + 1 : 1;
    const taken = items.slice(at, at + count);
    at += count;
    if (variable.explode) {
      values.set(variable.name, taken.map(decodeURIComponent));
      continue;
    }
    const value = decodeURIComponent(taken.join(operator.separator));
    if (value === '' || !fitsPrefix(variable, value)) return undefined;
    values.set(variable.name, value);
  }
  return values;
}

function fitsPrefix({ prefix }: TemplateVariable, value: string): boolean {
  return prefix === undefined || value.length <= prefix || Array.from(value).length <= prefix;
}

/**
 * Adds values. A variable that stands in the template more than once has one value, of which `{name:3}` shows the
 * beginning.
 *
 * @param cut The names of which only the beginning is known so far.
 */
function merge(values: Values, found: Values, { variables }: ExpressionPiece, cut: Set<string>): boolean {
  for (const [name, value] of found) {
    const known = values.get(name);
    const isCut = variables.some((variable) => variable.name === name && variable.prefix !== undefined);
    if (known === undefined) {
      values.set(name, value);
      if (isCut) cut.add(name);
    } else if (!agree(known, cut.has(name), value, isCut)) {
      return false;
    } else if (!isCut) {
      values.set(name, value);
      cut.delete(name);
    }
  }
  return true;
}

function agree(known: string | string[], knownCut: boolean, value: string | string[], valueCut: boolean): boolean {
  const [one, other] = [String(known), String(value)];
  return one === other || (knownCut && other.startsWith(one)) || (valueCut && one.startsWith(other));
}
