import { fromWire } from '../../protocol/compile/from-wire.ts';
import { McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { createTaskResultShape, getTaskResultShape, taskShape, type Task } from '../../protocol/features/tasks.ts';
import { isTask, withoutRelated } from './task-forms.ts';
import { aboutOptions, insisting, Looks, malformedTask, unlessGivenUp, type TaskOnlyCall } from './attempt.ts';

/**
 * Waits for a task of 2025-11-25. It requests the result at once, so that the task's questions reach its client through
 * that request. Meanwhile it polls the status.
 */
export async function waitInCore(attempt: TaskOnlyCall): Promise<JsonObject> {
  let release = (): void => undefined;
  const holdProgress = (next: () => void): void => void (release = next);
  try {
    return await waitedFor(attempt, attempt.options.progressToken === undefined ? undefined : holdProgress);
  } finally {
    release();
  }
}

/** @param holdProgress Takes what ends the progress of the call: its token holds until the task ends. (Spec 2025-11-25, Tasks, Progress.) */
async function waitedFor(
  attempt: TaskOnlyCall,
  holdProgress: ((release: () => void) => void) | undefined,
): Promise<JsonObject> {
  const { client, sent, options, read } = attempt;
  const held = holdProgress === undefined ? options : { ...options, task: { holdProgress } };
  const created = await client.request('tools/call', { ...sent, task: {} }, held);
  if (!isTask(created, 'core', {})) return read(created);
  const { taskId, pollInterval } = readCreated(created, attempt);
  const about = aboutOptions(attempt);
  const { onGivenUp, onLateAnswer } = options;
  const over = new AbortController();
  void lookAfter(attempt, taskId, { intervalMs: pollInterval, over: over.signal });
  try {
    const waiting = unlessGivenUp(attempt, { taskId, options: about }, async (ended) => {
      const ask = (): Promise<JsonObject> =>
        client.request('tasks/result', { taskId }, { ...about, onGivenUp, onLateAnswer });
      return await answered(attempt, taskId, { ask, ended });
    });
    return read(withoutRelated(await waiting));
  } finally {
    over.abort();
  }
}

/** Waits for the answer to a request for the result. That is the end of the call, whatever it is. */
async function answered(
  attempt: TaskOnlyCall,
  taskId: string,
  { ask, ended }: { readonly ask: () => Promise<JsonObject>; readonly ended: () => void },
): Promise<JsonObject> {
  const isAnswer = (error: unknown): boolean => error instanceof McpError && error.kind !== 'busy';
  return await insisting(attempt, { method: 'tasks/result', isAnswer }, async (isAgain) => {
    // A server that was down may have lost the task. That is no error of the call.
    if (isAgain) await standingOf(attempt, taskId, attempt.call.signal);
    try {
      const result = await ask();
      ended();
      return result;
    } catch (error) {
      if (isAnswer(error)) ended();
      throw error;
    }
  });
}

/** Polls a task. */
async function standingOf(attempt: TaskOnlyCall, taskId: string, signal: AbortSignal): Promise<JsonObject> {
  const { client } = attempt;
  return await insisting(attempt, { method: 'tasks/get', signal }, () =>
    client.request('tasks/get', { taskId }, { ...aboutOptions(attempt), signal }),
  );
}

function readCreated(result: JsonObject, { revision }: TaskOnlyCall): Task {
  try {
    return fromWire(revision, taskShape, fromWire(revision, createTaskResultShape, result).task);
  } catch (error) {
    throw malformedTask(error);
  }
}

/** Polls a task while its result is awaited, if the client wants progress. It never rejects. */
async function lookAfter(
  attempt: TaskOnlyCall,
  taskId: string,
  { intervalMs, over }: { readonly intervalMs: number | undefined; readonly over: AbortSignal },
): Promise<void> {
  const { revision, call } = attempt;
  if (call.meta['progressToken'] === undefined) return;
  const looks = new Looks(call);
  try {
    for (;;) {
      await looks.rest(intervalMs, over);
      looks.saw({ ...fromWire(revision, getTaskResultShape, await standingOf(attempt, taskId, over)) });
    }
  } catch {
    // The result has all that there is to report.
  }
}
