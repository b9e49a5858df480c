import type { RequestOptions } from '../../client/api/request-options.ts';
import { invalidState, tooOld } from '../../server/runtime/input/refused-state.ts';
import { bindingOf } from '../../server/runtime/input/request-state.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import { errorFromWire, McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { getTaskResultShape, taskShape, type GetTaskResult } from '../../protocol/features/tasks.ts';
import { hasEnded } from '../../protocol/task-status.ts';
import { waitedState } from './task-forms.ts';
import { takingTasks } from './forms.ts';
import {
  aboutOptions,
  insisting,
  Looks,
  malformedTask,
  objectOf,
  unlessGivenUp,
  type TaskOnlyCall,
} from './attempt.ts';

/** A task that is waited for. */
interface Waited {
  readonly taskId: string;
  /** Names of the questions that the client was given. */
  readonly asked: readonly string[];
  /** Names of those that it answered; no name comes twice. (Spec ext-tasks, Input requests.) */
  readonly answered: readonly string[];
  /** True if its state has expired: nothing is answered, and only an outcome that the server keeps is given. */
  readonly isOld?: boolean;
}

/** The longest state that was sealed here, in characters: the names of a few hundred questions. */
const maxStateLength = 64 * 1024;

/** Waits for a task of the extension by looking at it again and again. */
export async function waitInExtension(attempt: TaskOnlyCall): Promise<JsonObject> {
  const { client, revision, sent, options, read } = attempt;
  const resultTypes = options.resultTypes === 'any' ? 'any' : ['task'];
  const created = await client.request('tools/call', sent, { ...taking(options), resultTypes });
  if (created['resultType'] !== 'task') return read(created);
  const { taskId, pollIntervalMs } = readAs(() => fromWire(revision, taskShape, created));
  return await followed(attempt, { taskId, asked: [], answered: [] }, pollIntervalMs);
}

/**
 * Continues the wait for a task whose client was asked.
 *
 * @param state The task's state from its request.
 * @throws McpError invalidParams for a state that was not made here for this request and this principal, or that is too
 * old while its task has not ended.
 */
export async function goOnWaiting(attempt: TaskOnlyCall, state: string, responses: unknown): Promise<JsonObject> {
  const { client } = attempt;
  const waited = await opened(attempt, state);
  const asked = waited.isOld === true ? [] : waited.asked;
  const given = Object.entries(isObject(responses) ? responses : {}).filter(([key]) => asked.includes(key));
  const keys = given.map(([key]) => key);
  const { taskId } = waited;
  if (keys.length > 0) {
    const update = { taskId, inputResponses: Object.fromEntries(given) };
    // The server ignores answers that it already has, so this may be repeated. (Spec ext-tasks, Input requests.)
    await insisting(attempt, { method: 'tasks/update' }, () =>
      client.request('tasks/update', update, taking(aboutOptions(attempt))),
    );
  }
  // The client has just come back with answers, so that the server has something to tell soon.
  return await followed(attempt, { ...waited, answered: [...waited.answered, ...keys] }, 0);
}

async function followed(attempt: TaskOnlyCall, waited: Waited, firstMs: number | undefined): Promise<JsonObject> {
  const { client, revision, call, read } = attempt;
  const about = taking(aboutOptions(attempt));
  const { taskId, answered } = waited;
  const look = (): Promise<JsonObject> => client.request('tasks/get', { taskId }, { ...about, resultTypes: ['task'] });
  const looks = new Looks(call);
  let intervalMs = firstMs;
  return await unlessGivenUp(attempt, { taskId, options: about }, async (end) => {
    for (;;) {
      await looks.rest(intervalMs, call.signal);
      const got = await insisting(attempt, { method: 'tasks/get' }, look);
      const task = readAs(() => fromWire(revision, getTaskResultShape, got));
      intervalMs = task.pollIntervalMs;
      looks.saw({ ...task });
      if (hasEnded(task)) {
        end();
        return read(outcomeOf(task));
      }
      if (waited.isOld === true) {
        // The task continues: a delivery that came in time may wait for it.
        end();
        throw tooOld();
      }
      const open = Object.entries(task.inputRequests ?? {}).filter(([key]) => !answered.includes(key));
      if (task.status === 'input_required' && open.length > 0) return await asking(attempt, waited, open);
    }
  });
}

/** @throws McpError that the call failed with. */
function outcomeOf({ status, result, error }: GetTaskResult): JsonObject {
  if (status === 'completed') return objectOf(result, 'its result');
  if (status === 'cancelled') throw new McpError('internalError', 'the upstream server cancelled the task of the call');
  if (error === undefined)
    throw new McpError('internalError', 'the upstream server sent a failed task without its error');
  throw errorFromWire(error);
}

/** The result that asks the call's client the task's questions. */
async function asking(
  { params, call, waiting, read }: TaskOnlyCall,
  { taskId, answered }: Waited,
  open: readonly (readonly [string, unknown])[],
): Promise<JsonObject> {
  const { seal, ttlMs, now } = waiting;
  const asked = open.map(([key]) => key);
  const state = JSON.stringify({ taskId, asked, answered, expires: now() + ttlMs });
  const requestState = `${waitedState}${await seal.seal(state, boundTo(params, call))}`;
  return read({ resultType: 'input_required', inputRequests: Object.fromEntries(open), requestState });
}

async function opened({ params, call, waiting }: TaskOnlyCall, state: string): Promise<Waited> {
  const { seal, now } = waiting;
  const sealed = state.slice(waitedState.length);
  const text = state.length > maxStateLength ? undefined : await seal.open(sealed, boundTo(params, call));
  // Only text that was sealed here gets this far: it has the shape that it was written with.
  const waited = text === undefined ? undefined : (JSON.parse(text) as Waited & { readonly expires: number });
  if (waited === undefined) throw invalidState();
  return { ...waited, isOld: waited.expires < now() };
}

function boundTo(params: JsonObject, { method, auth }: TaskOnlyCall['call']): string {
  return `waited ${bindingOf(method, params, auth?.principal)}`;
}

/** The options, with the tasks extension declared to the server on behalf of the client. */
function taking(options: RequestOptions): RequestOptions {
  return { ...options, capabilities: takingTasks(options.capabilities) };
}

function readAs<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw malformedTask(error);
  }
}
