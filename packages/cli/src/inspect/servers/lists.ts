import type { Client } from '../../../../parley/src/client/api/client.ts';
import { malformedIn, type Page } from '../../../../parley/src/client/api/pages.ts';
import { ConnectionError } from '../../../../parley/src/jsonrpc/transport.ts';
import { VerbError } from '../http/body.ts';
import type { JsonView, ListName, ListsView, PagesView } from '../view.ts';

/** Lists by their names: how each is asked for, and the capability without which it is empty. */
const lists = {
  tools: { method: 'tools/list', needs: 'tools' },
  prompts: { method: 'prompts/list', needs: 'prompts' },
  resources: { method: 'resources/list', needs: 'resources' },
  templates: { method: 'resources/templates/list', needs: 'resources' },
} as const;

const names: readonly ListName[] = ['tools', 'prompts', 'resources', 'templates'];

/** Lists of a server that was not read. */
export const noLists: ListsView = { tools: [], prompts: [], resources: [], templates: [], problems: {}, pages: {} };

/** Means of reading lists. */
export interface ListReading {
  readonly client: Client;
  /** True where one page of each is read, and the next when the person wishes it. */
  readonly byOne: boolean;
  /** Metadata of each request. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  now(): number;
  words(error: unknown): string;
}

/** Malformed entries of a list that are shown. */
const maxMalformed = 20;

type Walk = AsyncGenerator<Page<object>, void, undefined>;

/** Lists of a server: what was read of each, and where the next page begins. */
export class ServerLists {
  readonly #walks = new Map<ListName, Walk>();
  #reading: ListReading | undefined;
  #view: ListsView | undefined;

  /** Everything that was read; `undefined` where nothing was. */
  get view(): ListsView | undefined {
    return this.#view;
  }

  /** Reads all lists anew; one that fails says why, and the others are read. */
  async read(reading: ListReading): Promise<ListsView> {
    this.#walks.clear();
    this.#reading = reading;
    let view = noLists;
    // One after another: each is a row of the wire that a person reads.
    for (const name of names)
      if (reading.client.capabilities[lists[name].needs] !== undefined) view = await this.#begun(view, name, reading);
    this.#view = view;
    return view;
  }

  /** Reads the next page of a list. @throws VerbError where there is none. */
  async more(name: ListName): Promise<ListsView> {
    const walk = this.#walks.get(name);
    if (walk === undefined || this.#reading === undefined)
      throw new VerbError(409, `there is no further page of ${name}; read the list again`);
    const { view } = await this.#walked(this.#view ?? noLists, { name, walk, reading: this.#reading });
    this.#view = view;
    return view;
  }

  async #begun(view: ListsView, name: ListName, reading: ListReading): Promise<ListsView> {
    const walk = (): Walk =>
      reading.client.pages(lists[name].method, {
        cache: 'refresh',
        ...(reading.meta === undefined ? {} : { meta: reading.meta }),
      });
    const first = await this.#walked(view, { name, walk: walk(), reading });
    // In another session a list begins anew.
    const isLost = first.error instanceof ConnectionError && first.error.reason === 'session-lost';
    return isLost ? (await this.#walked(view, { name, walk: walk(), reading })).view : first.view;
  }

  /** Goes on with a list: to its end, or for one page. What was read before it failed is kept. */
  async #walked(
    before: ListsView,
    { name, walk, reading }: { readonly name: ListName; readonly walk: Walk; readonly reading: ListReading },
  ): Promise<{ readonly view: ListsView; readonly error?: unknown }> {
    // One list for all pages: who copied it for each would take ever longer.
    const items = [...before[name]];
    let pages = before.pages[name];
    const malformed: string[] = before.problems[name]?.split(';\n') ?? [];
    const view = (): ListsView => {
      if (pages === undefined) return before;
      const problems = malformed.length === 0 ? before.problems : { ...before.problems, [name]: malformed.join(';\n') };
      return { ...before, [name]: items, problems, pages: { ...before.pages, [name]: pages } };
    };
    this.#walks.delete(name);
    try {
      for (let step = await walk.next(); step.done !== true; step = await walk.next()) {
        for (const item of step.value.items) items.push({ ...item });
        pages = withPage(pages, step.value, reading.now());
        const wrong = malformedIn.get(step.value)?.map(({ name: of, why }) => `${of} is malformed: ${why}`) ?? [];
        malformed.push(...wrong.slice(0, maxMalformed - malformed.length));
        if (!reading.byOne || step.value.nextCursor === undefined) continue;
        if (this.#reading === reading) this.#walks.set(name, walk);
        return { view: view() };
      }
      if (pages?.hasMore === true) pages = { ...pages, hasMore: false };
      return { view: view() };
    } catch (error) {
      const read = view();
      return { view: { ...read, problems: { ...read.problems, [name]: reading.words(error) } }, error };
    }
  }
}

/** Facts of the pages of a list with one page more. */
function withPage(
  before: PagesView | undefined,
  { ttlMs, cacheScope, nextCursor }: Page<object>,
  t: number,
): PagesView {
  const isShorter = before === undefined || t + ttlMs < before.t + before.ttlMs;
  return {
    // The list is as fresh as the page that is the first to be old.
    ...(isShorter ? { t, ttlMs, cacheScope } : before),
    count: (before?.count ?? 0) + 1,
    hasMore: nextCursor !== undefined,
  };
}

/** Names of what is new or other in lists than before. */
export function newsIn(before: ListsView | undefined, now: ListsView): readonly string[] {
  if (before === undefined) return [];
  return names.flatMap((list) => {
    const known = new Map(before[list].map((item) => [keyOf(item), JSON.stringify(item)]));
    return now[list].flatMap((item) =>
      known.get(keyOf(item)) === JSON.stringify(item) ? [] : [`${list} ${keyOf(item)}`],
    );
  });
}

function keyOf(item: JsonView): string {
  const key = item['uri'] ?? item['uriTemplate'] ?? item['name'];
  return typeof key === 'string' ? key : '';
}

/** The list with a name. @throws VerbError where there is none. */
export function listNamed(name: string): ListName {
  const list = names.find((one) => one === name);
  if (list === undefined) throw new VerbError(400, `a list is one of ${names.join(', ')}`);
  return list;
}
