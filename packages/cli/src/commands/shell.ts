/** A command line to paste into a shell, quoted where needed. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w.:/@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
