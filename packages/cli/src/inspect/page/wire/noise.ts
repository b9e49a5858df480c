/** Messages that say nothing new: keep-alives, and lists that were read before. */

import type { RowView } from '../../view.ts';

const lists: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]);

/** Leaves them out. Faults and the chosen row stay. @returns The other rows, and the number of the hidden ones. */
export function withoutNoise(
  rows: readonly RowView[],
  chosen: number | undefined,
): { readonly rows: readonly RowView[]; readonly hidden: number } {
  const read = new Set<string>();
  const again = new Set<number>();
  const seen = rows.filter((row) => {
    const { n, s, c, lane, what, about = '', kind, broken, problem, failed, status = 0, pair, ms } = row;
    if (kind === 'request' && lists.has(what)) {
      const key = `${s} ${c} ${what} ${about}`;
      if (read.has(key)) again.add(n);
      read.add(key);
    }
    const isNoise =
      (lane === 'message' && what === 'ping' && (kind !== 'request' || ms !== undefined)) ||
      (lane === 'event' && what.startsWith('comment')) ||
      again.has(n) ||
      (pair !== undefined && again.has(pair));
    const isFault = broken !== undefined || problem === true || failed === true || kind === 'error' || status >= 400;
    return !isNoise || isFault || n === chosen;
  });
  return { rows: seen, hidden: rows.length - seen.length };
}
