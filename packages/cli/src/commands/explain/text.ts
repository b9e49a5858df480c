import { printed } from '../shown.ts';

/** Width of a cell to which others are aligned, at most; a wider one has a line of its own. */
const widest = 40;

/**
 * Lines of cells, aligned; the last cell is broken at spaces to fit, and goes on below itself.
 *
 * @param given The lines; each line break in a cell becomes a space.
 * @param width Characters of a line.
 * @param indent Spaces before each line.
 */
export function table(given: readonly (readonly string[])[], width: number, indent = 2): string {
  const rows = given.map((row) => row.map((cell) => printed(cell, 'line')));
  const columns = Math.max(0, ...rows.map((row) => row.length - 1));
  const widths = Array.from({ length: columns }, (_, at) => {
    const lengths = rows.flatMap((row) => (at < row.length - 1 ? [row[at]?.length ?? 0] : []));
    return Math.max(0, ...lengths.filter((length) => length <= widest));
  });
  return rows.map((row) => `${line(row, { widths, width, indent })}\n`).join('');
}

interface Layout {
  readonly widths: readonly number[];
  readonly width: number;
  readonly indent: number;
}

function line(row: readonly string[], { widths, width, indent }: Layout): string {
  const cells = row.slice(0, -1);
  const below = indent + cells.reduce((sum, _, at) => sum + (widths[at] ?? 0) + 2, 0);
  const start = ' '.repeat(indent) + cells.map((cell, at) => `${cell.padEnd(widths[at] ?? 0)}  `).join('');
  const rest = wrapped(row.at(-1) ?? '', width - below).map((text) => ' '.repeat(below) + text);
  const [first = ''] = rest;
  const lines = start.length > below ? [start, ...rest] : [start + first.slice(below), ...rest.slice(1)];
  return lines.map((text) => text.trimEnd()).join('\n');
}

/** Breaks a text at spaces; a word that is longer than a line is left whole. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    const fits = last !== undefined && last.length + 1 + word.length <= Math.max(20, width);
    if (fits) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Cuts a text that is too long. */
export function clipped(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
