import { after } from '../jsonrpc/timeout.ts';
import type { HeldTask, Keeper } from './keeper.ts';
import { leaseEnded } from './machine.ts';

/**
 * Engine that schedules the work of tasks, in place of processes that look for it themselves: a job queue, or durable
 * workflows. It keeps no state of a task, and gets only ids. In a process that has the tools and the store it calls
 * `server.tasks.run(id)`, as often as it likes. Two runs of one task never both count, whatever the engine does.
 */
export interface TaskExecutor {
  /**
   * Takes a new task. Its client gets the task when this has resolved. It may be called again for a known task, since a
   * process may have ended, or the engine may have been down. The engine need not start such a task twice.
   *
   * @param queue Name of the queue, if several servers share a store.
   * @returns A promise if it takes time. If it rejects, or does not settle in 10 seconds, the task is refused, and
   * nothing runs.
   */
  start(id: string, queue: string): Promise<void> | void;
  /**
   * Called when a task continues for which `run` returned `'asks'`. It is tried five times. Since a process may end
   * before, an engine should also call `run` from time to time.
   */
  wake(id: string): Promise<void> | void;
  /**
   * Called when a task was cancelled, so that its job may be removed. A running run is aborted without it. It is
   * retried like `wake`.
   */
  cancel(id: string): Promise<void> | void;
}

/**
 * State of a task after an engine called `run`. `ended`, `unknown` (expired or never created) and `left` (an external
 * system ends it) need no further call. With `asks` it waits for its client: call again after `wake`. With `later`
 * another process has it, perhaps a dead one until its lease ends: call again in some seconds.
 */
export type TaskTurn = 'ended' | 'unknown' | 'left' | 'asks' | 'later';

/** Time that an engine has to take a word, in milliseconds. */
const takeMs = 10_000;

/** Number of tries of a call that no caller awaits, and the first pause between them, in milliseconds. */
const maxTries = 5;
const firstPauseMs = 100;

/**
 * Interval of checks for tasks that an engine may not know, and time until the next notice after an outage, in
 * milliseconds.
 */
const everyMs = 30_000;
const againMs = 60_000;
const maxTold = 100;

/**
 * Time after which an engine is notified again of a task that it never ran, in milliseconds: it may have lost the task.
 * It is short compared with a task's default lifetime of an hour. It is long enough that an engine with 10,000 waiting
 * tasks gets only 17 calls a second.
 */
const heardMs = 10 * 60_000;

/** Process that notifies an engine of tasks that it may not know. */
export interface Teller {
  /** Names the process to the store. */
  readonly node: string;
  now(): number;
  /** True when it begins nothing more. */
  isOver(): boolean;
}

/** Tells an engine of tasks, within bounds. */
export class Engine {
  /** Interval of checks for tasks that it may not know, in milliseconds. */
  readonly everyMs: number = everyMs;
  /** Time within which it accepts or refuses a new task, in milliseconds. */
  readonly tellsWithinMs: number = takeMs + 5000;
  readonly #executor: TaskExecutor;
  readonly #queue: string;
  readonly #onError: (error: unknown, where: string) => void;

  constructor(executor: TaskExecutor, queue: string, onError: (error: unknown, where: string) => void) {
    this.#executor = executor;
    this.#queue = queue;
    this.#onError = onError;
  }

  /** @throws An error of the engine, and an error if it takes too long. */
  start(id: string): Promise<void> {
    return withinTime('start', () => this.#executor.start(id, this.#queue));
  }

  /**
   * The engine has the task: no process notifies it again for ten minutes. If that cannot be stored, it is notified
   * again, which does no harm.
   */
  heard({ store }: Keeper, { record: { id, hand }, epoch }: HeldTask): void {
    if (hand === 'queued') void this.#trying('a task', () => store.renew([{ id, epoch }], heardMs));
  }

  /**
   * Notifies the engine of due tasks: it may not know them, since a process ended at the wrong moment, or it was down.
   * Runs of dead processes are free then.
   */
  async tellDue(keeper: Keeper, { node, now, isOver }: Teller): Promise<void> {
    for (let found = maxTold; found === maxTold && !isOver();) {
      const due = await keeper.claim(node, againMs, maxTold);
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
    // A task that waits for its client, or has ended, does not run.
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
        if (tries === maxTries) return this.#onError(error, `the ${what} of the executor of tasks`);
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
