/** Temporal has the work of tasks done: each is a workflow, which runs it as an activity and waits for what its client answers. */

import type { TaskExecutor, TaskTurn } from 'parley-mcp/server';

/** Part of the `Client` of @temporalio/client that an executor needs. */
export interface TemporalClient {
  readonly workflow: {
    start(workflow: 'task', options: WorkflowStart): Promise<unknown>;
    signalWithStart(
      workflow: 'task',
      options: WorkflowStart & { readonly signal: 'wake'; readonly signalArgs: readonly [] },
    ): Promise<unknown>;
    getHandle(workflowId: string): { cancel(): Promise<unknown> };
  };
}

interface WorkflowStart {
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly args: readonly [id: string];
  /** One that runs is left as it is: a task may be told of twice. */
  readonly workflowIdConflictPolicy: 'USE_EXISTING';
}

/** Part of the `Context` of an activity. */
export interface ActivityContext {
  heartbeat(): void;
}

/**
 * Makes an executor of a client.
 *
 * @param taskQueue The queue of workers that have the tools.
 */
export function temporalExecutor({ workflow }: TemporalClient, taskQueue: string): TaskExecutor {
  const of = (id: string): WorkflowStart => ({
    workflowId: id,
    taskQueue,
    args: [id],
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  return {
    start: async (id) => void (await workflow.start('task', of(id))),
    // One that is not there any more is begun again, looks once, and ends.
    wake: async (id) => void (await workflow.signalWithStart('task', { ...of(id), signal: 'wake', signalArgs: [] })),
    cancel: async (id) => {
      try {
        await workflow.getHandle(id).cancel();
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'WorkflowNotFoundError') throw error;
      }
    },
  };
}

/**
 * Makes the activities of a `Worker`.
 *
 * @param run `server.tasks.run`.
 * @param current `Context.current` of @temporalio/activity.
 */
export function temporalActivities(
  run: (id: string) => Promise<TaskTurn>,
  current: () => ActivityContext,
): { runTask(id: string): Promise<TaskTurn> } {
  return {
    // By its heartbeats the engine knows that this process lives.
    async runTask(id) {
      const context = current();
      const beating = setInterval(() => context.heartbeat(), 1000);
      try {
        return await run(id);
      } finally {
        clearInterval(beating);
      }
    },
  };
}
