/** Tokens of JSON, and the space before them. */
const token =
  // oxlint-disable-next-line no-control-regex -- JSON has no control characters in strings
  /[ \t\r\n]*(?:(?<string>"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?<scalar>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w))|(?<sign>[{}[\],:]))/y;

type Wanted = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'more';

/**
 * Position of the first error in a text that is not JSON, as line and column from 1. Parsers name it only sometimes,
 * and quote the surrounding text.
 */
export function faultIn(text: string): { readonly line: number; readonly column: number } {
  const before = text.slice(0, faultAt(text));
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

function faultAt(text: string): number {
  const open: string[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  for (;;) {
    token.lastIndex = at;
    const { string, scalar, sign = '' } = token.exec(text)?.groups ?? {};
    const next: Wanted | undefined =
      string === undefined && scalar === undefined ? bySign(sign, wanted, open) : byValue(string, wanted);
    if (next === undefined || (open.length === 0 && sign === '' && wanted === 'more')) return at + spaceAt(text, at);
    wanted = next;
    at = token.lastIndex;
  }
}

/** The next that is wanted after a string, a number or a word; `undefined` where it may not stand. */
function byValue(string: string | undefined, wanted: Wanted): Wanted | undefined {
  if (wanted === 'key' || wanted === 'key or end') return string === undefined ? undefined : 'colon';
  return wanted === 'value' || wanted === 'value or end' ? 'more' : undefined;
}

/** The same after a bracket, a comma or a colon. */
function bySign(sign: string, wanted: Wanted, open: string[]): Wanted | undefined {
  const isValue = wanted === 'value' || wanted === 'value or end';
  if (sign === '{' || sign === '[') {
    if (!isValue) return undefined;
    open.push(sign);
    return sign === '{' ? 'key or end' : 'value or end';
  }
  if (sign === ':') return wanted === 'colon' ? 'value' : undefined;
  if (sign === ',')
    return wanted !== 'more' ? undefined : { '{': 'key' as const, '[': 'value' as const }[open.at(-1) ?? ''];
  if (sign !== '}' && sign !== ']') return undefined;
  const isEnd = wanted === 'more' || wanted === (sign === '}' ? 'key or end' : 'value or end');
  return isEnd && open.pop() === (sign === '}' ? '{' : '[') ? 'more' : undefined;
}

function spaceAt(text: string, at: number): number {
  return /[ \t\r\n]*/y.exec(text.slice(at))?.[0].length ?? 0;
}
