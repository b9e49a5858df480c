/** Selects rows by their ids or areas. */

import type { Stated } from './rule.ts';

/** Tells whether a word names a row, or its area. */
function names(word: string, id: string): boolean {
  return id === word || id.startsWith(`${word}-`);
}

/** Tells whether a row is chosen: all are where none is named. */
export function chosenBy(only: readonly string[]): (id: string) => boolean {
  return (id) => only.length === 0 || only.some((word) => names(word, id));
}

/**
 * @throws RangeError for a name that is neither a checked row nor an area. A mistyped name would otherwise find
 * nothing.
 */
export function refuseUnknownRows(only: readonly string[], rules: readonly Pick<Stated, 'id'>[]): void {
  const unknown = only.find((word) => !rules.some(({ id }) => names(word, id)));
  if (unknown !== undefined)
    throw new RangeError(`no row or area ${JSON.stringify(unknown)} exists; docs/check.md lists all of them`);
}
