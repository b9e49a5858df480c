/** Questions that a client of 2025-11-25 is asked as tasks, and about those tasks; one that takes none has to answer as ever. */

import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { after } from '../../../../../parley/src/jsonrpc/timeout.ts';
import { hostsTasksOf } from '../../../../../parley/src/protocol/capability.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import { hasEnded } from '../../../../../parley/src/protocol/task-status.ts';
import type { Giving } from './answers.ts';
import { questionsFor } from './questions.ts';
import type { ClientProbe, Prompted, QuestionProgress } from '../client-session.ts';
import { ownTaskTimes } from '../own-task.ts';

/** Asks it. */
export async function askedAsTasks(giving: Giving): Promise<void> {
  const { clientSession, revision, put } = giving;
  const { capabilities } = clientSession;
  const questions = questionsFor(revision, capabilities).filter(({ method }) => method !== 'roots/list');
  if (revision.tasks !== 'core') return;
  const hosted = questions.find(({ method }) => hostsTasksOf(method, capabilities));
  const [plain] = questions.filter(({ method }) => !hostsTasksOf(method, capabilities));
  if (plain !== undefined) await put({ ...augmented(plain), probe: 'ignores-task' });
  if (hosted === undefined) return;
  const ids: string[] = [];
  const first = await made(hosted, ids, giving);
  if (first !== undefined) await followed(first, hosted, giving);
  if (!declares(capabilities, 'cancel')) return;
  const second = await made(hosted, ids, giving);
  if (second !== undefined) await cancelled(second, giving);
}

/** A question that is to be a task. */
function augmented({ method, params }: Prompted): Prompted {
  return { method, params: { ...params, task: { ttl: ownTaskTimes.kept } } };
}

function declares({ tasks }: JsonObject, name: 'list' | 'cancel'): boolean {
  return isObject(tasks) && tasks[name] !== undefined;
}

/** Has a task made. @returns Its id; `undefined` where none was made. */
async function made(question: Prompted, ids: string[], { put, clientSession }: Giving): Promise<string | undefined> {
  const { method, params } = augmented(question);
  const progressToken = `progress-${clientSession.progress.size}`;
  const told: QuestionProgress = { last: -Infinity, isAnswered: false };
  clientSession.progress.set(progressToken, told);
  const asked = { method, params: { ...params, _meta: { progressToken } } };
  const { result } = await put({ ...asked, probe: 'makes-task', known: { ids: [...ids] } });
  const task = isObject(result) ? result['task'] : undefined;
  const id = isObject(task) ? task['taskId'] : undefined;
  if (typeof id !== 'string') return undefined;
  ids.push(id);
  told.taskId = id;
  return id;
}

/** Follows a task to its end, and beyond. */
async function followed(
  taskId: string,
  { method }: Prompted,
  { put, clientSession: { capabilities } }: Giving,
): Promise<void> {
  const about = (asked: string, probe: ClientProbe, known: Prompted['known'] = {}, params: JsonObject = { taskId }) =>
    put({ method: asked, params, probe, known });
  // Of which task it is, the params alone say.
  const other = { taskId, _meta: { [metaKey.relatedTask]: { taskId: 'check-other' } } };
  await about('tasks/get', 'gets-task', {}, other);
  const given = await about('tasks/result', 'gives-result', { method });
  // A client that correctly waits for its user gets no further request.
  if (!('result' in given) && !('error' in given)) return;
  const { result } = await about('tasks/get', 'has-ended');
  const status = isObject(result) ? result['status'] : undefined;
  if (declares(capabilities, 'list')) {
    await about('tasks/list', 'lists-tasks', { ids: [taskId] }, {});
    await about('tasks/list', 'bad-cursor', {}, { cursor: 'check-none' });
  }
  if (declares(capabilities, 'cancel') && hasEnded({ status })) await about('tasks/cancel', 'cancels-ended');
  if (hasEnded({ status })) await about('tasks/get', 'still-ended', { status });
  await about('tasks/get', 'unknown-task', {}, { taskId: 'check-none' });
}

/** Cancels a task, and looks a moment later. */
async function cancelled(taskId: string, { put }: Giving): Promise<void> {
  const { result } = await put({ method: 'tasks/cancel', params: { taskId }, probe: 'cancels-task' });
  // An ended task is rejected, and a cancelled one may be forgotten.
  if (!isObject(result)) return;
  await new Promise<void>((resolve) => after(300, resolve));
  await put({
    method: 'tasks/get',
    params: { taskId },
    probe: 'stays-cancelled',
    known: { status: result['status'] },
  });
}
