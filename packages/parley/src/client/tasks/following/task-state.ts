import { plainNumber } from '../../../json/exact-number.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import type { InputRequests } from '../../../protocol/features/rounds.ts';
import {
  detailedTaskShape,
  taskShape,
  type GetTaskResult,
  type Task,
  type TaskError,
  type TaskStatus,
} from '../../../protocol/features/tasks.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { readResult, readResultAs } from '../../api/read-result.ts';
import type { TaskUpdate } from '../../api/task-handle.ts';

/** A task as either surface tells it. */
export interface TaskState {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number | null;
  /** Poll interval from the server, in milliseconds. */
  readonly pollMs?: number;
  readonly inputRequests?: InputRequests;
  readonly result?: JsonObject;
  readonly error?: TaskError;
}

/**
 * Reads the result that announces a task; `undefined` if it is an ordinary result, in revisions where a server may
 * answer at once.
 *
 * @throws ConnectionError `invalid-message` if it is malformed.
 */
export function createdTask(revision: Revision, result: JsonObject): TaskState | undefined {
  if (revision.tasks !== 'core')
    return taskStateOf(readResultAs(revision, detailedTaskShape, { method: 'tools/call', result }));
  const { task } = result;
  if (task === undefined) return undefined;
  // A value that is not an object is malformed, like an empty one.
  const read = { method: 'tools/call', result: isObject(task) ? task : {} };
  return taskStateOf(readResultAs(revision, taskShape, read));
}

/**
 * Reads the result of `tasks/get`.
 *
 * @throws ConnectionError `invalid-message` if it is malformed, or has the id of another task.
 */
export function toldTask(revision: Revision, taskId: string, result: JsonObject): TaskState {
  const state = taskStateOf(readResult(revision, 'tasks/get', result));
  if (state.taskId !== taskId)
    throw new ConnectionError(
      'invalid-message',
      'the result of tasks/get is about another task than the one asked for',
    );
  return state;
}

/** The state of a task, in a form that both task dialects share. */
export function taskStateOf(task: Task & Partial<GetTaskResult>): TaskState {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, inputRequests, result, error } = task;
  const ttlMs = plainNumber(task.ttlMs ?? task.ttl);
  const pollMs = plainNumber(task.pollIntervalMs ?? task.pollInterval);
  return {
    taskId,
    status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttlMs: typeof ttlMs === 'number' ? ttlMs : null,
    ...(typeof pollMs === 'number' ? { pollMs } : {}),
    ...(inputRequests === undefined ? {} : { inputRequests }),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
}

/** A task as programs see it. */
export function updateOf(state: TaskState, answered: ReadonlySet<string>): TaskUpdate {
  const { status, statusMessage, createdAt, lastUpdatedAt, ttlMs, inputRequests } = state;
  const open = Object.entries(inputRequests ?? {}).filter(([key]) => !answered.has(key));
  return {
    status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttlMs,
    ...(status === 'input_required' && open.length > 0 ? { inputRequests: Object.fromEntries(open) } : {}),
  };
}

/** Tells whether two states of a task look equal to callers. */
export function isUnchanged(one: TaskState, other: TaskState): boolean {
  return (
    one.status === other.status &&
    one.statusMessage === other.statusMessage &&
    one.ttlMs === other.ttlMs &&
    keysOf(one) === keysOf(other)
  );
}

function keysOf({ inputRequests = {} }: TaskState): string {
  return JSON.stringify(Object.keys(inputRequests));
}
