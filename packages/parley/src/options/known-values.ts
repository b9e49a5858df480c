/** Values that options have, for programs that no compiler checked: what does not fit is told at once, by its name. */

import { shown } from './shown.ts';

/**
 * Refuses what is no number of at least 0: NaN, what is negative, text.
 *
 * @param value What is left out is fine.
 * @throws TypeError that says the name and the value.
 */
export function refuseNoNumber(name: string, value: unknown): void {
  if (value !== undefined && !(typeof value === 'number' && value >= 0))
    throw new TypeError(`${name} must be a number of at least 0, not ${shown(value)}`);
}

/**
 * Refuses what is none of some words.
 *
 * @param value What is left out is fine.
 * @throws TypeError that says the name, the words and the value.
 */
export function refuseOtherWord(name: string, words: readonly string[], value: unknown): void {
  if (value === undefined || words.some((word) => word === value)) return;
  const listed = words.map((word) => JSON.stringify(word));
  throw new TypeError(`${name} must be ${listed.slice(0, -1).join(', ')} or ${listed.at(-1)}, not ${shown(value)}`);
}

/**
 * Refuses what is of another type.
 *
 * @param value What is left out is fine.
 * @throws TypeError that says the name and the value.
 */
export function refuseOther(type: 'function' | 'boolean' | 'string', name: string, value: unknown): void {
  const wanted = { function: 'a function', boolean: 'true or false', string: 'text' }[type];
  if (value !== undefined && typeof value !== type)
    throw new TypeError(`${name} must be ${wanted}, not ${shown(value)}`);
}
