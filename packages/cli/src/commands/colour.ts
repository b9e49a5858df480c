import type { Io } from './io.ts';

/** Codes of a terminal for a look, and for its end. */
const codes = { bold: [1, 22], red: [31, 39] } as const;

/**
 * Tells whether output is coloured: as `FORCE_COLOR` and `NO_COLOR` say, and otherwise at a terminal.
 *
 * @param stream Standard output, or standard error.
 */
export function isColoured(stream: Io['stdout'], env: Io['env']): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: plain, TERM: terminal } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (plain !== undefined && plain !== '') return false;
  return 'isTTY' in stream && stream.isTTY === true && terminal !== 'dumb';
}

/** A text in a look, if the output is coloured. Colour says nothing that the text does not. */
export function styled(text: string, look: keyof typeof codes, coloured: boolean): string {
  const [begin, end] = codes[look];
  return coloured ? `\u001b[${begin}m${text}\u001b[${end}m` : text;
}
