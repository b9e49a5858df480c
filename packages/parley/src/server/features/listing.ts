import { cachedJson } from '../../jsonrpc/cached-json.ts';
import type { ListPage } from '../definition/registry.ts';

/** Source of a list: pages, and a number that changes with them. */
export interface Pages<T> {
  readonly generation: number;
  page(cursor: string | undefined, size: number): ListPage<T>;
}

/**
 * The list of a registry in wire form, the same for every client. Each page is made once, until the registry changes.
 */
export class Listing<T, Result extends object> {
  readonly #registry: Pages<T>;
  readonly #size: number;
  readonly #result: (page: ListPage<T>) => Result;
  /** By the cursor that leads to a page; `undefined` leads to the first. */
  readonly #pages = new Map<string | undefined, Result>();
  /** The cursors that these pages returned. Other pages are not cached: clients can make up cursors. */
  readonly #cursors = new Set<string | undefined>();
  #generation = -1;

  /**
   * @param size How many entries a page holds.
   * @param result Makes the result of a page.
   */
  constructor(registry: Pages<T>, size: number, result: (page: ListPage<T>) => Result) {
    this.#registry = registry;
    this.#size = size;
    this.#result = result;
  }

  /**
   * The page that a cursor leads to; the first one without a cursor.
   *
   * @throws McpError invalidParams for a cursor that is not from here.
   */
  page(cursor: string | undefined): Result {
    if (this.#generation !== this.#registry.generation) this.#forget();
    const found = this.#pages.get(cursor);
    if (found !== undefined) return found;
    const page = this.#registry.page(cursor, this.#size);
    const result = this.#result(page);
    if (!this.#cursors.has(cursor)) return result;
    this.#pages.set(cursor, cachedJson(result));
    if (page.nextCursor !== undefined) this.#cursors.add(page.nextCursor);
    return result;
  }

  #forget(): void {
    this.#generation = this.#registry.generation;
    this.#pages.clear();
    this.#cursors.clear();
    this.#cursors.add(undefined);
  }
}
