/** Tasks in the form of 2025-11-25, where either end may have some, and the parts that both task dialects share. */

import { errorFromWire, McpError } from '../protocol/error.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import type { Task } from '../protocol/features/tasks.ts';
import { metaKey } from '../protocol/meta.ts';
import type { Revision } from '../protocol/revision.ts';
import type { TaskRecord } from './record.ts';

/**
 * A task without its outcome. A result with `isError` is a failed task in 2025-11-25, and a completed one in the
 * extension. (Spec 2025-11-25, Tasks, Task Status; ext-tasks, Task status.)
 */
export function taskView(record: TaskRecord, { tasks }: Revision): Task {
  const { id, statusMessage, createdAt, updatedAt, ttlMs, pollIntervalMs } = record;
  const failed = tasks === 'core' && record.outcome?.result?.['isError'] === true;
  // Spec 2025-11-25, Tasks, Task Execution Errors: a failed task has a message (SHOULD).
  const words = statusMessage ?? (failed ? 'the tool answered with an error' : undefined);
  return {
    taskId: id,
    status: failed ? 'failed' : record.status,
    ...(words === undefined ? {} : { statusMessage: words }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ...(tasks === 'core' ? { ttl: ttlMs, pollInterval: pollIntervalMs } : { ttlMs, pollIntervalMs }),
  };
}

/** `_meta` that names the task of a message. */
export function relatedTo(taskId: string): Readonly<Record<string, unknown>> {
  return { [metaKey.relatedTask]: { taskId } };
}

/**
 * The answer to `tasks/result` for a task that has ended: the answer that its request would have had.
 *
 * @param project Converts the result to the revision.
 * @throws McpError The error that it ended with; internalError for a cancelled one.
 */
export function retrieved({ id, outcome }: TaskRecord, project: (result: JsonObject) => JsonObject): JsonObject {
  if (outcome?.result !== undefined) {
    const result = project(outcome.result);
    const meta = result['_meta'] as JsonObject | undefined;
    return { ...result, _meta: { ...meta, ...relatedTo(id) } };
  }
  if (outcome?.error === undefined) throw new McpError('internalError', 'the task was cancelled');
  throw errorFromWire(outcome.error);
}

/** The same error for an unknown id, an expired one and another principal's. */
export function unknownTask(): McpError {
  return new McpError('invalidParams', 'the task does not exist');
}

/** Spec 2025-11-25, Tasks, Task Cancellation: an ended task cannot be cancelled. */
export function endedAlready(record: TaskRecord, revision: Revision): McpError {
  return new McpError('invalidParams', `the task has ended: it is ${taskView(record, revision).status}`);
}
