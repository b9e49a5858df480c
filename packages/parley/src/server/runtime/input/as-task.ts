import { runOnAbort } from '../../../jsonrpc/run-on-abort.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import { after, monotonicNow } from '../../../jsonrpc/timeout.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { quiet, type AskMethod, type TaskQuestion } from '../../../connection/client-request.ts';
import { PollInterval } from '../../../connection/poll-interval.ts';
import { hasClientCapability } from '../../../protocol/capability.ts';
import { fromWire } from '../../../protocol/compile/from-wire.ts';
import { McpError } from '../../../protocol/error.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { createTaskResultShape, getTaskResultShape, type Task } from '../../../protocol/features/tasks.ts';
import { metaKey } from '../../../protocol/meta.ts';
import type { SessionWay } from './live-requester.ts';
import { question, type QuestionOrigin } from './question.ts';
import { tooLate } from './too-late.ts';

/** Requested lifetime of the task, in milliseconds, for a question without one. */
const usualMs = 3_600_000;

/** Time limit for the request that cancels a client's task, in milliseconds. */
const cancelMs = 15_000;

/** Delay between a client's task notification and the next poll, in milliseconds. */
const wakeMs = 100;

/** Longest task id that is kept, in characters. */
const maxIdCharacters = 1024;

/** Number of consecutive polls that may fail. */
const maxFailures = 3;

/** One question that is sent as a task. */
export interface QuestionAsTask {
  readonly method: AskMethod;
  /** In wire form. */
  readonly params: JsonObject;
  readonly task: TaskQuestion;
}

/**
 * Asks a client that supports tasks for an answer as a task of the client. It creates the task, polls at the interval
 * that the client names, and fetches the result. It waits for a client that is temporarily away. It cancels a task that
 * is no longer wanted. (Spec 2025-11-25, Tasks.)
 *
 * @returns The answer in wire form. If the client answers directly, that answer.
 * @throws McpError the client's own error, or the reason why no answer came.
 */
export async function questionAsTask(
  asked: QuestionAsTask,
  origin: QuestionOrigin,
  way: SessionWay,
): Promise<JsonObject> {
  const { method, params, task } = asked;
  const { ttlMs = usualMs, held = {} } = task;
  if (held.taskId === undefined) {
    held.until = monotonicNow() + ttlMs;
    // Spec 2025-11-25, Cancellation: such a request is cancelled by `tasks/cancel`, once the task's id is known.
    const late = ({ task: created }: JsonObject): void => {
      const taskId = isObject(created) ? created['taskId'] : undefined;
      if (typeof taskId === 'string' && taskId.length <= maxIdCharacters) void quiet(cancelTask(taskId, origin, way));
    };
    const made = await question(method, { ...params, task: { ttl: Math.ceil(ttlMs) } }, origin, { ...way, late });
    const { task: created } = made;
    if (!isObject(created) || created['taskId'] === undefined) return made;
    held.taskId = named(fromWire(origin.facts, createTaskResultShape, made).task?.taskId ?? '');
  }
  const { taskId = '', until = monotonicNow() + ttlMs } = held;
  try {
    const answer = await followed({ method, taskId, until }, origin, way);
    held.taskId = undefined;
    return withoutTask(answer);
  } catch (error) {
    // A task that is still wanted stays held, so that the next caller continues with it. A cancelled task is not held.
    if (held.taskId === taskId && !(origin.signal.aborted && held.isWanted?.() === true)) {
      held.taskId = undefined;
      void quiet(cancelTask(taskId, origin, way));
    }
    throw error;
  }
}

/** Cancels a task of the client, if the client supports that. */
export async function cancelTask(taskId: string, origin: QuestionOrigin, way: SessionWay): Promise<void> {
  if (!hasClientCapability(way.client.capabilities, 'tasks.cancel')) return;
  // The stream of a finished request carries nothing.
  const isOver = origin.signal.aborted || origin.over === true;
  const { signal } = new AbortController();
  const on = { facts: origin.facts, signal, requestId: isOver ? undefined : origin.requestId };
  await question('tasks/cancel', { taskId }, on, { ...way, timeoutMs: cancelMs });
}

interface Followed {
  readonly method: AskMethod;
  readonly taskId: string;
  /** End of the wait, by the monotonic clock. */
  readonly until: number;
}

async function followed(
  { method, taskId, until }: Followed,
  origin: QuestionOrigin,
  way: SessionWay,
): Promise<JsonObject> {
  const pace = new PollInterval();
  let last: string | undefined;
  let failures = 0;
  for (;;) {
    if (origin.over === true && !origin.signal.aborted) throw tooLate(method);
    const seen = await look(taskId, origin, way);
    if (seen instanceof McpError) {
      failures = isAway(seen) ? failures : failures + 1;
      if (origin.signal.aborted || failures >= maxFailures) throw seen;
      if (seen.kind === 'invalidParams') throw unknown(method, seen);
    } else {
      failures = 0;
      if (seen.status === 'cancelled')
        throw new McpError('internalError', `the client cancelled its task of ${method}`);
      // Spec 2025-11-25, Tasks, Input Required Status: the requestor then opens `tasks/result`, too.
      if (seen.status !== 'working') break;
    }
    const left = until - monotonicNow();
    if (left <= 0) throw tooLong(method);
    const task = seen instanceof McpError ? undefined : seen;
    if (task?.lastUpdatedAt !== last) pace.changed();
    last = task?.lastUpdatedAt;
    const ms = Math.min(left, pace.next(task?.pollInterval, Math.random()));
    await pause(ms, origin.signal, (wake) => heard(taskId, wake, way));
  }
  // The request blocks until the task ends.
  const timeoutMs = Math.max(1, until - monotonicNow());
  return await question('tasks/result', { taskId }, origin, { ...way, timeoutMs });
}

/** @throws McpError for an id above the length limit. */
function named(taskId: string): string {
  const { length } = taskId;
  if (length <= maxIdCharacters) return taskId;
  throw new McpError(
    'internalError',
    `the id of the client's task has ${length} characters; at most ${maxIdCharacters} are allowed`,
  );
}

/** Polls a task once. */
async function look(taskId: string, origin: QuestionOrigin, way: SessionWay): Promise<Task | McpError> {
  try {
    const result = await question('tasks/get', { taskId }, origin, way);
    try {
      return fromWire(origin.facts, getTaskResultShape, result);
    } catch (cause) {
      return new McpError('internalError', "the client's answer to tasks/get is malformed", { cause });
    }
  } catch (error) {
    if (error instanceof McpError) return error;
    throw error;
  }
}

/** Tells whether the client may only be temporarily away. */
function isAway({ cause }: McpError): boolean {
  return cause instanceof ConnectionError && (cause.reason === 'timeout' || cause.reason === 'busy');
}

function unknown(method: string, cause: McpError): McpError {
  return new McpError('internalError', `the client knows its task of ${method} no more`, { cause });
}

function tooLong(method: string): McpError {
  return new McpError('internalError', `the client did not answer ${method} before the time of its task was over`);
}

/** Listens for notifications of the client about a task. They are optional. */
function heard(taskId: string, wake: () => void, { told }: SessionWay): () => void {
  told?.set(taskId, wake);
  return () => void told?.delete(taskId);
}

/** Waits until the time is up, the signal aborts, or shortly after it is woken. */
function pause(ms: number, signal: AbortSignal, hear: (wake: () => void) => () => void): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      unhear();
      unlistened();
      resolve();
    };
    let cancel = after(ms, done, true);
    const unhear = hear(() => {
      cancel();
      // A client that notifies all the time is not polled all the time.
      cancel = after(Math.min(ms, wakeMs), done, true);
    });
    const unlistened = runOnAbort(signal, done);
    if (signal.aborted) done();
  });
}

/** The answer as it would be to a plain question. The caller does not know of the task. */
function withoutTask(answer: JsonObject): JsonObject {
  const { _meta, ...result } = answer;
  if (!isObject(_meta)) return answer;
  const { [metaKey.relatedTask]: _, ...meta } = _meta;
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: meta };
}
