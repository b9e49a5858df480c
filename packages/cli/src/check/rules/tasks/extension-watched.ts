import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import type { HeardMessage, WatchRule } from '../../rule.ts';
import { inExtension } from './common.ts';

/** Rules that look at what is said of tasks of the extension. */

const taskMethods = ['tasks/get', 'tasks/update', 'tasks/cancel'];

/** Makes a rule about each result of some methods; `false` is said of one that says nothing of it. */
function aboutResults(
  rule: Omit<WatchRule, 'watch' | 'lives'>,
  isAbout: (method: string) => boolean,
  fault: (result: JsonObject, heard: HeardMessage) => string | undefined | false,
): WatchRule {
  return {
    ...rule,
    lives: inExtension,
    watch(heard) {
      const { message, request } = heard;
      const { result } = message;
      const method = request?.['method'];
      if (!isObject(result) || typeof method !== 'string' || !isAbout(method)) return 'not-seen';
      const found = fault(result, heard);
      if (found === false) return 'not-seen';
      return found === undefined ? 'holds' : { breaks: found, where: method };
    },
  };
}

const isGet = (method: string): boolean => method === 'tasks/get';

/** A rule about tasks of one status. */
function ofStatus(
  [id, status]: readonly [string, string],
  [words, fix]: readonly [string, string],
  fault: (task: JsonObject) => string | undefined,
): WatchRule {
  return aboutResults({ id, fields: partsOf[status] ?? [], message: words, fix }, isGet, (task) =>
    task['status'] === status ? fault(task) : false,
  );
}

/** Parts of a task of a status that rules name. */
const partsOf: Readonly<Record<string, readonly string[]>> = { failed: ['error'], input_required: ['inputRequests'] };

/** Part that a task of a status has, where only some have it. */
const partOf: Readonly<Record<string, string>> = { completed: 'result' };

/** Rules that look at tasks of the extension. */
export const watchedTaskRules: readonly WatchRule[] = [
  aboutResults(
    {
      id: 'tasks-056',
      fields: ['resultType', 'content'],
      message: 'A result that is a task has the resultType task',
      fix: 'send "resultType": "task"',
    },
    (method) => method === 'tools/call',
    ({ resultType, taskId, status, createdAt }) => {
      const isTask = typeof taskId === 'string' && typeof status === 'string' && typeof createdAt === 'string';
      if (!isTask && resultType !== 'task') return false;
      return resultType === 'task' ? undefined : `its resultType is ${JSON.stringify(resultType) ?? 'missing'}`;
    },
  ),
  aboutResults(
    {
      id: 'tasks-057',
      message: 'Only the result of a call has the resultType task',
      fix: 'answer other requests with the resultType complete',
    },
    (method) => method !== 'tools/call' && !taskMethods.includes(method),
    ({ resultType }) => (resultType === 'task' ? 'it has it' : undefined),
  ),
  ofStatus(
    ['tasks-058', 'failed'],
    [
      'A task has the status failed only after a JSON-RPC error',
      'complete the task with its result, and isError in it',
    ],
    ({ result, error }) => (isObject(result) && error === undefined ? 'it has a result' : undefined),
  ),
  ofStatus(
    ['tasks-088', 'failed'],
    ['A task that failed has the error', 'send error with its code and message'],
    ({ error, result }) =>
      isObject(error) || isObject(result) ? undefined : `error is ${JSON.stringify(error) ?? 'missing'}`,
  ),
  ofStatus(
    ['tasks-087', 'failed'],
    ['A task that failed says why in its statusMessage', 'send a statusMessage'],
    ({ statusMessage }) => (typeof statusMessage === 'string' ? undefined : 'it has none'),
  ),
  aboutResults(
    {
      id: 'tasks-065',
      fields: ['result'],
      message: 'tasks/get has a result only if the task is completed',
      fix: 'send result with the status completed alone',
    },
    isGet,
    ({ status, ...task }) => {
      // What a task that failed has, other rules say.
      if (typeof status !== 'string' || status === 'failed') return false;
      const wanted = partOf[status];
      if (wanted !== undefined && !isObject(task[wanted])) return `it is ${status}, and has no ${wanted}`;
      return wanted === undefined && task['result'] !== undefined ? `it is ${status}, and has a result` : undefined;
    },
  ),
  ofStatus(
    ['tasks-066', 'input_required'],
    ['tasks/get has all input requests of the task', 'send inputRequests with the status input_required'],
    ({ inputRequests }) =>
      isObject(inputRequests) && Object.keys(inputRequests).length > 0
        ? undefined
        : `inputRequests is ${JSON.stringify(inputRequests) ?? 'missing'}`,
  ),
  aboutResults(
    {
      id: 'tasks-067',
      message: 'Results of tasks/get, tasks/update and tasks/cancel have the resultType complete',
      fix: 'send "resultType": "complete"',
    },
    (method) => taskMethods.includes(method),
    // That there must be one, another rule says.
    ({ resultType }) =>
      resultType === undefined ? false : resultType === 'complete' ? undefined : `it is ${JSON.stringify(resultType)}`,
  ),
  aboutResults(
    {
      id: 'tasks-093',
      message: 'The former capability of tasks is not declared',
      fix: 'declare the extension alone',
    },
    (method) => method === 'server/discover',
    ({ capabilities }) =>
      isObject(capabilities) && capabilities['tasks'] !== undefined ? 'capabilities.tasks is there' : undefined,
  ),
];
