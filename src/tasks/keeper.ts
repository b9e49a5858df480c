import type { Unsubscribe } from '../store/bus.ts';
import type { StoredTask, TaskStore } from '../store/tasks.ts';
import { quiet } from '../peer/ask.ts';
import type { Next, Unchanged } from './machine.ts';
import { expiryOf, hasEnded, type TaskRecord } from './record.ts';

/** Task as the store has it. */
export interface HeldTask {
  readonly record: TaskRecord;
  /** Grows with every change; a change is taken only over the one before. */
  readonly version: number;
  /** Grows with every claim; who works under an older one works in vain. */
  readonly epoch: number;
}

/** Time until a task may be claimed, in milliseconds; `undefined` for never, `'keep'` as it is. */
type Due = number | 'keep' | undefined;

/** Number of times that a change is tried over what others changed meanwhile. */
const mostTries = 100;

/** Keeps tasks in a store, and tells whoever waits for one that it changed, in this process and, over a bus, in others. */
export class Keeper {
  readonly store: TaskStore;
  readonly #queue: string;
  readonly #now: () => number;
  readonly #keepMs: number;
  readonly #heard = new Map<string, Set<(kept: HeldTask | undefined) => void>>();
  /** Names it among those that hear of its changes; servers of one process may share a store. */
  readonly #self = crypto.randomUUID();
  #bus: Promise<Unsubscribe> | undefined;

  /** @param queue Names whose tasks they are, where several share a store. */
  constructor(store: TaskStore, queue: string, { now, keepMs }: { now(): number; readonly keepMs: number }) {
    this.store = store;
    this.#queue = queue;
    this.#now = now;
    this.#keepMs = keepMs;
  }

  /** The task under an id; `undefined` where there is none, or none any more. */
  async read(id: string): Promise<HeldTask | undefined> {
    const stored = await this.store.get(id);
    return stored === undefined ? undefined : opened(stored);
  }

  /**
   * Adds a task.
   *
   * @param dueInMs Time that its maker has to claim it.
   * @param most Limit of tasks of its owner that have not ended.
   * @returns `undefined` where the limit is reached.
   */
  async add(record: TaskRecord, dueInMs: number, most: number): Promise<HeldTask | undefined> {
    const kept: HeldTask = { record, version: 1, epoch: 0 };
    const outcome = await this.store.add({ ...this.#stored(kept, dueInMs), ...this.#life(record) }, most);
    // Ids have 144 random bits: one that is known already is none of chance.
    if (outcome === 'known') throw new Error('the store says that a task of this id is there already');
    return outcome === 'added' ? kept : undefined;
  }

  /**
   * Changes a task, over whatever others changed meanwhile.
   *
   * @param from The task as it was last seen, or its id.
   * @param step Gives the next record, or why there is none.
   * @param claimForMs For how long whoever changes it holds it from now on; it then has a new epoch.
   */
  async change(
    from: HeldTask | string,
    step: (kept: HeldTask) => Next,
    claimForMs?: number,
  ): Promise<HeldTask | Unchanged | 'unknown'> {
    let kept = typeof from === 'string' ? await this.read(from) : from;
    for (let tries = 0; tries < mostTries; tries++) {
      if (kept === undefined) return 'unknown';
      const wanted = step(kept);
      if (typeof wanted === 'string') return wanted;
      const record = this.#living(kept.record, wanted);
      const epoch = kept.epoch + (claimForMs === undefined ? 0 : 1);
      const next: HeldTask = { record, version: kept.version + 1, epoch };
      const life = record.ttlMs === kept.record.ttlMs ? {} : this.#life(record);
      if (await this.store.swap({ ...this.#stored(next, claimForMs ?? dueOf(record)), ...life })) {
        this.#tell(next);
        return next;
      }
      kept = await this.read(record.id);
    }
    throw new Error(`task ${typeof from === 'string' ? from : from.record.id} changes faster than it can be changed`);
  }

  /** The tasks of an owner, in the order of their ids. */
  async list(owner: string, after: string | undefined, most: number): Promise<readonly TaskRecord[]> {
    const stored = await this.store.list({ queue: this.#queue, owner }, after, most);
    return stored.map((one) => opened(one).record);
  }

  /** Claims what is due: its holders are gone, or it waits to be run. */
  async claim(node: string, forMs: number, most: number): Promise<readonly HeldTask[]> {
    const stored = await this.store.claim(this.#queue, { node, forMs, most });
    return stored.map(opened);
  }

  /**
   * Hears of changes of a task; where the store tells nothing, of those in this process alone.
   *
   * @param hear Gets what it became, or nothing where another process changed it.
   */
  hear(id: string, hear: (kept: HeldTask | undefined) => void): () => void {
    this.#listen();
    const all = this.#heard.get(id) ?? new Set();
    this.#heard.set(id, all.add(hear));
    return () => {
      all.delete(hear);
      if (all.size === 0 && this.#heard.get(id) === all) this.#heard.delete(id);
    };
  }

  /** Stops listening to other processes. */
  async close(): Promise<void> {
    this.#heard.clear();
    const end = await this.#bus?.catch(() => undefined);
    await end?.();
  }

  #listen(): void {
    const { bus } = this.store;
    if (bus === undefined || this.#bus !== undefined) return;
    // Without it who waits asks from time to time; another subscription is tried by the next who waits.
    this.#bus = Promise.resolve(bus.subscribe(this.#channel, (text) => this.#told(text)));
    this.#bus.catch(() => (this.#bus = undefined));
  }

  get #channel(): string {
    return `tasks ${this.#queue}`;
  }

  #told(text: string): void {
    const [id = '', by] = text.split(' ');
    if (by === this.#self) return;
    for (const hear of this.#heard.get(id) ?? []) hear(undefined);
  }

  #tell(kept: HeldTask): void {
    const { id } = kept.record;
    for (const hear of this.#heard.get(id) ?? []) hear(kept);
    const { bus } = this.store;
    if (bus !== undefined)
      void quiet(Promise.resolve().then(async () => await bus.publish(this.#channel, `${id} ${this.#self}`)));
  }

  #stored({ record, version, epoch }: HeldTask, dueInMs: Due): StoredTask {
    const { id, owner } = record;
    return {
      id,
      queue: this.#queue,
      owner,
      version,
      epoch,
      open: !hasEnded(record),
      ...(dueInMs === undefined ? {} : { dueInMs }),
      text: JSON.stringify(record),
    };
  }

  /** Lets what has ended be kept for a while, so that whoever waits for it can fetch it. */
  #living(before: TaskRecord, { ...record }: TaskRecord): TaskRecord {
    if (record.ttlMs === null || !hasEnded(record) || hasEnded(before)) return record;
    return { ...record, ttlMs: Math.max(record.ttlMs, this.#now() - record.createdAt + this.#keepMs) };
  }

  #life(record: TaskRecord): Pick<StoredTask, 'expiresInMs'> {
    const expiry = expiryOf(record);
    return expiry === undefined ? {} : { expiresInMs: Math.max(0, expiry - this.#now()) };
  }
}

/** Only text of ours is in the store. */
function opened({ text, version, epoch }: StoredTask): HeldTask {
  return { record: JSON.parse(text) as TaskRecord, version, epoch };
}

/** Time until a task may be claimed: its holder keeps it, what waits to be run may be had now, and all else is not to be run. */
function dueOf({ hand, status }: TaskRecord): Due {
  if (hand === 'running') return status === 'working' || status === 'input_required' ? 'keep' : undefined;
  return hand === 'queued' && status === 'working' ? 0 : undefined;
}
