/** Tasks as each surface shows them. */

import { toWire } from '../../protocol/compile/to-wire.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { DetailedTask } from '../../protocol/features/tasks.ts';
import { callToolResultShape } from '../../protocol/features/tools.ts';
import type { Revision } from '../../protocol/revision.ts';
import { taskView } from '../../tasks/core.ts';
import type { TaskRecord } from '../../tasks/record.ts';

/** A task with its outcome, or with its open questions. */
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

/** Tells whether two states of a task look equal to clients. */
export function looksAlike(one: TaskRecord, other: TaskRecord): boolean {
  const seen = ({ status, statusMessage, updatedAt, ttlMs, open }: TaskRecord): string =>
    JSON.stringify([status, statusMessage, updatedAt, ttlMs, Object.keys(open)]);
  return seen(one) === seen(other);
}

/** The result of a tool as a revision has it. */
export function resultOf(result: JsonObject, revision: Revision): JsonObject {
  // The stored value was checked when its tool returned it.
  return toWire(revision, callToolResultShape, result as never) as unknown as JsonObject;
}
