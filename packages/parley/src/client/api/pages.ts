import type { CacheHint } from '../../protocol/features/envelope.ts';
import { jsonText, plainNumber } from '../../json/exact-number.ts';
import type { MalformedEntry } from './tolerated.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';

/** One page of a list. */
export interface Page<Item> extends CacheHint {
  /** The entries of this page. */
  readonly items: readonly Item[];
  /** Cursor at which the next page begins; `undefined` on the last one. */
  readonly nextCursor: string | undefined;
}

/** The bounds of one list. */
export interface PageBounds {
  readonly maxPages: number;
  readonly maxItems: number;
  /** Called if the list ends because it repeats a cursor. */
  repeats?(): void;
}

/** The entries that were left out of a page, since they are malformed. */
export const malformedIn: WeakMap<object, readonly MalformedEntry[]> = new WeakMap();

/**
 * Reads a list page by page, until a page has no next cursor or repeats an earlier one. An empty cursor is a cursor,
 * but means the end if it leads back to the first page. If a page exceeds the bounds, it yields the items within them
 * before it throws.
 *
 * @throws ConnectionError `too-large` beyond the bounds.
 */
export async function* walkPages<Item>(
  fetch: (cursor: string | undefined) => Promise<Page<Item>>,
  bounds: PageBounds,
): AsyncGenerator<Page<Item>, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  let items = 0;
  let first: Page<Item> | undefined;
  let last: Page<Item> | undefined;
  for (let pages = 1; ; pages++) {
    const page = await fetch(cursor);
    // Some servers treat no cursor and an empty one alike, and some return the same page for every cursor.
    const same = cursor === '' ? first : page.nextCursor === cursor ? last : undefined;
    if (same !== undefined && textOf(same) === textOf(page)) return cursor === '' ? undefined : bounds.repeats?.();
    first ??= page;
    last = page;
    const room = bounds.maxItems - items;
    items += page.items.length;
    // A caller that can use a part gets it before the error.
    if (items > bounds.maxItems) {
      yield { ...page, items: page.items.slice(0, room) };
      throw new ConnectionError('too-large', `the list has more than ${bounds.maxItems} items`);
    }
    cursor = page.nextCursor;
    if (cursor !== undefined && seen.has(cursor)) {
      bounds.repeats?.();
      yield { ...page, nextCursor: undefined };
      return;
    }
    yield page;
    if (cursor === undefined) return;
    if (pages >= bounds.maxPages)
      throw new ConnectionError('too-large', `the list has more than ${bounds.maxPages} pages`);
    seen.add(cursor);
  }
}

function textOf({ items, nextCursor }: Page<unknown>): string {
  return jsonText([items, nextCursor]);
}

/** The effective hint of one page: absent or negative lifetimes are 0, and any scope other than public is private. */
export function hintOf({ ttlMs, cacheScope }: { readonly ttlMs?: unknown; readonly cacheScope?: unknown }): CacheHint {
  const ms = plainNumber(ttlMs);
  return {
    ttlMs: typeof ms === 'number' && ms > 0 ? ms : 0,
    cacheScope: cacheScope === 'public' ? 'public' : 'private',
  };
}

/** The hint of a whole list: the shortest lifetime, and private if any page is. */
export function combinedHint(pages: readonly CacheHint[]): CacheHint {
  if (pages.length === 0) return { ttlMs: 0, cacheScope: 'private' };
  return {
    ttlMs: Math.min(...pages.map((page) => page.ttlMs)),
    cacheScope: pages.every((page) => page.cacheScope === 'public') ? 'public' : 'private',
  };
}
