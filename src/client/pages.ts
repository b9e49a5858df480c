import type { CacheHint } from '../protocol/features/envelope.ts';
import { jsonText, plainNumber } from '../json/exact-number.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';

/** One page of a list. */
export interface Page<Item> extends CacheHint {
  readonly items: readonly Item[];
  /** Cursor at which the next page begins; `undefined` on the last one. */
  readonly nextCursor: string | undefined;
}

/** The bounds of one list. */
export interface PageBounds {
  readonly maxPages: number;
  readonly maxItems: number;
}

/**
 * Walks a list page by page until a page names no next one. An empty cursor is a cursor, and meant the end where it leads
 * back to the first page. Of a page that is beyond the bounds it gives what is within, before it throws.
 *
 * @throws ConnectionError `too-large` past the bounds, `invalid-message` when a cursor comes twice.
 */
export async function* walkPages<Item>(
  fetch: (cursor: string | undefined) => Promise<Page<Item>>,
  bounds: PageBounds,
): AsyncGenerator<Page<Item>, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  let items = 0;
  let first: Page<Item> | undefined;
  for (let pages = 1; ; pages++) {
    const page = await fetch(cursor);
    // Some servers end a list so, for which no cursor and an empty one are the same.
    if (cursor === '' && first !== undefined && textOf(first) === textOf(page)) return;
    first ??= page;
    const room = bounds.maxItems - items;
    items += page.items.length;
    // Who can do with a part has it before the error.
    if (items > bounds.maxItems) {
      yield { ...page, items: page.items.slice(0, room) };
      throw new ConnectionError('too-large', `the list has more than ${bounds.maxItems} items`);
    }
    yield page;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
    if (seen.has(cursor)) throw new ConnectionError('invalid-message', 'the list repeats a cursor and would never end');
    if (pages >= bounds.maxPages)
      throw new ConnectionError('too-large', `the list has more than ${bounds.maxPages} pages`);
    seen.add(cursor);
  }
}

function textOf({ items, nextCursor }: Page<unknown>): string {
  return jsonText([items, nextCursor]);
}

/** The hint of one page as it counts: absent or negative lifetimes are 0, and what is not public is private. */
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
