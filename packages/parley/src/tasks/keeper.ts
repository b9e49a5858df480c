import type { Unsubscribe } from '../storage/bus.ts';
import type { StoredTask, TaskStore } from '../storage/tasks.ts';
import { after, settledWithin } from '../jsonrpc/timeout.ts';
import { quiet } from '../connection/client-request.ts';
import { hasEnded } from '../protocol/task-status.ts';
import { readClocks, type ClockReading } from './lease.ts';
import type { Next, Unchanged } from './machine.ts';
import { expiryOf, type TaskRecord } from './record.ts';
import { UnreadableTask, type RecordTexts } from './sealed-text.ts';

/** Task as the store has it. */
export interface HeldTask {
  readonly record: TaskRecord;
  /** Grows with every change; a change is taken only over the one before. */
  readonly version: number;
  /** Grows with every claim; who works under an older one works in vain. */
  readonly epoch: number;
  /** Time until it may be claimed when it was read, in milliseconds: the rest of a lease. */
  readonly dueInMs?: number | undefined;
  /** Clocks before the store was asked to give the task to this process. */
  readonly heldSince?: ClockReading;
}

/** The needs of keeping tasks. */
export interface KeeperParts {
  readonly store: TaskStore;
  /** Name of the queue, if several share a store. */
  readonly queue: string;
  readonly texts: RecordTexts;
  /** Time for which an outcome is kept at least, in milliseconds. */
  readonly outcomeTtlMs: number;
  now(): number;
  /** Receives errors about tasks that cannot be read here. They count as missing. */
  onError(error: unknown, where: string): void;
  /** Called for each task that this process ended. */
  onEnd?(record: TaskRecord): void;
}

/** Time until a task may be claimed, in milliseconds; `undefined` for never, `'keep'` as it is. */
type Due = number | 'keep' | undefined;

/** Way to make a record of its text: one's own, or one that others look at too. */
type ReadingWay = 'recordOf' | 'seenAs';

/** Time that a bus has to end, in milliseconds. */
const closeTimeoutMs = 1000;

/** Time after which a failed subscription to the bus is retried, in milliseconds. */
const againMs = 2000;

/** Time for which a claimed task is put back that cannot be read here, in milliseconds. */
const unreadableMs = 60_000;

/** Shortest interval between two reads of a task without notifications, in milliseconds. */
const minLookMs = 1000;

/** Number of times that a change is tried over what others changed meanwhile. */
const maxTries = 100;

/** Stores tasks, and notifies waiting callers of changes, in this process and, over a bus, in others. */
export class Keeper {
  readonly #parts: KeeperParts;
  readonly #heard = new Map<string, Set<(kept: HeldTask | undefined) => void>>();
  /** Identifies it on the bus: servers of one process may share a store. */
  readonly #self = crypto.randomUUID();
  #bus: Promise<Unsubscribe> | undefined;
  #cancelAgain = (): void => undefined;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  get store(): TaskStore {
    return this.#parts.store;
  }

  /** The task with an id; `undefined` if there is none, or it is gone. */
  async read(id: string): Promise<HeldTask | undefined> {
    const stored = await this.#own(id);
    return stored === undefined ? undefined : await this.#opened(stored);
  }

  /** Reads a task for a caller that only inspects it: several such callers share the record. */
  async look(id: string): Promise<HeldTask | undefined> {
    const stored = await this.#own(id);
    return stored === undefined ? undefined : await this.#opened(stored, 'seenAs');
  }

  /** Reads a task. @throws UnreadableTask if it exists, and cannot be read here. */
  async demand(id: string): Promise<HeldTask | undefined> {
    const stored = await this.#own(id);
    return stored === undefined ? undefined : await this.#read(stored);
  }

  /**
   * Adds a task.
   *
   * @param dueInMs Time for its creator to claim it.
   * @param most Limit of unfinished tasks of its owner.
   * @param share Name under which a store counts its room, if it has no owner.
   * @returns `full` if the limit is reached, `no-room` if the store has no room for it.
   */
  async add(record: TaskRecord, dueInMs: number, most: number, share?: string): Promise<HeldTask | 'full' | 'no-room'> {
    const kept: HeldTask = { record, version: 1, epoch: 0, heldSince: this.#clocks };
    const stored = { ...(await this.#stored(kept, dueInMs)), ...this.#life(record) };
    const counted = share === undefined ? stored : { ...stored, share: await this.#parts.texts.shareOf(share) };
    const outcome = await this.store.add(counted, most);
    // Ids have 144 random bits, so a known one cannot be chance.
    if (outcome === 'known') throw new Error('the store already has a task with this id');
    return outcome === 'added' ? kept : outcome;
  }

  /**
   * Changes a task, on top of concurrent changes.
   *
   * @param from The task as last seen, or its id.
   * @param step Returns the next record, or the reason why there is none.
   * @param claimForMs Length of the lease from now on, if the step makes it a running task. It then has a new epoch.
   */
  async change(
    from: HeldTask | string,
    step: (kept: HeldTask) => Next,
    claimForMs?: number,
  ): Promise<HeldTask | Unchanged | 'unknown'> {
    let kept = typeof from === 'string' ? await this.read(from) : from;
    for (let tries = 0; tries < maxTries; tries++) {
      if (kept === undefined) return 'unknown';
      const wanted = step(kept);
      if (typeof wanted === 'string') return wanted;
      const record = this.#living(kept.record, wanted);
      const claims = claimForMs !== undefined && record.hand === 'running';
      const next: HeldTask = { record, version: kept.version + 1, epoch: kept.epoch + (claims ? 1 : 0) };
      const life = record.ttlMs === kept.record.ttlMs ? {} : this.#life(record);
      const heldSince = this.#clocks;
      if (await this.store.swap({ ...(await this.#stored(next, claims ? claimForMs : dueOf(record))), ...life })) {
        // A listener may return the task's outcome to a client, which must come after this event.
        if (hasEnded(record) && !hasEnded(kept.record)) this.#parts.onEnd?.(record);
        this.#tell(next);
        return claims ? { ...next, heldSince } : next;
      }
      kept = await this.read(record.id);
    }
    throw new Error(`task ${typeof from === 'string' ? from : from.record.id} changes faster than it can be changed`);
  }

  /** The tasks of an owner, in the order of their ids, and the id after which there may be more. */
  async list(
    owner: string,
    after: string | undefined,
    most: number,
  ): Promise<{ readonly records: readonly TaskRecord[]; readonly next: string | undefined }> {
    const stored = await this.store.list({ queue: this.#parts.queue, owner }, after, most);
    const opened = await Promise.all(stored.map(async (one) => await this.#opened(one)));
    // A store may confuse two owners whose names are not well-formed text.
    const records = opened.flatMap((held) => (held?.record.owner === owner ? [held.record] : []));
    return { records, next: stored.length < most ? undefined : stored.at(-1)?.id };
  }

  /** Claims due tasks: their holders are dead, or they wait to run. */
  async claim(node: string, forMs: number, most: number): Promise<readonly HeldTask[]> {
    const heldSince = this.#clocks;
    const stored = await this.store.claim(this.#parts.queue, { node, forMs, most });
    const opened = await Promise.all(stored.map(async (one) => await this.#opened(one)));
    const unreadable = stored.filter((_, at) => opened[at] === undefined);
    // Another process may have its key. Until then it blocks no other task.
    if (unreadable.length > 0)
      await this.store.renew(
        unreadable.map(({ id, epoch }) => ({ id, epoch })),
        unreadableMs,
      );
    return opened.flatMap((held) => (held === undefined ? [] : [{ ...held, heldSince }]));
  }

  /**
   * Subscribes to changes of a task; without a bus, only to those in this process.
   *
   * @param hear Receives the new state, or `undefined` if another process changed it.
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

  /**
   * Reports each later state of a task, once: at once in this process and over a bus, otherwise by polling until it has
   * ended.
   *
   * @param from The task as last seen.
   * @param see Receives the current task, or `undefined` if it is gone.
   * @param isStale True if it may have changed since it was seen.
   */
  watch(from: HeldTask, see: (kept: HeldTask | undefined) => void, isStale = false): () => void {
    const { id, pollIntervalMs } = from.record;
    let { version } = from;
    let isOver = false;
    let cancel = (): void => undefined;
    // A read may return an older state than a notification meanwhile.
    const take = (next: HeldTask | undefined): void => {
      if (next === undefined || hasEnded(next.record)) cancel();
      if (isOver || (next !== undefined && next.version <= version)) return;
      ({ version } = next ?? { version });
      see(next);
    };
    // If the store is down, the read is retried.
    const look = (): void =>
      void this.read(id)
        .then((kept) => this.#hand(kept, take))
        .catch(() => undefined);
    const lookAgain = (): void => {
      cancel = after(Math.max(pollIntervalMs, minLookMs), () => (lookAgain(), look()));
    };
    if (this.store.bus === undefined && !hasEnded(from.record)) lookAgain();
    const unhear = this.hear(id, (next) => (next === undefined ? look() : take(next)));
    if (isStale) look();
    return () => {
      isOver = true;
      cancel();
      unhear();
    };
  }

  /** Makes waiting callers here read a task again, because a condition outside of the task changed. */
  lookAgain(id: string): void {
    for (const hear of this.#heard.get(id) ?? []) hear(undefined);
  }

  /** Stops listening to other processes. */
  async close(): Promise<void> {
    this.#heard.clear();
    this.#cancelAgain();
    const ended = this.#bus?.then(async (end) => await end());
    // A failing bus does not delay the process.
    if (ended !== undefined) await settledWithin(closeTimeoutMs, ended);
  }

  #listen(): void {
    const { bus } = this.store;
    if (bus === undefined || this.#bus !== undefined) return;
    const hear = (text: string): void => this.#told(text);
    this.#bus = Promise.resolve().then(async () => await bus.subscribe(this.#channel, hear, () => this.#missedSome()));
    // Changes from before the subscription were missed.
    this.#bus.then(
      () => this.#missedSome(),
      () => this.#listenLater(),
    );
  }

  /** Retries the subscription to other processes' changes, while callers wait. */
  #listenLater(): void {
    this.#cancelAgain = after(againMs, () => {
      this.#bus = undefined;
      if (this.#heard.size > 0) this.#listen();
    });
  }

  /** A notification may have been missed: all waiting callers read again. */
  #missedSome(): void {
    for (const id of this.#heard.keys()) this.lookAgain(id);
  }

  get #clocks(): ClockReading {
    return readClocks(this.#parts.now);
  }

  get #channel(): string {
    return `tasks ${this.#parts.queue}`;
  }

  #told(text: string): void {
    const [id = '', by] = text.split(' ');
    if (by !== this.#self) this.lookAgain(id);
  }

  #tell(kept: HeldTask): void {
    const { id } = kept.record;
    for (const hear of this.#heard.get(id) ?? []) this.#hand(kept, hear);
    const { bus } = this.store;
    if (bus !== undefined)
      void quiet(Promise.resolve().then(async () => await bus.publish(this.#channel, `${id} ${this.#self}`)));
  }

  /** Notifies one listener. Its failure undoes no change, and ends no process. */
  #hand(kept: HeldTask | undefined, hear: (kept: HeldTask | undefined) => void): void {
    try {
      hear(kept);
    } catch (error) {
      this.#parts.onError(error, 'telling of a task');
    }
  }

  /** The task of an id, if it belongs to this queue. Tasks of other queues in the store do not exist here. */
  async #own(id: string): Promise<StoredTask | undefined> {
    const stored = await this.store.get(id);
    return stored?.queue === this.#parts.queue ? stored : undefined;
  }

  async #read({ id, text, version, epoch, dueInMs }: StoredTask, way: ReadingWay = 'recordOf'): Promise<HeldTask> {
    const record = await this.#parts.texts[way](id, text);
    return { record, version, epoch, ...(typeof dueInMs === 'number' ? { dueInMs } : {}) };
  }

  async #opened(stored: StoredTask, way?: ReadingWay): Promise<HeldTask | undefined> {
    try {
      return await this.#read(stored, way);
    } catch (error) {
      if (!(error instanceof UnreadableTask)) throw error;
      this.#parts.onError(error, 'the store of tasks');
      return undefined;
    }
  }

  async #stored({ record, version, epoch }: HeldTask, dueInMs: Due): Promise<StoredTask> {
    const { id, owner } = record;
    return {
      id,
      queue: this.#parts.queue,
      owner,
      version,
      epoch,
      open: !hasEnded(record),
      ...(dueInMs === undefined ? {} : { dueInMs }),
      text: await this.#parts.texts.textOf(record),
    };
  }

  /** Keeps an ended task for a while, so that waiting callers can fetch it. */
  #living(before: TaskRecord, { ...record }: TaskRecord): TaskRecord {
    if (record.ttlMs === null || !hasEnded(record) || hasEnded(before)) return record;
    return {
      ...record,
      ttlMs: Math.max(record.ttlMs, this.#parts.now() - record.createdAt + this.#parts.outcomeTtlMs),
    };
  }

  #life(record: TaskRecord): Pick<StoredTask, 'expiresInMs'> {
    const expiry = expiryOf(record);
    return expiry === undefined ? {} : { expiresInMs: Math.max(0, expiry - this.#parts.now()) };
  }
}

/**
 * Time until a task may be claimed: a running one keeps its lease, a queued one is free now, and any other does not
 * run.
 */
function dueOf({ hand, status }: TaskRecord): Due {
  if (hand === 'running') return status === 'working' || status === 'input_required' ? 'keep' : undefined;
  return hand === 'queued' && status === 'working' ? 0 : undefined;
}
