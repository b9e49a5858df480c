import type { Call } from '../../server/runtime/call.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import { gather, mergedLists, mergedHint, type MergedList, type ServerPart } from './lists.ts';
import { withoutPrefix } from '../../protocol/prefixed-name.ts';
import { exposedNames, type OwnedName } from './names.ts';
import type { PrefixMode } from '../options.ts';
import type { Backend } from './backend.ts';
import { Views, type ListView } from './name-snapshots.ts';
import { Walks, type GatheredList } from './walks.ts';

/** Parts of the merged bridge that a catalogue needs. */
export interface CatalogueOptions {
  readonly backends: readonly Backend[];
  readonly prefix: PrefixMode;
  readonly serverTimeoutMs: number;
  /** A list differs from the one that a client received. */
  onChange(kind: MergedList, call: Call): void;
  onWarning(message: string): void;
}

/** Number of entries on one page. */
const pageSize = 1_000;
/** Limit of duplicates that are reported. */
const maxDoubles = 100;

/** The merged lists of several servers, with the owner of each entry. */
export class MergedCatalogue {
  readonly #options: CatalogueOptions;
  readonly #views = new Views();
  readonly #walks = new Walks();
  readonly #doubles = new Set<string>();
  #isToldOfEmpty = false;
  /** The tools as they were shown last, to anybody. */
  #latestTools: ListView | undefined;

  constructor(options: CatalogueOptions) {
    this.#options = options;
  }

  /**
   * One page of a merged list. A cursor names the last entry of the previous page.
   *
   * @throws McpError invalidParams for a cursor that this bridge did not make, or whose entry is gone.
   */
  async list(kind: MergedList, cursor: unknown, call: Call): Promise<JsonObject> {
    if (cursor === '') this.#tellOfEmpty();
    const after = typeof cursor === 'string' && cursor !== '' ? fromCursor(kind, cursor) : undefined;
    const view = this.#views.of(call);
    const known = after && this.#walks.find(view, kind, after.walk);
    const { entries, hint } = known ?? (await this.#gathered(kind, call));
    const start = after === undefined ? 0 : entries.findIndex(([name]) => name === after.name) + 1;
    if (after !== undefined && start === 0) throw wrongCursor(String(cursor));
    const page = entries.slice(start, start + pageSize);
    const last = page.at(-1);
    const result = { [mergedLists[kind].items]: page.map(([, item]) => item), ...hint };
    const isLast = last === undefined || start + page.length >= entries.length;
    if (isLast && known !== undefined) this.#walks.end(after?.walk ?? '');
    if (isLast) return result;
    const walk = known === undefined ? this.#walks.begin(view, { kind, entries, hint }) : after?.walk;
    return { ...result, nextCursor: toCursor(kind, last[0], walk) };
  }

  /** An empty cursor comes from no page of this bridge, so that it means the first one, as at a server. */
  #tellOfEmpty(): void {
    if (!this.#isToldOfEmpty) this.#options.onWarning('a client sends an empty cursor; it is answered all the same');
    this.#isToldOfEmpty = true;
  }

  async #gathered(kind: MergedList, call: Call): Promise<GatheredList> {
    const { merged, parts } = await this.#refresh(kind, call);
    return { kind, entries: [...merged], hint: mergedHint(this.#options.backends, parts) };
  }

  /** Finds the owner of a tool or prompt by the name that the caller's list showed. Unknown names are looked up. */
  async find(kind: 'tools' | 'prompts', name: string, call: Call): Promise<OwnedName<Backend> | undefined> {
    const shown = this.#views.of(call).lists.get(kind);
    const known = shown === undefined ? undefined : this.#lookUp(name, shown);
    return known ?? this.#lookUp(name, (await this.#refresh(kind, call)).view);
  }

  /** A list as the client of a call was shown it last, or would be shown it now. */
  async view(kind: MergedList, call: Call): Promise<ListView> {
    return this.#views.of(call).lists.get(kind) ?? (await this.#refresh(kind, call)).view;
  }

  /** The tool of a name, for any caller. */
  tool(name: string): OwnedName<Backend> | undefined {
    return this.#latestTools?.targets.get(name) ?? this.#prefixed(name, () => true);
  }

  /** The servers that use a name themselves. */
  usersOf(kind: MergedList, name: string, call: Call): readonly Backend[] {
    const { known } = this.#views.of(call).lists.get(kind) ?? {};
    return this.#options.backends.filter((backend) => known?.get(backend)?.has(name) === true);
  }

  #lookUp(name: string, { targets, known }: ListView): OwnedName<Backend> | undefined {
    const isKnown = (backend: Backend, own: string): boolean => known.get(backend)?.has(own) === true;
    return targets.get(name) ?? this.#prefixed(name, isKnown) ?? this.#prefixed(name, () => true);
  }

  /** The prefixed form is valid even if it is not needed, so that it stays valid when collisions come and go. */
  #prefixed(name: string, isKnown: (backend: Backend, own: string) => boolean): OwnedName<Backend> | undefined {
    for (const owner of this.#options.backends) {
      const own = withoutPrefix(owner.label, name);
      if (own !== undefined && isKnown(owner, own)) return { owner, name: own };
    }
    return undefined;
  }

  async #refresh(
    kind: MergedList,
    call: Call,
  ): Promise<{ merged: ReadonlyMap<string, JsonObject>; parts: ReadonlyMap<Backend, ServerPart>; view: ListView }> {
    const { backends, serverTimeoutMs, onWarning } = this.#options;
    const parts = await gather(backends, kind, call, {
      serverTimeoutMs,
      onWarning,
      onLate: (backend, part) => this.#late(kind, call, backend, part),
    });
    const { late, lists } = this.#views.of(call);
    const waiting = late.get(kind);
    // Parts that came in time are newer. A lost server has no part.
    for (const backend of backends) if (parts.has(backend) || backend.absent) waiting?.delete(backend);
    const items = new Map(
      backends.map((backend) => [backend, parts.get(backend)?.items ?? waiting?.get(backend) ?? []] as const),
    );
    const before = lists.get(kind);
    const known = new Map(
      backends.map((backend) => {
        const listed = items.get(backend) ?? [];
        const isShown = parts.has(backend) || listed.length > 0;
        // A missing server keeps its names: the names of the others do not change because of it.
        return [backend, isShown ? keysOf(kind, listed) : (before?.known.get(backend) ?? new Set<string>())] as const;
      }),
    );
    const view = { targets: isNamed(kind) ? this.#named(known) : this.#first(known), known };
    // If a client aborted, the parts until then must not replace the lists of others, who may share the view.
    if (!call.aborted) {
      lists.set(kind, view);
      if (kind === 'tools') this.#latestTools = view;
    }
    return { merged: entriesOf(kind, items, view), parts, view };
  }

  #named(known: ListView['known']): ListView['targets'] {
    const lists = [...known].map(([owner, names]) => ({ owner, label: owner.label, names: [...names] }));
    return exposedNames(lists, this.#options.prefix);
  }

  /** URIs cannot be renamed: the first server in order has them. */
  #first(known: ListView['known']): ListView['targets'] {
    const targets = new Map<string, OwnedName<Backend>>();
    for (const [owner, uris] of known) {
      for (const uri of uris) {
        const first = targets.get(uri);
        if (first === undefined) targets.set(uri, { owner, name: uri });
        else this.#double(uri, first.owner, owner);
      }
    }
    return targets;
  }

  #double(uri: string, first: Backend, second: Backend): void {
    if (this.#doubles.has(uri) || this.#doubles.size >= maxDoubles) return;
    this.#doubles.add(uri);
    const shown = JSON.stringify(uri.slice(0, 256));
    this.#options.onWarning(`${first.name} and ${second.name} both have ${shown}; that of ${first.name} is served`);
  }

  #late(kind: MergedList, call: Call, backend: Backend, { items }: ServerPart): void {
    const { late, lists } = this.#views.of(call);
    late.set(kind, new Map(late.get(kind)).set(backend, items));
    const shown = lists.get(kind)?.known.get(backend) ?? new Set<string>();
    const keys = keysOf(kind, items);
    const isSame = keys.size === shown.size && [...keys].every((key) => shown.has(key));
    if (!isSame) this.#options.onChange(kind, call);
  }
}

/** Tells whether entries go by names that may be changed. */
function isNamed(kind: MergedList): boolean {
  return kind === 'tools' || kind === 'prompts';
}

function keysOf(kind: MergedList, items: readonly JsonObject[]): ReadonlySet<string> {
  // Every item was read as an entry of its list, so the key is a string.
  return new Set(items.map((item) => item[mergedLists[kind].key] as string));
}

/** The entries under the names that clients know, in the order of the servers. */
function entriesOf(
  kind: MergedList,
  items: ReadonlyMap<Backend, readonly JsonObject[]>,
  { targets }: ListView,
): ReadonlyMap<string, JsonObject> {
  const { key } = mergedLists[kind];
  const shown = new Map<Backend, Map<string, string>>([...items.keys()].map((backend) => [backend, new Map()]));
  for (const [name, target] of targets) shown.get(target.owner)?.set(target.name, name);
  const entries = new Map<string, JsonObject>();
  for (const [backend, list] of items) {
    for (const item of list) {
      // As above.
      const own = item[key] as string;
      const name = shown.get(backend)?.get(own);
      if (name !== undefined && !entries.has(name)) entries.set(name, name === own ? item : { ...item, [key]: name });
    }
  }
  return entries;
}

function toCursor(kind: MergedList, name: string, walk = ''): string {
  // JSON escapes halves of surrogate pairs, which no encoding has.
  return btoa(encodeURIComponent(JSON.stringify([kind, name, walk])));
}

/** The last entry of the page before, and the list that it is of, where this process still has that. */
function fromCursor(kind: MergedList, cursor: string): { readonly name: string; readonly walk: string } {
  const named = decoded(cursor);
  const [of, name, walk] = Array.isArray(named) ? (named as unknown[]) : [];
  if (of !== kind || typeof name !== 'string') throw wrongCursor(cursor);
  return { name, walk: typeof walk === 'string' ? walk : '' };
}

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(atob(cursor)));
  } catch {
    return undefined;
  }
}

function wrongCursor(cursor: string): McpError {
  return new McpError('invalidParams', `invalid cursor ${JSON.stringify(cursor.slice(0, 64))}`);
}
