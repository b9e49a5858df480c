/** Differences of two values of JSON, place by place. */

import { placeIn } from '../../../../../parley/src/json/place.ts';

/** A place at which two values differ; the side that has nothing there is left out. */
export interface DifferingPlace {
  /** Place, as `placeIn` writes it; empty for the whole. */
  readonly path: string;
  readonly one?: unknown;
  readonly other?: unknown;
}

/** Limits: places that are found, and depth to which values are taken apart; a stranger wrote them. */
const most = { places: 100, depth: 40 };

/** Finds where two values differ, as deep inside as they have the same shape; the first hundred places. */
export function differingPlaces(one: unknown, other: unknown): readonly DifferingPlace[] {
  const found: DifferingPlace[] = [];
  compare({ one, other, path: '' }, 0, found);
  return found;
}

function compare(place: DifferingPlace, depth: number, found: DifferingPlace[]): void {
  const { path, one, other } = place;
  if (found.length >= most.places || Object.is(one, other)) return;
  const [left, right] = [partsOf(one), partsOf(other)];
  if (left === undefined || right === undefined || Array.isArray(one) !== Array.isArray(other) || depth >= most.depth) {
    if (depth < most.depth || JSON.stringify(one) !== JSON.stringify(other)) found.push(place);
    return;
  }
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const inner = {
      path: placeIn(path, Array.isArray(one) ? Number(key) : key),
      ...(left.has(key) ? { one: left.get(key) } : {}),
      ...(right.has(key) ? { other: right.get(key) } : {}),
    };
    if (left.has(key) && right.has(key)) compare(inner, depth + 1, found);
    else if (found.length < most.places) found.push(inner);
  }
}

function partsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
}
