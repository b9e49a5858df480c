import { after } from '../jsonrpc/timeout.ts';
import { McpError } from '../protocol/error.ts';
import type { TaskStore } from '../store/tasks.ts';
import { Keeper, type HeldTask } from './keeper.ts';
import { isTaskId, lifeOf, newTaskId, type TaskLimits, type TaskTimes } from './limits.ts';
import { cancelled, finished, replied, said } from './machine.ts';
import type { TaskOutcome, TaskRecord, TaskReply, TaskRequest } from './record.ts';
import type { TaskRun } from './run.ts';
import { Worker } from './worker.ts';

/** End of a run: an outcome, or work that is left to somebody outside. */
export type Ending = TaskOutcome | 'left';

/** Parts that tasks are made of. */
export interface TaskParts {
  readonly store: TaskStore;
  /** Names whose tasks they are, where several share a store. */
  readonly queue: string;
  readonly limits: TaskLimits;
  readonly times: TaskTimes;
  now(): number;
  /** Runs the request of a task; it never rejects. */
  perform(run: TaskRun): Promise<Ending>;
  /** Tells whether the request of a task can be run here. */
  knows(record: TaskRecord): boolean;
  onError(error: unknown, where: string): void;
}

/** Wishes for a new task. */
export interface TaskWishes {
  readonly owner: string;
  readonly ttlMs?: number | null | undefined;
  readonly pollIntervalMs?: number | undefined;
  /** Number of runs that may begin; one by default. */
  readonly attempts?: number | undefined;
  readonly answers?: TaskRecord['answers'];
  readonly once?: TaskRecord['once'];
  /** True when its run goes on already, in this process. */
  readonly runs?: boolean;
}

/** Time that the maker of a task has to claim it, in milliseconds. */
const makerMs = 2000;

/** The tasks of a server: it begins them, works on them, and answers for them. */
export class Tasks {
  readonly keeper: Keeper;
  readonly #parts: TaskParts;
  readonly #worker: Worker;

  constructor(parts: TaskParts) {
    this.#parts = parts;
    this.keeper = new Keeper(parts.store, parts.queue, { now: parts.now, keepMs: parts.times.keepMs });
    this.#worker = new Worker(this.keeper, parts);
  }

  get limits(): TaskLimits {
    return this.#parts.limits;
  }

  /**
   * Keeps a new task; nothing runs yet, unless it says so.
   *
   * @throws McpError internalError with `data.limit` where its owner has too many, or its parameters are too long.
   */
  async create(request: TaskRequest, wishes: TaskWishes): Promise<HeldTask> {
    const { limits, times, now } = this.#parts;
    const { owner, answers = {}, once = {} } = wishes;
    const at = now();
    const { textLength } = limits;
    if (JSON.stringify(request.params).length > textLength)
      throw new McpError('internalError', `a task keeps arguments of ${textLength} characters of JSON`, {
        data: { limit: textLength },
      });
    const record: TaskRecord = {
      id: newTaskId(),
      owner,
      request,
      status: 'working',
      createdAt: at,
      updatedAt: at,
      ttlMs: lifeOf(wishes.ttlMs, times),
      pollIntervalMs: wishes.pollIntervalMs ?? times.pollIntervalMs,
      hand: wishes.runs === true ? 'running' : 'queued',
      attempt: wishes.runs === true ? 1 : 0,
      attempts: wishes.attempts ?? 1,
      open: {},
      answers,
      once,
    };
    const most = owner === '' ? limits.ofNobody : limits.perOwner;
    const kept = await this.keeper.add(record, wishes.runs === true ? times.leaseMs : makerMs, most);
    if (kept !== undefined) return kept;
    throw new McpError('internalError', `too many tasks that have not ended; the limit is ${most}`, {
      data: { limit: most },
    });
  }

  /** Begins to work on a new task, here or wherever there is room for it. */
  begin(kept: HeldTask): void {
    this.#worker.begin(kept);
  }

  /**
   * Makes a run that goes on already that of a new task, which was kept as one that runs.
   *
   * @param work What it comes to; it never rejects.
   */
  adopt(kept: HeldTask, work: (run: TaskRun) => Promise<Ending>): TaskRun {
    return this.#worker.adopt(kept, work);
  }

  /** Tells whether nothing more begins here. */
  get isDraining(): boolean {
    return this.#worker.isDraining;
  }

  /** The task under an id, for its owner; a foreign one is as one that does not exist. */
  async get(id: string, owner: string): Promise<HeldTask | undefined> {
    // Stores promise nothing for what is no id of a task.
    const kept = isTaskId(id) ? await this.keeper.read(id) : undefined;
    return kept?.record.owner === owner ? kept : undefined;
  }

  /** Takes answers to open questions; all others are ignored. @returns Whether there is such a task. */
  async answer(id: string, owner: string, replies: Readonly<Record<string, TaskReply>>): Promise<boolean> {
    const kept = await this.get(id, owner);
    if (kept === undefined) return false;
    const outcome = await this.keeper.change(kept, ({ record }) => replied(record, replies, this.#parts.now()));
    if (typeof outcome === 'object' && outcome.record.hand === 'queued') this.#worker.wake();
    return outcome !== 'unknown';
  }

  /** Cancels a task for its owner. @returns What it is then, and whether it had ended before; `undefined` for no such task. */
  async cancel(
    id: string,
    owner: string,
  ): Promise<{ readonly kept: HeldTask; readonly hadEnded: boolean } | undefined> {
    const kept = await this.get(id, owner);
    if (kept === undefined) return undefined;
    const outcome = await this.keeper.change(kept, ({ record }) => cancelled(record, this.#parts.now()));
    if (typeof outcome === 'object') return { kept: outcome, hadEnded: false };
    const now = await this.get(id, owner);
    return now === undefined ? undefined : { kept: now, hadEnded: true };
  }

  /** Cancels a task of which its client cannot know. */
  async forget(id: string): Promise<void> {
    await this.keeper.change(id, ({ record }) => cancelled(record, this.#parts.now()));
  }

  /**
   * Waits until a task is as wanted.
   *
   * @returns The task; `undefined` when it is gone, or the wait was given up.
   */
  async until(
    kept: HeldTask,
    isWanted: (record: TaskRecord) => boolean,
    signal: AbortSignal,
  ): Promise<HeldTask | undefined> {
    const { id } = kept.record;
    let changed: () => void = () => undefined;
    let latest: HeldTask | undefined = kept;
    const unhear = this.keeper.hear(id, (next) => {
      if (next !== undefined) latest = next;
      changed();
    });
    const aborted = (): void => changed();
    signal.addEventListener('abort', aborted, { once: true });
    try {
      latest = await this.keeper.read(id);
      while (latest !== undefined && !isWanted(latest.record) && !signal.aborted) {
        const seen: HeldTask = latest;
        await new Promise<void>((resolve) => {
          // Who tells nothing is asked from time to time, and what expires tells nobody.
          const cancel = after(Math.max(seen.record.pollIntervalMs, 1000), resolve);
          changed = () => (cancel(), resolve());
        });
        if (latest === seen) latest = await this.keeper.read(id);
      }
      return signal.aborted ? undefined : latest;
    } finally {
      unhear();
      signal.removeEventListener('abort', aborted);
    }
  }

  /** The tasks of an owner, in the order of their ids. */
  list(owner: string, after: string | undefined, most: number): Promise<readonly TaskRecord[]> {
    return this.keeper.list(owner, after, most);
  }

  /** Ends a task that was left to the outside. @returns Whether it was still to be ended. */
  async end(id: string, outcome: TaskOutcome): Promise<boolean> {
    const done = await this.keeper.change(id, ({ record, epoch }) =>
      finished(record, outcome, { epoch }, this.#parts.now()),
    );
    return typeof done === 'object';
  }

  /** Says how far the work outside is. */
  async say(id: string, message: string): Promise<boolean> {
    const done = await this.keeper.change(id, ({ record, epoch }) =>
      said(record, message, { epoch }, this.#parts.now()),
    );
    return typeof done === 'object';
  }

  /** Begins nothing more, and waits for what runs here, but not for ever. */
  drain(timeoutMs: number): Promise<void> {
    return this.#worker.drain(timeoutMs);
  }

  async close(): Promise<void> {
    await this.#worker.drain(0);
    await this.keeper.close();
  }
}
