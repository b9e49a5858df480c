import { covers } from '../../client/api/subscription.ts';

/** Looking a longer URI's wholes up costs more than comparing it with all that is watched. */
const maxLookedUpLength = 4_096;

/**
 * The subscribed resources that an update concerns: the resource itself, and those that contain it. It has the result
 * of `covers` for each, without a check of all of them.
 */
export function wholesOf(uri: string, watched: ReadonlyMap<string, unknown>): readonly string[] {
  const isLong = uri.length > maxLookedUpLength;
  const ends = isLong ? [] : [...uri.matchAll(/[/#?]/g)].map(({ index }) => index);
  if (isLong || 2 * ends.length >= watched.size)
    return [...watched.keys()].filter((whole) => covers({ updates: [whole] }, { type: 'update', uri }));
  const wholes = new Set([uri, ...ends.flatMap((end) => [uri.slice(0, end), uri.slice(0, end + 1)])]);
  return [...wholes].filter((whole) => watched.has(whole));
}
