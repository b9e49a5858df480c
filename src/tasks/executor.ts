import { after } from '../jsonrpc/timeout.ts';

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
export const takeMs = 10_000;

/** Times that a word is tried which nobody waits for, and the first pause between, in milliseconds. */
const mostTries = 5;
const firstPauseMs = 100;

/** Tells an engine of tasks, within bounds. */
export class Engine {
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
