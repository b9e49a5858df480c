import { after } from '../jsonrpc/timeout.ts';
import { McpError } from '../protocol/error.ts';
import type { Seal } from '../sealing/seal.ts';
import type { TaskStore } from '../storage/tasks.ts';
import { auditLine, strangerAudit, type TaskAudit } from './audit.ts';
import type { Engine, TaskTurn } from './executor.ts';
import { Keeper, type HeldTask } from './keeper.ts';
import { isTaskId, lifeOf, newTaskId, type TaskLimits, type TaskTimes } from './limits.ts';
import { cancelled, finished, replied, said } from './machine.ts';
import type { TaskOutcome, TaskRecord, TaskReply, TaskRequest } from './record.ts';
import type { TaskRun } from './run.ts';
import { newSeed } from '../connection/memoized-steps.ts';
import { RecordTexts } from './sealed-text.ts';
import { makerMs, Worker } from './worker.ts';

/** End of a run: an outcome, or work that is left to an external system. */
export type RunEnding = TaskOutcome | 'left';

/** Parts that tasks are made of. */
export interface TaskParts {
  readonly store: TaskStore;
  /** Name of the queue, if several share a store. */
  readonly queue: string;
  readonly limits: TaskLimits;
  readonly times: TaskTimes;
  /** Engine that decides which task runs when. Without one, this process looks for work. */
  readonly engine?: Engine | undefined;
  now(): number;
  /** Runs the request of a task; it never rejects. */
  perform(run: TaskRun): Promise<RunEnding>;
  /** Tells whether the request of a task can be run here. */
  knows(record: TaskRecord): boolean;
  /** Seals stored texts. Without one they are readable in the store. */
  readonly seal?: Seal | undefined;
  /** Parses stored texts, as `JSON.parse` does. */
  parse?(text: string): unknown;
  onError(error: unknown, where: string): void;
  onAudit?: ((line: TaskAudit) => void) | undefined;
}

/** Wishes for a new task. */
export interface TaskWishes {
  readonly owner: string;
  /** Name under which a store counts its room, if it has no owner. */
  readonly share?: string | undefined;
  readonly ttlMs?: number | null | undefined;
  readonly pollIntervalMs?: number | undefined;
  /** Number of runs that may begin; one by default. */
  readonly attempts?: number | undefined;
  readonly answers?: TaskRecord['answers'];
  readonly once?: TaskRecord['once'];
  readonly seed?: TaskRecord['seed'];
  /** True if its run is already running, in this process. */
  readonly runs?: boolean;
}

/** The tasks of a server: it begins them, works on them, and answers for them. */
export class Tasks {
  readonly keeper: Keeper;
  readonly #parts: TaskParts;
  readonly #worker: Worker;
  readonly #engine: Engine | undefined;

  constructor(parts: TaskParts) {
    this.#parts = parts;
    const { store, queue, seal, parse, times, now, onError } = parts;
    const onEnd = (record: TaskRecord): void => parts.onAudit?.(auditLine('ended', record));
    this.keeper = new Keeper({
      store,
      queue,
      texts: new RecordTexts(seal, parse),
      outcomeTtlMs: times.outcomeTtlMs,
      now,
      onError,
      onEnd,
    });
    this.#worker = new Worker(this.keeper, parts);
    this.#engine = parts.engine;
  }

  get limits(): TaskLimits {
    return this.#parts.limits;
  }

  /**
   * Stores a new task. It does not start it, unless the task is already running.
   *
   * @throws McpError internalError with `data.limit` if its owner has too many, or its parameters are too long; with
   * `data.full` if the store has no room.
   */
  async create(request: TaskRequest, wishes: TaskWishes): Promise<HeldTask> {
    const { limits, times, now } = this.#parts;
    const { owner, answers = {}, once = {}, seed = newSeed() } = wishes;
    const at = now();
    const { textLength } = limits;
    if (JSON.stringify(request.params).length > textLength)
      throw new McpError('internalError', `a task keeps arguments of ${textLength} characters of JSON`, {
        data: { limit: textLength },
      });
    const record: TaskRecord = {
      id: newTaskId(),
      owner,
      ...(owner === '' && wishes.share !== undefined ? { share: wishes.share } : {}),
      request,
      status: 'working',
      createdAt: at,
      updatedAt: at,
      ttlMs: lifeOf(wishes.ttlMs, times),
      // Spec ext-tasks, Task: a whole number.
      pollIntervalMs: Math.ceil(wishes.pollIntervalMs ?? times.pollIntervalMs),
      hand: wishes.runs === true ? 'running' : 'queued',
      attempt: wishes.runs === true ? 1 : 0,
      attempts: wishes.attempts ?? 1,
      open: {},
      answers,
      seed,
      once,
    };
    const most = owner === '' ? limits.ofNobody : limits.perOwner;
    const dueInMs = this.#engine?.tellsWithinMs ?? makerMs;
    const kept = await this.keeper.add(record, wishes.runs === true ? times.leaseTtlMs : dueInMs, most, wishes.share);
    if (typeof kept === 'object') {
      this.#parts.onAudit?.(auditLine('created', record));
      return kept;
    }
    if (kept === 'no-room')
      throw new McpError(
        'internalError',
        'the store has no room for another task of this client now; try again later',
        {
          data: { full: true },
        },
      );
    throw new McpError('internalError', `too many tasks that have not ended; the limit is ${most}`, {
      data: { limit: most },
    });
  }

  /**
   * Passes a new task to the engine, if there is one. The task may be running here already; the engine finds that out
   * if this process dies.
   *
   * @throws McpError internalError if the engine refuses it. The task is then cancelled.
   */
  async handOver(kept: HeldTask): Promise<void> {
    const { id } = kept.record;
    try {
      await this.#engine?.start(id);
      this.#engine?.heard(this.keeper, kept);
    } catch (error) {
      this.#parts.onError(error, 'the start of the executor of tasks');
      await this.forget(id);
      throw new McpError('internalError', 'the task could not be begun');
    }
  }

  /** Runs a task now, for an engine. */
  run(id: string): Promise<TaskTurn> {
    return isTaskId(id) ? this.#worker.run(id) : Promise.resolve('unknown');
  }

  /** Begins to work on a new task, here or wherever there is room for it. */
  begin(kept: HeldTask): void {
    this.#worker.begin(kept);
  }

  /**
   * Makes a running run that of a new task, which was stored as a running one.
   *
   * @param work Its outcome; it never rejects.
   */
  adopt(kept: HeldTask, work: (run: TaskRun) => Promise<RunEnding>): TaskRun {
    return this.#worker.adopt(kept, work);
  }

  /** Tells whether nothing more begins here. */
  get isDraining(): boolean {
    return this.#worker.isDraining;
  }

  /** The task under an id, for its owner; a foreign one is as one that does not exist. */
  async get(id: string, owner: string): Promise<HeldTask | undefined> {
    // Stores guarantee nothing for an invalid task id.
    const kept = isTaskId(id) ? await this.keeper.read(id) : undefined;
    return kept?.record.owner === owner ? kept : undefined;
  }

  /** Reads a task for a client. If it does not exist for this client, the audit log records the attempt. */
  async sought(id: string, by: string): Promise<HeldTask | undefined> {
    const kept = isTaskId(id) ? await this.keeper.look(id) : undefined;
    if (kept?.record.owner === by) return kept;
    this.#parts.onAudit?.(kept === undefined ? strangerAudit(id, by) : auditLine('refused', kept.record, by));
    return undefined;
  }

  /** The outcome of a task is handed over. */
  retrieved(record: TaskRecord, by: string): void {
    this.#parts.onAudit?.(auditLine('retrieved', record, by));
  }

  /** Takes answers to open questions; all others are ignored. @returns Whether there is such a task. */
  async answer(id: string, owner: string, replies: Readonly<Record<string, TaskReply>>): Promise<boolean> {
    const kept = await this.get(id, owner);
    if (kept === undefined) return false;
    const { length } = JSON.stringify(replies);
    const outcome = await this.keeper.change(kept, ({ record }) => {
      const next = replied(record, replies, this.#parts.now());
      // Ignored answers take no room.
      if (typeof next === 'object') this.#refuseTooLong(record, length);
      return next;
    });
    if (typeof outcome === 'object' && outcome.record.hand === 'queued' && outcome.record.status === 'working') {
      this.#engine?.wake(id);
      this.#worker.wake();
    }
    return outcome !== 'unknown';
  }

  /** @throws McpError internalError with `data.limit` if the answers of a task would be too long to store. */
  #refuseTooLong({ answers }: TaskRecord, more: number): void {
    const { textLength: limit } = this.#parts.limits;
    if (JSON.stringify(answers).length + more <= limit) return;
    throw new McpError('internalError', `the answers to a task may have ${limit} characters of JSON`, {
      data: { limit },
    });
  }

  /**
   * Cancels a task for its owner. @returns Its state then, and whether it had ended before; `undefined` if it does not
   * exist.
   */
  async cancel(
    id: string,
    owner: string,
  ): Promise<{ readonly kept: HeldTask; readonly hadEnded: boolean } | undefined> {
    const kept = await this.get(id, owner);
    if (kept === undefined) return undefined;
    const outcome = await this.keeper.change(kept, ({ record }) => cancelled(record, this.#parts.now()));
    if (typeof outcome === 'object') {
      this.#engine?.cancel(id);
      return { kept: outcome, hadEnded: false };
    }
    const now = await this.get(id, owner);
    return now === undefined ? undefined : { kept: now, hadEnded: true };
  }

  /** Cancels a task of which its client cannot know. */
  async forget(id: string): Promise<void> {
    const outcome = await this.keeper.change(id, ({ record }) => cancelled(record, this.#parts.now()));
    if (typeof outcome === 'object') this.#engine?.cancel(id);
  }

  /**
   * Waits until a task reaches the wanted state.
   *
   * @returns The task; `undefined` if it is gone, or the wait was aborted.
   */
  async until(
    kept: HeldTask,
    isWanted: (record: TaskRecord) => boolean,
    signal: AbortSignal,
  ): Promise<HeldTask | undefined> {
    const { id } = kept.record;
    let changed: () => void = () => undefined;
    let latest: HeldTask | undefined = kept;
    // Another process may change it while it is read.
    let isStale = false;
    const unhear = this.keeper.hear(id, (next) => {
      if (next === undefined) isStale = true;
      else latest = next;
      changed();
    });
    const aborted = (): void => changed();
    signal.addEventListener('abort', aborted);
    const look = async (): Promise<HeldTask | undefined> => {
      isStale = false;
      const read = await this.keeper.read(id);
      // A notification during the read may be newer.
      return read !== undefined && latest !== undefined && latest.version > read.version ? latest : read;
    };
    try {
      latest = await look();
      while (latest !== undefined && !isWanted(latest.record) && !signal.aborted) {
        const seen: HeldTask = latest;
        await new Promise<void>((resolve) => {
          if (isStale) return resolve();
          // A store without notifications is polled, and an expiry causes no notification.
          const cancel = after(Math.max(seen.record.pollIntervalMs, 1000), resolve);
          changed = () => (cancel(), resolve());
        });
        if (latest === seen) latest = await look();
      }
      return signal.aborted ? undefined : latest;
    } finally {
      unhear();
      signal.removeEventListener('abort', aborted);
    }
  }

  /** The tasks of an owner, in the order of their ids. */
  list(owner: string, after: string | undefined, most: number): ReturnType<Keeper['list']> {
    return this.keeper.list(owner, after, most);
  }

  /** Ends a task that was left to the outside. @returns Whether it was still to be ended. */
  async end(id: string, outcome: TaskOutcome): Promise<boolean> {
    const done = await this.keeper.change(id, ({ record, epoch }) =>
      finished(record, outcome, { epoch }, this.#parts.now()),
    );
    return typeof done === 'object';
  }

  /** Sets the status message of work in an external system. */
  async say(id: string, message: string): Promise<boolean> {
    const done = await this.keeper.change(id, ({ record, epoch }) =>
      said(record, message, { epoch }, this.#parts.now()),
    );
    return typeof done === 'object';
  }

  /** Begins nothing more, and waits for running work, with a time limit. */
  drain(timeoutMs: number): Promise<void> {
    return this.#worker.drain(timeoutMs);
  }

  async close(): Promise<void> {
    await this.#worker.drain(0);
    await this.keeper.close();
  }
}
