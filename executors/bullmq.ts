/** BullMQ has the work of tasks done: each is a job in Redis, which is put off while the task waits. */

import type { TaskExecutor, TaskTurn } from 'parley-mcp/server';

/** Part of a `Queue` of BullMQ that an executor needs. */
export interface BullQueue {
  add(
    name: string,
    data: object,
    options: { readonly jobId: string; readonly attempts: number; readonly backoff: object } & Readonly<
      Record<'removeOnComplete' | 'removeOnFail', boolean>
    >,
  ): Promise<unknown>;
  getJob(id: string): Promise<BullJob | undefined>;
}

/** Part of a `Job`. */
export interface BullJob {
  readonly id?: string | undefined;
  isDelayed(): Promise<boolean>;
  moveToDelayed(timestamp: number, token?: string): Promise<void>;
  promote(): Promise<void>;
  remove(): Promise<unknown>;
}

/** Tries of a run that a process refuses, or whose store is away. */
const tries = { attempts: 10, backoff: { type: 'exponential', delay: 1000 } };

/** Makes an executor of a queue. */
export function bullExecutor(queue: BullQueue): TaskExecutor {
  return {
    start: async (id) =>
      void (await queue.add('task', {}, { jobId: id, removeOnComplete: true, removeOnFail: true, ...tries })),
    wake: async (id) => {
      const job = await queue.getJob(id);
      if (job === undefined) return;
      // One that is about to be put off is not yet: the word is said again.
      if (!(await job.isDelayed())) throw new Error('the job is not put off');
      await job.promote();
    },
    cancel: async (id) => {
      const job = await queue.getJob(id);
      // One that runs ends by itself: its run is aborted.
      if (job !== undefined && (await job.isDelayed())) await job.remove();
    },
  };
}

/**
 * Makes the function of a `Worker`.
 *
 * @param run `server.tasks.run`.
 * @param PutOff `DelayedError` of BullMQ.
 */
export function bullProcessor(
  run: (id: string) => Promise<TaskTurn>,
  PutOff: new () => Error,
): (job: BullJob, token?: string) => Promise<TaskTurn> {
  return async (job, token) => {
    const turn = await run(job.id ?? '');
    if (turn !== 'asks' && turn !== 'later') return turn;
    await job.moveToDelayed(Date.now() + (turn === 'asks' ? 60_000 : 1000), token);
    throw new PutOff();
  };
}
