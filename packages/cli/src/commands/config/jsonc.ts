import { parseExactJson } from '../../../../parley/src/json/parse-exact.ts';

/**
 * The JSON within a text that may have comments and trailing commas, as editors allow in their settings. Blanks stand in
 * their place, so that what follows keeps its line and column.
 */
export function plainJson(text: string): string {
  const pieces: string[] = [];
  // Where a comma stands, until the next token shows whether it is a trailing one.
  let comma: number | undefined;
  for (let at = 0; at < text.length;) {
    const end = endOf(text, at);
    const piece = text.slice(at, end);
    at = end;
    if (isComment(piece)) {
      pieces.push(piece.replaceAll(/[^\n]/g, ' '));
      continue;
    }
    if (comma !== undefined && (piece === '}' || piece === ']')) pieces[comma] = ' ';
    if (piece.trim() !== '') comma = piece === ',' ? pieces.length : undefined;
    pieces.push(piece);
  }
  return pieces.join('');
}

/** Parses such a text. Numbers keep their digits. @throws JsonError when it is malformed. */
export function parseJsonc(text: string): unknown {
  return parseExactJson(plainJson(text));
}

/** The index after the string, comment or character at an index; the end of the text if it is not closed. */
function endOf(text: string, at: number): number {
  if (text[at] === '"') {
    let next = at + 1;
    while (next < text.length && text[next] !== '\n' && text[next] !== '"') next += text[next] === '\\' ? 2 : 1;
    return text[next] === '"' ? next + 1 : Math.min(next, text.length);
  }
  if (!isComment(text.slice(at, at + 2))) return at + 1;
  const end = text[at + 1] === '/' ? '\n' : '*/';
  const found = text.indexOf(end, at + 2);
  if (found === -1) return text.length;
  return end === '\n' ? found : found + end.length;
}

function isComment(piece: string): boolean {
  return piece.startsWith('//') || piece.startsWith('/*');
}
