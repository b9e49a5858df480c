/** DBOS has the work of tasks done: each is a durable workflow, in the PostgreSQL that keeps the tasks too. */

import type { TaskExecutor, TaskTurn } from 'parley-mcp/server';

/** Part of the class `DBOS` of @dbos-inc/dbos-sdk that an executor needs. */
export interface DbosClass {
  registerWorkflow(
    run: (id: string) => Promise<TaskTurn>,
    config: { readonly name: string },
  ): (id: string) => Promise<TaskTurn>;
  startWorkflow(
    workflow: (id: string) => Promise<TaskTurn>,
    params: { readonly workflowID: string },
  ): (id: string) => Promise<unknown>;
  runStep<Result>(
    step: () => Promise<Result>,
    config: {
      readonly name: string;
      readonly retriesAllowed: boolean;
      readonly maxAttempts: number;
      readonly backoffRate: number;
    },
  ): Promise<Result>;
  send(workflowId: string, message: string, topic: string): Promise<void>;
  recv(topic: string, seconds: number): Promise<unknown>;
  sleep(ms: number): Promise<void>;
  cancelWorkflow(workflowId: string): Promise<void>;
}

/** Tries of a run that a process refuses, or whose store is away: 1, 2, 4 seconds apart, and so on. */
const tries = { retriesAllowed: true, maxAttempts: 10, backoffRate: 2 };

/**
 * Makes an executor of DBOS. Call it before `DBOS.launch()`, which takes up what a process left that died.
 *
 * @param run `server.tasks.run`.
 */
export function dbosExecutor(dbos: DbosClass, run: (id: string) => Promise<TaskTurn>): TaskExecutor {
  const work = dbos.registerWorkflow(
    async (id) => {
      for (let pauseMs = 1000; ; pauseMs = Math.min(pauseMs * 1.5, 30_000)) {
        const turn = await dbos.runStep(() => run(id), { name: 'run', ...tries });
        // A word may be lost with the process that had it: it looks once a minute all the same.
        if (turn === 'asks') await dbos.recv('wake', 60);
        else if (turn === 'later') await dbos.sleep(pauseMs);
        else return turn;
      }
    },
    { name: 'task' },
  );
  return {
    start: async (id) => void (await dbos.startWorkflow(work, { workflowID: id })(id)),
    wake: (id) => dbos.send(id, 'it was answered', 'wake'),
    cancel: (id) => dbos.cancelWorkflow(id),
  };
}
