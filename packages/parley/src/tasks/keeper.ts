import type { Unsubscribe } from '../storage/bus.ts';
import type { StoredTask, TaskStore } from '../storage/tasks.ts';
import { after, settledWithin } from '../jsonrpc/timeout.ts';
import { quiet } from '../connection/ask.ts';
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
  /** Names whose tasks they are, where several share a store. */
  readonly queue: string;
  readonly texts: RecordTexts;
  /** Time for which an outcome is kept at least, in milliseconds. */
  readonly keepMs: number;
  now(): number;
  /** Hears of tasks that cannot be read here, which are as if they were not there. */
  onError(error: unknown, where: string): void;
  /** Hears of each task that comes to its end by a change of this process. */
  onEnd?(record: TaskRecord): void;
}

/** Time until a task may be claimed, in milliseconds; `undefined` for never, `'keep'` as it is. */
type Due = number | 'keep' | undefined;

/** Way to make a record of its text: one's own, or one that others look at too. */
type ReadingWay = 'recordOf' | 'seenAs';

/** Time that a bus has to end, in milliseconds. */
const closeMs = 1000;

/** Time after which a bus that could not be heard is tried again, in milliseconds. */
const againMs = 2000;

/** Time for which a claimed task is put back that cannot be read here, in milliseconds. */
const unreadableMs = 60_000;

/** Shortest time between two looks at a task of which nobody tells, in milliseconds. */
const shortestLookMs = 1000;

/** Number of times that a change is tried over what others changed meanwhile. */
const mostTries = 100;

/** Keeps tasks in a store, and tells whoever waits for one that it changed, in this process and, over a bus, in others. */
export class Keeper {
  readonly #parts: KeeperParts;
  readonly #heard = new Map<string, Set<(kept: HeldTask | undefined) => void>>();
  /** Names it among those that hear of its changes; servers of one process may share a store. */
  readonly #self = crypto.randomUUID();
  #bus: Promise<Unsubscribe> | undefined;
  #cancelAgain = (): void => undefined;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  get store(): TaskStore {
    return this.#parts.store;
  }

  /** The task under an id; `undefined` where there is none, or none any more. */
  async read(id: string): Promise<HeldTask | undefined> {
    const stored = await this.#own(id);
    return stored === undefined ? undefined : await this.#opened(stored);
  }

  /** The same for whoever only looks at it: its record is that of others who do. */
  async look(id: string): Promise<HeldTask | undefined> {
    const stored = await this.#own(id);
    return stored === undefined ? undefined : await this.#opened(stored, 'seenAs');
  }

  /** The same as it is read. @throws UnreadableTask where it is there, and cannot be read here. */
  async demand(id: string): Promise<HeldTask | undefined> {
    const stored = await this.#own(id);
    return stored === undefined ? undefined : await this.#read(stored);
  }

  /**
   * Adds a task.
   *
   * @param dueInMs Time that its maker has to claim it.
   * @param most Limit of tasks of its owner that have not ended.
   * @param share Name under which a store counts what it takes, where it has no owner.
   * @returns `full` where the limit is reached, `no-room` where the store has no room for it.
   */
  async add(record: TaskRecord, dueInMs: number, most: number, share?: string): Promise<HeldTask | 'full' | 'no-room'> {
    const kept: HeldTask = { record, version: 1, epoch: 0, heldSince: this.#clocks };
    const stored = { ...(await this.#stored(kept, dueInMs)), ...this.#life(record) };
    const outcome = await this.store.add(share === undefined ? stored : { ...stored, share }, most);
    // Ids have 144 random bits: one that is known already is none of chance.
    if (outcome === 'known') throw new Error('the store says that a task of this id is there already');
    return outcome === 'added' ? kept : outcome;
  }

  /**
   * Changes a task, over whatever others changed meanwhile.
   *
   * @param from The task as it was last seen, or its id.
   * @param step Gives the next record, or why there is none.
   * @param claimForMs For how long whoever changes it holds it from now on, where the step makes it one that runs; it then has a new epoch.
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
      const claims = claimForMs !== undefined && record.hand === 'running';
      const next: HeldTask = { record, version: kept.version + 1, epoch: kept.epoch + (claims ? 1 : 0) };
      const life = record.ttlMs === kept.record.ttlMs ? {} : this.#life(record);
      const heldSince = this.#clocks;
      if (await this.store.swap({ ...(await this.#stored(next, claims ? claimForMs : dueOf(record))), ...life })) {
        // Whoever hears of it may hand its outcome over, which comes after its end.
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
    // A store may not tell two owners apart whose names are no well-formed text.
    const records = opened.flatMap((held) => (held?.record.owner === owner ? [held.record] : []));
    return { records, next: stored.length < most ? undefined : stored.at(-1)?.id };
  }

  /** Claims what is due: its holders are gone, or it waits to be run. */
  async claim(node: string, forMs: number, most: number): Promise<readonly HeldTask[]> {
    const heldSince = this.#clocks;
    const stored = await this.store.claim(this.#parts.queue, { node, forMs, most });
    const opened = await Promise.all(stored.map(async (one) => await this.#opened(one)));
    const unreadable = stored.filter((_, at) => opened[at] === undefined);
    // Another process may have its key; until then it is in nobody's way.
    if (unreadable.length > 0)
      await this.store.renew(
        unreadable.map(({ id, epoch }) => ({ id, epoch })),
        unreadableMs,
      );
    return opened.flatMap((held) => (held === undefined ? [] : [{ ...held, heldSince }]));
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

  /**
   * Hears of each later state of a task, once: at once in this process and over a bus, else from time to time until it has ended.
   *
   * @param from The task as it was last seen.
   * @param see Gets the task as it is by now, or nothing when it is gone.
   * @param isStale True where it may have changed since it was seen.
   */
  watch(from: HeldTask, see: (kept: HeldTask | undefined) => void, isStale = false): () => void {
    const { id, pollIntervalMs } = from.record;
    let { version } = from;
    let isOver = false;
    let cancel = (): void => undefined;
    // What is read may be older than what was heard meanwhile.
    const take = (next: HeldTask | undefined): void => {
      if (next === undefined || hasEnded(next.record)) cancel();
      if (isOver || (next !== undefined && next.version <= version)) return;
      ({ version } = next ?? { version });
      see(next);
    };
    // A store that is away is asked again.
    const look = (): void =>
      void this.read(id)
        .then((kept) => this.#hand(kept, take))
        .catch(() => undefined);
    const lookAgain = (): void => {
      cancel = after(Math.max(pollIntervalMs, shortestLookMs), () => (lookAgain(), look()));
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

  /** Has whoever waits for a task here look again: something else than the task changed for which they wait. */
  lookAgain(id: string): void {
    for (const hear of this.#heard.get(id) ?? []) hear(undefined);
  }

  /** Stops listening to other processes. */
  async close(): Promise<void> {
    this.#heard.clear();
    this.#cancelAgain();
    const ended = this.#bus?.then(async (end) => await end());
    // A bus that is away is left alone: the process is not held up by it.
    if (ended !== undefined) await settledWithin(closeMs, ended);
  }

  #listen(): void {
    const { bus } = this.store;
    if (bus === undefined || this.#bus !== undefined) return;
    const hear = (text: string): void => this.#told(text);
    this.#bus = Promise.resolve().then(async () => await bus.subscribe(this.#channel, hear, () => this.#missedSome()));
    // What was changed before it is heard was missed.
    this.#bus.then(
      () => this.#missedSome(),
      () => this.#listenLater(),
    );
  }

  /** Tries again to hear of what others change, as long as somebody waits for it. */
  #listenLater(): void {
    this.#cancelAgain = after(againMs, () => {
      this.#bus = undefined;
      if (this.#heard.size > 0) this.#listen();
    });
  }

  /** Some change may not have been told: all who wait look again. */
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

  /** Tells one who hears of a task: what fails there undoes no change, and ends no process. */
  #hand(kept: HeldTask | undefined, hear: (kept: HeldTask | undefined) => void): void {
    try {
      hear(kept);
    } catch (error) {
      this.#parts.onError(error, 'telling of a task');
    }
  }

  /** The task of an id, where it is of this queue: those of others in the same store are not there. */
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

  /** Lets what has ended be kept for a while, so that whoever waits for it can fetch it. */
  #living(before: TaskRecord, { ...record }: TaskRecord): TaskRecord {
    if (record.ttlMs === null || !hasEnded(record) || hasEnded(before)) return record;
    return { ...record, ttlMs: Math.max(record.ttlMs, this.#parts.now() - record.createdAt + this.#parts.keepMs) };
  }

  #life(record: TaskRecord): Pick<StoredTask, 'expiresInMs'> {
    const expiry = expiryOf(record);
    return expiry === undefined ? {} : { expiresInMs: Math.max(0, expiry - this.#parts.now()) };
  }
}

/** Time until a task may be claimed: its holder keeps it, what waits to be run may be had now, and all else is not to be run. */
function dueOf({ hand, status }: TaskRecord): Due {
  if (hand === 'running') return status === 'working' || status === 'input_required' ? 'keep' : undefined;
  return hand === 'queued' && status === 'working' ? 0 : undefined;
}
