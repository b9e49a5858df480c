import { after } from '../jsonrpc/timeout.ts';
import type { HeldTask, Keeper } from './keeper.ts';
import { leaseEnded } from './machine.ts';

/**
 * Engine that has the work of tasks done, in the place of processes that look for it themselves: a queue of jobs, or durable workflows. It keeps
 * no state of a task, and is told of ids alone: in a process that has the tools and the store it calls `server.tasks.run(id)`, as often as it
 * likes. Two runs of one task never count, whatever the engine does.
 */
export interface TaskExecutor {
  /**
   * Takes a new task; its client is told of it when this has resolved. It may be told of one that it has: what it may not have heard of, since a
   * process ended or it was away, is told again, and need not be begun twice.
   *
   * @param queue Names whose tasks they are, where several servers share a store.
   * @returns A promise where that takes time: one that rejects, or that does not settle in 10 seconds, refuses the task, and nothing runs.
   */
  start(id: string, queue: string): Promise<void> | void;
  /**
   * Hears that a task goes on which `run` said `'asks'` of. It is tried five times; since a process may end before, an engine asks `run` from
   * time to time all the same.
   */
  wake(id: string): Promise<void> | void;
  /** Hears that a task was cancelled, so that its work may be taken out. A run that goes on is aborted without it. It is tried as `wake` is. */
  cancel(id: string): Promise<void> | void;
}

/**
 * State of a task after an engine had it run. With `ended` there is nothing more to do, and none with `unknown`, where it expired or never was,
 * nor with `left`, where somebody outside ends it. With `asks` it waits for its client: call again after `wake`. With `later` another process has it, as
 * one that died does until its lease ends: call again in some seconds.
 */
export type TaskTurn = 'ended' | 'unknown' | 'left' | 'asks' | 'later';

/** Time that an engine has to take a word, in milliseconds. */
const takeMs = 10_000;

/** Times that a word is tried which nobody waits for, and the first pause between, in milliseconds. */
const mostTries = 5;
const firstPauseMs = 100;

/** Time between looks for tasks of which an engine may not have heard, and until it is told once more where it was away, in milliseconds. */
const everyMs = 30_000;
const againMs = 60_000;
const mostTold = 100;

/**
 * Time after which an engine is told again of a task that it never had run, in milliseconds: it may have lost it, or been taken away from the
 * queue. It is short beside the hour that a task lives by default, and long enough that an engine with 10,000 tasks to begin hears 17 words a second.
 */
const heardMs = 10 * 60_000;

/** Process that tells an engine what it may not have heard. */
export interface Teller {
  /** Names the process to the store. */
  readonly node: string;
  now(): number;
  /** True when it begins nothing more. */
  isOver(): boolean;
}

/** Tells an engine of tasks, within bounds. */
export class Engine {
  /** Time between two looks for what it may not have heard of, in milliseconds. */
  readonly everyMs: number = everyMs;
  /** Time in which it was told of a new task, or refused it, in milliseconds. */
  readonly tellsWithinMs: number = takeMs + 5000;
  readonly #executor: TaskExecutor;
  readonly #queue: string;
  readonly #onError: (error: unknown, where: string) => void;

  constructor(executor: TaskExecutor, queue: string, onError: (error: unknown, where: string) => void) {
    this.#executor = executor;
    this.#queue = queue;
    this.#onError = onError;
  }

  /** @throws Whatever the engine does, and an error where it takes too long. */
  start(id: string): Promise<void> {
    return withinTime('start', () => this.#executor.start(id, this.#queue));
  }

  /** The engine has heard of a task: for ten minutes nobody is to tell it again. Where that is not kept it is told, which does no harm. */
  heard({ store }: Keeper, { record: { id, hand }, epoch }: HeldTask): void {
    if (hand === 'queued') void this.#trying('a task', () => store.renew([{ id, epoch }], heardMs));
  }

  /** Tells of what is due: the engine may not have heard of it, since a process ended between two words, or it was away. Runs whose process is gone are free then. */
  async tellDue(keeper: Keeper, { node, now, isOver }: Teller): Promise<void> {
    for (let found = mostTold; found === mostTold && !isOver();) {
      const due = await keeper.claim(node, againMs, mostTold);
      found = due.length;
      const tell = async (kept: HeldTask): Promise<void> => await this.#tellOf(keeper, kept, now());
      await Promise.all(due.map((kept) => this.#trying('the start of the executor of tasks', () => tell(kept))));
    }
  }

  async #tellOf(keeper: Keeper, kept: HeldTask, now: number): Promise<void> {
    const free =
      kept.record.hand === 'running'
        ? await keeper.change(kept, ({ record, epoch }) => (epoch === kept.epoch ? leaseEnded(record, now) : 'fenced'))
        : kept;
    // What waits for its client, or has ended, is not to be run.
    if (typeof free !== 'object' || free.record.hand !== 'queued' || free.record.status !== 'working') return;
    const { id, replays } = free.record;
    await this.start(id);
    if (replays === true) this.wake(id);
    this.heard(keeper, free);
  }

  async #trying(where: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#onError(error, where);
    }
  }

  wake(id: string): void {
    void this.#tell('wake', id);
  }

  cancel(id: string): void {
    void this.#tell('cancel', id);
  }

  async #tell(what: 'wake' | 'cancel', id: string): Promise<void> {
    for (let [tries, pauseMs] = [1, firstPauseMs]; ; tries++, pauseMs *= 2) {
      try {
        return await withinTime(what, () => this.#executor[what](id));
      } catch (error) {
        if (tries === mostTries) return this.#onError(error, `the ${what} of the executor of tasks`);
        await new Promise<void>((resolve) => void after(pauseMs, resolve, true));
      }
    }
  }
}

function withinTime(what: string, run: () => Promise<void> | void): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`the ${what} of the executor took more than ${takeMs} ms`));
    const cancel = after(takeMs, late, true);
    Promise.resolve()
      .then(run)
      .then(resolve, reject)
      .finally(cancel)
      .catch(() => undefined);
  });
}
