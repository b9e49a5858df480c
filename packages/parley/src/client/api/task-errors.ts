import type { InputRequests } from '../../protocol/features/rounds.ts';
import type { TaskReference } from './task-handle.ts';

/** A task was cancelled: by this client, by another one that knows it, or by the server. */
export class TaskCancelledError extends Error {
  /** The cancelled task. */
  readonly task: TaskReference;

  constructor(task: TaskReference, words: string | undefined) {
    super(
      `the task of tool ${shown(task.tool)} was cancelled${words === undefined ? '' : `: ${words.slice(0, 1000)}`}`,
    );
    this.name = 'TaskCancelledError';
    this.task = task;
  }
}

/** A task has no outcome any more: the server does not know it, or was not reached until it expired. */
export class TaskGoneError extends Error {
  /** The task that the server no longer knows. */
  readonly task: TaskReference;
  /** Reason: the server does not know the task, or it sent nothing until the task expired. */
  readonly reason: 'unknown' | 'expired';

  constructor(task: TaskReference, reason: 'unknown' | 'expired', cause: unknown) {
    const why =
      reason === 'unknown'
        ? 'is not known to the server: it expired, was removed, or belongs to another client'
        : 'could not be followed until it expired';
    super(`the task of tool ${shown(task.tool)} ${why}`, { cause });
    this.name = 'TaskGoneError';
    this.task = task;
    this.reason = reason;
  }
}

/**
 * A task wants input that no handler here gives. The task continues: `client.task` returns a handle for it, whose
 * `answer` sends the input.
 */
export class TaskInputRequiredError extends Error {
  /** The task that needs input. */
  readonly task: TaskReference;
  /** The requests to answer, by key. */
  readonly inputRequests: InputRequests;

  constructor(task: TaskReference, inputRequests: InputRequests, why: string) {
    super(`the task of tool ${shown(task.tool)} needs input: ${why}`);
    this.name = 'TaskInputRequiredError';
    this.task = task;
    this.inputRequests = inputRequests;
  }
}

function shown(tool: string): string {
  return JSON.stringify(tool.slice(0, 128));
}
