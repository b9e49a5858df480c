/** JSON text as lines of one height, without reading it into values: numbers keep their spelling, and keys that stand there twice. */

/** Kind of a piece of a line. */
export type PieceKind = 'key' | 'string' | 'number' | 'word' | 'sign' | 'plain';

/** Piece of a line. */
export interface LinePiece {
  readonly kind: PieceKind;
  readonly text: string;
}

/** Line of a text. */
export interface JsonLine {
  readonly depth: number;
  readonly pieces: readonly LinePiece[];
  /** Index of the line that closes what this one opens. */
  readonly close?: number;
  /** Number of members within. */
  readonly members?: number;
}

type Draft = { depth: number; pieces: LinePiece[]; close?: number; members?: number };

/**
 * Limit of lines (the rest is one line that says so), and of pieces of one line, since invalid JSON may be a single
 * line.
 */
const most = { lines: 200_000, pieces: 200 };

/**
 * Beginnings of tokens: strings, signs, numbers and words. Invalid JSON has other tokens, which are shown unchanged.
 */
const token = /"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Tokens of a text. A string that never ends is the rest of it, so that nothing is looked at twice. */
function* tokensOf(text: string): Generator<string> {
  const search = new RegExp(token);
  for (let found = search.exec(text); found !== null; found = search.exec(text)) {
    if (found[0] === '"') search.lastIndex = endOf(text, found.index + 1);
    yield text.slice(found.index, search.lastIndex);
  }
}

/** Place after the quote that closes a string, or the end of the text. */
function endOf(text: string, begin: number): number {
  const sign = /["\\]/g;
  for (let at = begin; ; at += 2) {
    sign.lastIndex = at;
    const found = sign.exec(text);
    if (found === null) return text.length;
    at = found.index;
    if (text[at] === '"') return at + 1;
  }
}

/** Makes the lines of a text. It does not throw. */
export function jsonLines(text: string): readonly JsonLine[] {
  const lines: Draft[] = [];
  const open: number[] = [];
  let current: Draft = { depth: 0, pieces: [] };
  const end = (): void => {
    if (current.pieces.length > 0) lines.push(current);
    current = { depth: open.length, pieces: [] };
  };
  for (const found of tokensOf(text)) {
    if (current.pieces.length >= most.pieces) end();
    if (lines.length >= most.lines) {
      current = { depth: 0, pieces: [{ kind: 'plain', text: '… too long to be shown whole; copy it' }] };
      break;
    }
    const piece = pieceOf(found);
    if (found === '{' || found === '[') {
      current.pieces.push(piece);
      open.push(lines.length);
      current.members = 0;
      end();
    } else if (found === '}' || found === ']') {
      end();
      const at = open.pop();
      current = { depth: open.length, pieces: [piece] };
      const opener = at === undefined ? undefined : lines[at];
      if (opener !== undefined && at === lines.length - 1) {
        // Nothing is in it: one line says so.
        lines.pop();
        current = { depth: opener.depth, pieces: [...opener.pieces, piece] };
      } else if (opener !== undefined) opener.close = lines.length;
    } else if (found === ',') {
      current.pieces.push(piece);
      end();
      const at = open.at(-1);
      const opener = at === undefined ? undefined : lines[at];
      if (opener !== undefined) opener.members = (opener.members ?? 0) + 1;
    } else if (found === ':') {
      const key = current.pieces.at(-1);
      if (key?.kind === 'string') current.pieces[current.pieces.length - 1] = { kind: 'key', text: key.text };
      current.pieces.push({ kind: 'sign', text: ': ' });
    } else current.pieces.push(piece);
  }
  if (current.pieces.length > 0) lines.push(current);
  return lines;
}

function pieceOf(text: string): LinePiece {
  const [first = ''] = text;
  if (first === '"') return { kind: 'string', text };
  if ('{}[],:'.includes(first)) return { kind: 'sign', text };
  if (/^-?\d/.test(text)) return { kind: 'number', text };
  return { kind: /^(?:true|false|null)$/.test(text) ? 'word' : 'plain', text };
}

/** Indices of the lines that are seen while some are folded. */
export function seenLines(lines: readonly JsonLine[], folded: ReadonlySet<number>): readonly number[] {
  const seen: number[] = [];
  for (let at = 0; at < lines.length; at++) {
    seen.push(at);
    const close = lines[at]?.close;
    if (close !== undefined && folded.has(at)) at = close;
  }
  return seen;
}
