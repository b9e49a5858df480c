/** Parsing of URI templates (RFC 6570, levels 1 to 4). */

import type { Piece } from './match.ts';
import type { Expression, Operator, TemplateVariable } from './types.ts';

/** Length that a template may have, in characters. */
export const maxTemplateLength = 4096;

/** Limit of variables of a template. */
export const maxVariables = 64;

/** A parsed template. */
export class TemplateParts {
  /** Literals, already encoded, and expressions. */
  readonly parts: readonly (string | Expression)[];
  /** The names of its variables in order of appearance, without repeats. */
  readonly variables: readonly string[];
  /** Pieces that matching prepares when it is first asked. */
  pieces: readonly Piece[] | undefined;

  /** @throws TypeError when the template is malformed, too long, or has too many variables. */
  constructor(template: string) {
    if (template.length > maxTemplateLength) {
      throw new TypeError(`URI template has ${template.length} characters; at most ${maxTemplateLength} are allowed`);
    }
    this.parts = parseExpressions(template);
    const names = this.parts.flatMap((part) =>
      typeof part === 'string' ? [] : part.variables.map(({ name }) => name),
    );
    if (names.length > maxVariables) {
      throw new TypeError(`URI template has ${names.length} variables; at most ${maxVariables} are allowed`);
    }
    this.variables = [...new Set(names)];
  }
}

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

function parseVariable(text: string, template: string): TemplateVariable {
  const [, name, modifier] = variablePattern.exec(text) ?? [];
  if (name === undefined) throw malformed(template, `has ${JSON.stringify(text)} in place of a variable`);
  return {
    name,
    explode: modifier === '*',
    prefix: modifier?.startsWith(':') === true ? Number(modifier.slice(1)) : undefined,
  };
}

function malformed(template: string, why: string): TypeError {
  return new TypeError(`URI template ${JSON.stringify(template)} ${why}`);
}

/** Leaves reserved characters and percent-encoded triplets as they are. */
export function encodeReserved(value: string): string {
  return value.replace(/%(?![0-9A-Fa-f]{2})|[^%\w\-.~:/?#[\]@!$&'()*+,;=]+/g, encodeURIComponent);
}
