/** A command line as it may be pasted into a shell; what is no plain text there is quoted. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w.:/@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
