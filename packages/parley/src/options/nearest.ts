/** Names that somebody may have meant. */

/** Length that a name may have that is compared, in characters. */
const longest = 128;

/**
 * The names that are nearest to one that does not exist, best first: at most three, and only those that a slip of the
 * keys, another case or a part of the name away.
 *
 * @param names At most the first thousand are looked at.
 * @param slips The most slips of the keys, where a part of a name may be another name.
 */
export function nearest(wanted: string, names: readonly string[], slips?: number): readonly string[] {
  const target = folded(wanted);
  if (target === '' || wanted.length > longest) return [];
  const most = Math.min(slips ?? longest, Math.max(1, Math.floor(target.length / 3)));
  return names
    .slice(0, 1000)
    .filter((name) => name.length <= longest)
    .map((name) => ({ name, distance: distanceOf(target, folded(name), slips === undefined) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((one, another) => one.distance - another.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** The same as the end of a message; empty where no name is near. */
export function nearestWords(wanted: string, names: readonly string[]): string {
  const found = nearest(wanted, names).map((name) => JSON.stringify(name));
  if (found.length === 0) return '';
  return `; the nearest ${found.length === 1 ? 'name is' : 'names are'} ${found.join(', ')}`;
}

/** Case and separators are what people mix up. */
function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[-_. ]/g, '');
}

/**
 * Number of characters that must be added, taken away, replaced or swapped with the next; where parts count, a part is one away.
 */
function distanceOf(one: string, another: string, parts: boolean): number {
  if (parts && one.length >= 3 && another.includes(one)) return Math.min(1, another.length - one.length);
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: another.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= another.length; column++) {
      const isSame = one[row - 1] === another[column - 1];
      const isSwapped = one[row - 1] === another[column - 2] && one[row - 2] === another[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? Number.POSITIVE_INFINITY) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, last] = [last, next];
  }
  return last[another.length] ?? 0;
}
