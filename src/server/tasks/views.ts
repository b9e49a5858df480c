/** Tasks as each surface shows them. */

import { toWire } from '../../protocol/compile/to-wire.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { DetailedTask, Task } from '../../protocol/features/tasks.ts';
import { callToolResultShape } from '../../protocol/features/tools.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { TaskRecord } from '../../tasks/record.ts';

/**
 * A task without its outcome. A result that says `isError` is a failed task in 2025-11-25, and a completed one in the extension.
 * (Spec 2025-11-25, Tasks, Task Status; ext-tasks, Task status.)
 */
export function taskView(record: TaskRecord, { tasks }: Revision): Task {
  const { id, statusMessage, createdAt, updatedAt, ttlMs, pollIntervalMs } = record;
  const failed = tasks === 'core' && record.outcome?.result?.['isError'] === true;
  // Spec 2025-11-25, Tasks, Task Execution Errors: a failed task says something (SHOULD).
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

/** A task with its outcome, or with what it waits for. */
export function detailedTask(record: TaskRecord, revision: Revision): DetailedTask {
  const { status, outcome, open } = record;
  const questions = Object.entries(open).map(([key, { method, params }]) => [key, { method, params }] as const);
  return {
    ...taskView(record, revision),
    ...(status === 'input_required' ? { inputRequests: Object.fromEntries(questions) as never } : {}),
    ...(outcome?.result === undefined ? {} : { result: { ...resultOf(outcome.result, revision) } }),
    ...(outcome?.error === undefined ? {} : { error: outcome.error }),
  };
}

/** Tells whether nobody sees a difference between two states of a task. */
export function looksAlike(one: TaskRecord, other: TaskRecord): boolean {
  const seen = ({ status, statusMessage, updatedAt, ttlMs, open }: TaskRecord): string =>
    JSON.stringify([status, statusMessage, updatedAt, ttlMs, Object.keys(open)]);
  return seen(one) === seen(other);
}

/** The result of a tool as a revision has it. */
export function resultOf(result: JsonObject, revision: Revision): JsonObject {
  // What was kept is what its tool returned, and was checked then.
  return toWire(revision, callToolResultShape, result as never) as unknown as JsonObject;
}
