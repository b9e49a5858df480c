import type { JsonObject } from './features/common.ts';
import { createTaskResultShape } from './features/tasks.ts';
import type { Revision } from './revision.ts';
import type { Type } from './shape.ts';

/**
 * The type of the answer to a question: that of its method, or that of a task, where one was wanted and came. (Spec 2025-11-25, Tasks, Creating Tasks.)
 *
 * @param type Type of the method's result.
 */
export function answerType(type: Type, revision: Revision, { task: wish }: JsonObject, { task }: JsonObject): Type {
  const isTask = revision.tasks === 'core' && wish !== undefined && typeof task === 'object' && task !== null;
  return isTask ? createTaskResultShape : type;
}

/** Tells whether the result of a task has nothing in it: some servers answer so for a task that failed. */
export function isBareResult({ content, structuredContent }: JsonObject): boolean {
  return content === undefined && structuredContent === undefined;
}
