import assert from 'node:assert/strict';
import { test } from 'node:test';
import { combinedHint, hintOf, walkPages, type Page, type PageBounds } from './pages.ts';

const hint = { ttlMs: 0, cacheScope: 'private' } as const;

function page(items: readonly string[], nextCursor?: string): Page<string> {
  return { ...hint, items, nextCursor };
}

/** Walks over pages that are given one after the other; what was said and fetched until the end. */
async function walk(pages: readonly Page<string>[], bounds: Partial<PageBounds> = {}) {
  const [items, cursors]: [string[], (string | undefined)[]] = [[], []];
  let repeats = 0;
  const fetch = async (cursor: string | undefined): Promise<Page<string>> => {
    cursors.push(cursor);
    const next = pages[cursors.length - 1];
    assert.ok(next !== undefined, 'a page too many was fetched');
    return next;
  };
  const limits = { maxPages: 3, maxItems: 4, repeats: () => void repeats++, ...bounds };
  let error: string | undefined;
  try {
    for await (const one of walkPages(fetch, limits)) items.push(...one.items);
  } catch (cause) {
    error = String(cause);
  }
  return { items: items.join(''), cursors: cursors.map((cursor) => cursor ?? '-').join(), repeats, error };
}

test('a list ends at its last page, at a repeated page, and at its limits', async () => {
  const tooMany = (what: string) => `ConnectionError: the list has more than ${what}`;
  const cases: readonly (readonly [string, readonly Page<string>[], string, string, number, string?])[] = [
    ['one page', [page(['a'])], 'a', '-', 0],
    ['as many pages as allowed', [page(['a'], '1'), page(['b'], '2'), page(['c'])], 'abc', '-,1,2', 0],
    ['a page too many', [page(['a'], '1'), page(['b'], '2'), page(['c'], '3')], 'abc', '-,1,2', 0, tooMany('3 pages')],
    ['as many items as allowed', [page(['a', 'b'], '1'), page(['c', 'd'])], 'abcd', '-,1', 0],
    ['an item too many', [page(['a', 'b'], '1'), page(['c', 'd', 'e'])], 'abcd', '-,1', 0, tooMany('4 items')],
    ['a cursor seen before', [page(['a'], '1'), page(['b'], '2'), page(['c'], '1')], 'abc', '-,1,2', 1],
    ['the same page for its cursor', [page(['a'], '1'), page(['a'], '1')], 'a', '-,1', 1],
    ['another page for the same cursor', [page(['a'], '1'), page(['b'], '1')], 'ab', '-,1', 1],
    ['an empty cursor that leads to the first page', [page(['a'], ''), page(['a'], '')], 'a', '-,', 0],
    ['an empty cursor that leads on', [page(['a'], ''), page(['b'])], 'ab', '-,', 0],
    ['an empty cursor later', [page(['a'], '1'), page(['b'], ''), page(['a'], '1')], 'ab', '-,1,', 0],
  ];
  for (const [title, pages, items, cursors, repeats, error] of cases)
    assert.deepEqual(await walk(pages), { items, cursors, repeats, error }, title);
});

test('a hint without a lifetime that is positive has none, and only public is public', () => {
  const lifetimes = [1, 0.5, 0, -1, '1', undefined, null].map((ttlMs) => hintOf({ ttlMs }).ttlMs);
  assert.deepEqual(lifetimes, [1, 0.5, 0, 0, 0, 0, 0]);
  const scopes = ['public', 'private', 'Public', undefined].map((cacheScope) => hintOf({ cacheScope }).cacheScope);
  assert.deepEqual(scopes, ['public', 'private', 'private', 'private']);
});

test('the hint of a list has the shortest lifetime, and is public if every page is', () => {
  const long = { ttlMs: 5, cacheScope: 'public' } as const;
  assert.deepEqual(combinedHint([]), hint);
  assert.deepEqual(combinedHint([long, { ...long, ttlMs: 3 }]), { ttlMs: 3, cacheScope: 'public' });
  assert.deepEqual(combinedHint([long, { ...long, cacheScope: 'private' }]), { ttlMs: 5, cacheScope: 'private' });
});
