import { Heap } from './heap.ts';
import type { StoredTask, TaskClaim, TaskLease, TaskOwner } from '../tasks.ts';

interface KeptTask {
  readonly task: StoredTask;
  /** The times of the shelf's clock, in milliseconds; `undefined` is never. */
  readonly due: number | undefined;
  readonly expires: number | undefined;
}

/** Ids of a queue's tasks by due time: those that were claimed before, and those that were not. */
interface Waiting {
  readonly begun: Heap<string>;
  readonly fresh: Heap<string>;
}

/**
 * Shares of all bytes that open tasks may take, by the kind of growth. New tasks leave room for changes of existing
 * ones, and changes leave room for each to end, which frees room.
 */
const shares = { add: 3 / 4, change: 7 / 8, end: 1 } as const;

/** Tasks of one owner in one queue. */
interface Owned {
  readonly ids: Set<string>;
  open: number;
}

/** Tasks of one owner in all queues, as far as they take room. */
interface Share {
  openBytes: number;
  closedBytes: number;
  /** Open tasks without an owner, by queue. */
  readonly open: Map<string, number>;
  /** Ids in the order in which they ended. */
  readonly closed: Set<string>;
}

/** Tasks, and what finds them: each is in `#ends` if it expires, in one heap of its queue if it will be due, and in `#closed` if it ended. */
export class TaskShelf {
  readonly #maxTasks: number;
  readonly #maxBytes: number;
  readonly #tasks = new Map<string, KeptTask>();
  readonly #ends = new Heap<string>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #owners = new Map<string, Owned>();
  readonly #shares = new Map<string, Share>();
  readonly #closed = new Set<string>();
  #bytes = 0;
  #closedBytes = 0;

  constructor(maxTasks: number, maxBytes: number) {
    this.#maxTasks = maxTasks;
    this.#maxBytes = maxBytes;
  }

  add(task: StoredTask, most: number, now: number): 'added' | 'known' | 'full' | 'no-room' {
    this.sweep(Infinity, now);
    if (this.#tasks.has(task.id)) return 'known';
    const open = this.#owners.get(ownerKey(task))?.open ?? 0;
    if (task.open && open >= most) return 'full';
    const bytes = sizeOf(task);
    if (task.open && !this.#isFair(task, { bytes, left: most - open })) return 'no-room';
    if (!this.#makeRoom(bytes, { tasks: 1, share: task.open ? shares.add : shares.end })) return 'no-room';
    this.#put(keptOf(task, undefined, now));
    return 'added';
  }

  get(id: string, now: number): StoredTask | undefined {
    const kept = this.#live(id, now);
    return kept && shown(kept, now);
  }

  swap(task: StoredTask, now: number): boolean {
    const kept = this.#live(task.id, now);
    if (kept === undefined || kept.task.version !== task.version - 1) return false;
    const { id, queue, owner, share: own } = kept.task;
    const next = keptOf({ ...task, id, queue, owner, ...(own !== undefined && { share: own }) }, kept, now);
    const more = sizeOf(next.task) - sizeOf(kept.task);
    if (more > 0) {
      this.sweep(Infinity, now);
      const share = task.open ? shares.change : shares.end;
      if (!this.#makeRoom(more, { tasks: 0, share, except: id }))
        throw new Error('the store of tasks in memory has no room for this change');
    }
    this.#put(next);
    return true;
  }

  claim(queue: string, { forMs, most }: TaskClaim, now: number): readonly StoredTask[] {
    const claimed: KeptTask[] = [];
    const waiting = this.#waiting.get(queue);
    for (const heap of waiting === undefined ? [] : [waiting.begun, waiting.fresh]) {
      for (let first = heap.first(); first !== undefined && first.at <= now; first = heap.first()) {
        if (claimed.length >= most) break;
        const kept = this.#live(first.thing, now);
        // A claim for no time is due at once: it is put back when all are found.
        if (kept !== undefined) claimed.push(kept);
        heap.delete(first.thing);
      }
    }
    return claimed.map(({ task, expires }) => {
      const next = { ...task, version: task.version + 1, epoch: task.epoch + 1 };
      const kept = { task: next, expires, due: now + forMs };
      this.#put(kept);
      return shown(kept, now);
    });
  }

  renew(leases: readonly TaskLease[], forMs: number, now: number): readonly string[] {
    const lost: string[] = [];
    for (const { id, epoch } of leases) {
      const kept = this.#live(id, now);
      if (kept?.due === undefined || kept.task.epoch !== epoch) lost.push(id);
      else this.#put({ ...kept, due: now + forMs });
    }
    return lost;
  }

  list(of: TaskOwner, after: string | undefined, most: number, now: number): readonly StoredTask[] {
    // A page at a time: of all ids those of the page alone are put in order.
    const first: string[] = [];
    for (const id of this.#owners.get(ownerKey(of))?.ids ?? []) {
      const last = first[most - 1];
      if ((after !== undefined && id <= after) || (last !== undefined && id >= last)) continue;
      if (this.#live(id, now) === undefined) continue;
      first.splice(placeIn(first, id), 0, id);
      if (first.length > most) first.pop();
    }
    return first.flatMap((id) => this.get(id, now) ?? []);
  }

  sweep(most: number, now: number): number {
    let swept = 0;
    for (let first = this.#ends.first(); first !== undefined && first.at <= now; first = this.#ends.first()) {
      if (swept >= most) break;
      this.#remove(first.thing);
      swept++;
    }
    return swept;
  }

  #live(id: string, now: number): KeptTask | undefined {
    const kept = this.#tasks.get(id);
    return kept?.expires !== undefined && kept.expires <= now ? undefined : kept;
  }

  /**
   * Tells whether a new task leaves others as much room as its owner takes: later owners find half of the rest free.
   * Tasks without a principal and an address, as over stdio, are not counted.
   *
   * @param left Number of open tasks that clients without a principal may still add.
   */
  #isFair(task: StoredTask, { bytes, left }: { readonly bytes: number; readonly left: number }): boolean {
    const key = shareKey(task);
    if (key === '') return true;
    const { openBytes = 0, open } = this.#shares.get(key) ?? {};
    const free = this.#maxBytes * shares.add - (this.#bytes - this.#closedBytes);
    if (openBytes + bytes > free - bytes) return false;
    return task.owner !== '' || (open?.get(task.queue) ?? 0) < Math.max(1, left);
  }

  /** Forgets tasks that ended until there is room, if that helps; `except` stays. */
  #makeRoom(
    bytes: number,
    { tasks, share, except }: { readonly tasks: number; readonly share: number; readonly except?: string },
  ): boolean {
    const own = except !== undefined && this.#closed.has(except) ? this.#tasks.get(except) : undefined;
    const closed = this.#closed.size - (own === undefined ? 0 : 1);
    const closedBytes = this.#closedBytes - (own === undefined ? 0 : sizeOf(own.task));
    const mostBytes = this.#maxBytes * share;
    if (this.#tasks.size - closed + tasks > this.#maxTasks || this.#bytes - closedBytes + bytes > mostBytes)
      return false;
    while (this.#tasks.size + tasks > this.#maxTasks || this.#bytes + bytes > this.#maxBytes) {
      const oldest = this.#oldestOfLargest(except);
      if (oldest === undefined) break;
      this.#remove(oldest);
    }
    return true;
  }

  /** The task that ended first, of the owner whose ended tasks take the most room; `except` stays. */
  #oldestOfLargest(except: string | undefined): string | undefined {
    let [largest, found]: [number, string | undefined] = [-1, undefined];
    for (const { closed, closedBytes } of this.#shares.values()) {
      if (closedBytes <= largest) continue;
      const [first, second] = closed;
      const oldest = first === except ? second : first;
      if (oldest !== undefined) [largest, found] = [closedBytes, oldest];
    }
    return found;
  }

  /** Replaces the task with this id, and updates the indexes. */
  #put(next: KeptTask): void {
    const { task, due, expires } = next;
    const before = this.#tasks.get(task.id)?.task;
    this.#tasks.set(task.id, next);
    this.#count(task, sizeOf(task) - (before === undefined ? 0 : sizeOf(before)), before);
    if (expires === undefined) this.#ends.delete(task.id);
    else this.#ends.set(task.id, expires);
    this.#wait(task, due);
  }

  #remove(id: string): void {
    const task = this.#tasks.get(id)?.task;
    if (task === undefined) return;
    this.#tasks.delete(id);
    this.#ends.delete(id);
    this.#wait(task, undefined);
    this.#bytes -= sizeOf(task);
    if (this.#closed.delete(id)) this.#closedBytes -= sizeOf(task);
    this.#countShare(task, -1);
    const key = ownerKey(task);
    const owned = this.#owners.get(key);
    if (owned === undefined) return;
    owned.ids.delete(id);
    if (task.open) owned.open--;
    if (owned.ids.size === 0) this.#owners.delete(key);
  }

  #count(task: StoredTask, more: number, before: StoredTask | undefined): void {
    const key = ownerKey(task);
    const owned = this.#owners.get(key) ?? { ids: new Set(), open: 0 };
    this.#owners.set(key, owned);
    owned.ids.add(task.id);
    owned.open += Number(task.open) - Number(before?.open ?? false);
    this.#bytes += more;
    if (before !== undefined) this.#countShare(before, -1);
    this.#countShare(task, 1);
    if (before !== undefined && !before.open) this.#closedBytes -= sizeOf(before);
    if (task.open) this.#closed.delete(task.id);
    else {
      this.#closed.add(task.id);
      this.#closedBytes += sizeOf(task);
    }
  }

  /** @param sign 1 for a task that is put there, -1 for one that leaves. */
  #countShare(task: StoredTask, sign: 1 | -1): void {
    const key = shareKey(task);
    const share = this.#shares.get(key) ?? { openBytes: 0, closedBytes: 0, open: new Map(), closed: new Set() };
    if (task.open) {
      share.openBytes += sign * sizeOf(task);
      if (task.owner === '') share.open.set(task.queue, (share.open.get(task.queue) ?? 0) + sign);
    } else {
      share.closedBytes += sign * sizeOf(task);
      if (sign === 1) share.closed.add(task.id);
      else share.closed.delete(task.id);
    }
    if (share.openBytes === 0 && share.closedBytes === 0) this.#shares.delete(key);
    else this.#shares.set(key, share);
  }

  #wait({ id, queue, epoch }: StoredTask, due: number | undefined): void {
    const waiting = this.#waiting.get(queue) ?? { begun: new Heap(), fresh: new Heap() };
    waiting.begun.delete(id);
    waiting.fresh.delete(id);
    if (due !== undefined) (epoch > 0 ? waiting.begun : waiting.fresh).set(id, due);
    if (waiting.begun.size + waiting.fresh.size === 0) this.#waiting.delete(queue);
    else this.#waiting.set(queue, waiting);
  }
}

/** @param before The task as it was, of which `'keep'` and an end that is left out keep the times. */
function keptOf({ dueInMs, expiresInMs, ...task }: StoredTask, before: KeptTask | undefined, now: number): KeptTask {
  const due = dueInMs === 'keep' ? before?.due : dueInMs === undefined ? undefined : now + dueInMs;
  return {
    task,
    due: task.open ? due : undefined,
    expires: expiresInMs === undefined ? before?.expires : now + expiresInMs,
  };
}

function shown({ task, due, expires }: KeptTask, now: number): StoredTask {
  return {
    ...task,
    ...(due === undefined ? {} : { dueInMs: Math.max(0, due - now) }),
    ...(expires === undefined ? {} : { expiresInMs: expires - now }),
  };
}

/** Bytes of a task, about: strings take up to two bytes a character, and whatever finds it some more. */
function sizeOf({ id, queue, owner, text }: StoredTask): number {
  return 2 * (id.length + queue.length + owner.length + text.length) + 400;
}

/** The place of an id among those in order. */
function placeIn(ids: readonly string[], id: string): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? '') < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Name of the owner of a task's room; empty if unknown. */
function shareKey({ owner, share }: StoredTask): string {
  return share ?? (owner === '' ? '' : `principal ${owner}`);
}

function ownerKey({ queue, owner }: TaskOwner): string {
  return JSON.stringify([queue, owner]);
}
