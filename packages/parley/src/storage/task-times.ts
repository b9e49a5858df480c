/** Longest duration that stores tell from a longer one, in milliseconds: a hundred years. */
const century = 100 * 365.25 * 86_400_000;

/** Makes a duration one that databases can add to a time: whole milliseconds, of which there are no more than in a century. */
export function wholeMs(ms: number): number {
  return Math.ceil(Math.max(-century, Math.min(ms, century)));
}

/** Rounds a duration that may be left out, for columns and arguments. */
export function wholeMsOrNull(ms: number | 'keep' | undefined): number | null {
  return typeof ms === 'number' ? wholeMs(ms) : null;
}
