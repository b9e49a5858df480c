import { after, monotonicNow } from '../../jsonrpc/timeout.ts';
import type { CacheHint } from '../../protocol/features/envelope.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { MergedList } from './lists.ts';
import type { NameSnapshot } from './name-snapshots.ts';

/** Lifetime of a list after its last page, and after it was gathered, in milliseconds. */
const [restMs, maxMs] = [10_000, 60_000];
/** Limit of the stored entries. The newest list is always stored, whatever its size. */
const maxEntries = 30_000;

/** A merged list as it was gathered. */
export interface GatheredList {
  readonly kind: MergedList;
  readonly entries: readonly (readonly [name: string, item: JsonObject])[];
  /** Cache lifetime; left out if a server sends none. */
  readonly hint: CacheHint | undefined;
}

interface Walk extends GatheredList {
  readonly view: NameSnapshot;
  readonly begunAt: number;
  stop: () => void;
}

/**
 * Merged lists that are read page by page: gathered once, for the first page, and not again for each. The client
 * continues with its cursor, as it is the only one that the list was gathered for.
 */
export class Walks {
  readonly #walks = new Map<string, Walk>();
  #entries = 0;

  /** Keeps a list of which more pages may be asked for; gives its id. */
  begin(view: NameSnapshot, gathered: GatheredList): string {
    // A client that starts again no longer needs the previous list. Its old cursor still works by name.
    for (const [before, walk] of this.#walks) if (walk.view === view && walk.kind === gathered.kind) this.end(before);
    const id = crypto.randomUUID();
    this.#walks.set(id, { ...gathered, view, begunAt: monotonicNow(), stop: this.#endLater(id, restMs) });
    this.#entries += gathered.entries.length;
    for (const oldest of this.#walks.keys()) {
      if (this.#entries <= maxEntries || oldest === id) break;
      this.end(oldest);
    }
    return id;
  }

  /** Finds the list of an id, to continue it. It was gathered earlier, so its remaining cache lifetime is shorter. */
  find(view: NameSnapshot, wanted: MergedList, id: unknown): GatheredList | undefined {
    const walk = typeof id === 'string' ? this.#walks.get(id) : undefined;
    if (walk?.view !== view || walk.kind !== wanted) return undefined;
    const { kind, entries, hint, begunAt, stop } = walk;
    const age = monotonicNow() - begunAt;
    stop();
    walk.stop = this.#endLater(String(id), Math.min(restMs, maxMs - age));
    return { kind, entries, hint: hint && { ...hint, ttlMs: Math.max(0, Math.floor(hint.ttlMs - age)) } };
  }

  /** Forgets a list. */
  end(id: string): void {
    const walk = this.#walks.get(id);
    if (walk === undefined) return;
    walk.stop();
    this.#walks.delete(id);
    this.#entries -= walk.entries.length;
  }

  #endLater(id: string, ms: number): () => void {
    return after(ms, () => this.end(id));
  }
}
