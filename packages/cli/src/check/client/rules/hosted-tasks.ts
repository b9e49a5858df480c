/** Rules about clients that answer as tasks, or say that they do not. */

import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { methodOf } from '../../../../../parley/src/protocol/catalogue.ts';
import { check } from '../../../../../parley/src/protocol/compile/check.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import { hasEnded } from '../../../../../parley/src/protocol/task-status.ts';
import { inQuotes, sameAs, unlessKept, type ClientLook, type ClientRule, type HeardOfClient } from '../client-rule.ts';
import { paramsOf, type ClientProbe, type Prompted } from '../client-session.ts';

/** An answer to something that was asked for the sake of a statement. */
interface Answer {
  readonly put: Prompted;
  /** Its result; `undefined` where it is an error. */
  readonly result: JsonObject | undefined;
  /** The task in it: next to the result of a call, or the whole result. */
  readonly task: JsonObject | undefined;
  /** The code of its error; `undefined` where it has none. */
  readonly code: unknown;
}

/** The answer to one of some probes. */
export function probeAnswer({ message, put }: HeardOfClient, probes: readonly ClientProbe[]): Answer | undefined {
  if (put?.probe === undefined || !probes.includes(put.probe)) return undefined;
  const { result, error } = message;
  const given = isObject(result) ? result : undefined;
  const nested = given?.['task'];
  const task = put.method.startsWith('tasks/') ? given : isObject(nested) ? nested : undefined;
  return { put, result: given, task, code: isObject(error) ? error['code'] : undefined };
}

/** A rule about the answers to some probes. */
export function about(
  id: string,
  probes: readonly ClientProbe[],
  [words, fix]: readonly [words: string, fix: string],
  judge: (answer: Answer, heard: HeardOfClient) => ClientLook,
): ClientRule {
  return {
    id,
    message: words,
    fix,
    watch(heard) {
      const answer = probeAnswer(heard, probes);
      return answer === undefined ? 'not-seen' : judge(answer, heard);
    },
  };
}

/** The problem of a result that should be that of a plain question. */
function problemOf({ revision }: HeardOfClient, method: string, result: JsonObject): string | undefined {
  const shape = methodOf(method)?.result;
  const [problem] = shape === undefined ? [] : check(revision, shape, result);
  return problem === undefined ? undefined : `${problem.path} ${problem.message}`.trim();
}

const undeclared = about(
  'tasks-001',
  ['ignores-task'],
  [
    'A client that answers with tasks declares that for each request type',
    'declare tasks.requests.<type>, or answer as ever',
  ],
  ({ task }) => (task === undefined ? 'not-seen' : { breaks: 'it answered with a task, and declared none' }),
);

const ignores = about(
  'tasks-009',
  ['ignores-task'],
  [
    'A client without tasks for a request answers it directly, whatever params.task is',
    'leave params.task unread where tasks.requests.<type> is not declared',
  ],
  ({ put, result, task, code }, heard) => {
    // A client that rejects the plain question too proves nothing.
    if (task !== undefined || !heard.clientSession.done.has(`answers ${put.method}`)) return 'not-seen';
    if (result === undefined)
      return { breaks: `${put.method} was answered before, and with params.task by ${inQuotes(code)}` };
    const problem = problemOf(heard, put.method, result);
    return unlessKept(problem === undefined, `the answer to ${put.method}: ${problem}`);
  },
);

const makes = about(
  'tasks-014',
  ['makes-task'],
  ['A request that becomes a task returns the task', 'answer with {"task": {…}}'],
  ({ result, task }) =>
    result === undefined ? 'not-seen' : unlessKept(task !== undefined, `the result is ${inQuotes(result)}`),
);

const ids: ClientRule = {
  id: 'tasks-010',
  message: 'The id of a task is a unique string from the receiver',
  fix: 'make ids where tasks are made: send no taskId with params.task, and answer each with one of its own',
  watch(heard) {
    const { task: wished } = paramsOf(heard.message);
    if (isObject(wished) && heard.message['method'] !== undefined)
      return unlessKept(wished['taskId'] === undefined, `params.task has the taskId ${inQuotes(wished['taskId'])}`);
    const { task, put } = probeAnswer(heard, ['makes-task']) ?? {};
    if (task === undefined) return 'not-seen';
    const { taskId } = task;
    if (typeof taskId !== 'string') return { breaks: `taskId is ${inQuotes(taskId)}` };
    return unlessKept(put?.known?.ids?.includes(taskId) !== true, `${inQuotes(taskId)} is the id of another task`);
  },
};

const begins = about(
  'tasks-011',
  ['makes-task'],
  ['A task begins as working', 'answer with the status working'],
  ({ task }) =>
    task === undefined
      ? 'not-seen'
      : unlessKept(task['status'] === 'working', `it began as ${inQuotes(task['status'])}`),
);

/** Answers that describe a task. */
const views: readonly ClientProbe[] = [
  'makes-task',
  'gets-task',
  'has-ended',
  'still-ended',
  'cancels-task',
  'stays-cancelled',
];

const isDate = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value));

const times = about(
  'tasks-023',
  views,
  ['A task has createdAt and lastUpdatedAt in ISO 8601', 'send createdAt and lastUpdatedAt'],
  ({ task }) => {
    const wrong = task && ['createdAt', 'lastUpdatedAt'].find((name) => !isDate(task[name]));
    return task === undefined
      ? 'not-seen'
      : unlessKept(wrong === undefined, `${wrong} is ${inQuotes(task[wrong ?? ''])}`);
  },
);

const lifespan = about(
  'tasks-024',
  ['gets-task', 'has-ended', 'still-ended', 'stays-cancelled'],
  ['tasks/get returns the ttl of the task', 'send ttl: milliseconds, or null for no limit'],
  ({ result }) => {
    if (result === undefined) return 'not-seen';
    const { ttl } = result;
    return unlessKept(ttl === null || typeof ttl === 'number', `ttl is ${inQuotes(ttl)}`);
  },
);

const byParams = about(
  'tasks-026',
  ['gets-task'],
  ['A request takes its task only from its params', 'look for params.taskId, and leave related-task unread'],
  ({ put, result, code }) => {
    if (result === undefined)
      return { breaks: `it was refused with ${inQuotes(code)}, and related-task named another` };
    return unlessKept(result['taskId'] === put.params['taskId'], `it is of ${inQuotes(result['taskId'])}`);
  },
);

const exact = about(
  'tasks-020',
  ['gives-result'],
  ['tasks/result returns the result of the plain request', 'answer tasks/result with the result itself'],
  ({ put, result }, heard) => {
    if (result === undefined) return 'not-seen';
    const method = put.known?.method ?? '';
    const problem = problemOf(heard, method, result);
    return unlessKept(problem === undefined, `the result of ${method}: ${problem}`);
  },
);

const waits = about(
  'tasks-021',
  ['has-ended'],
  ['tasks/result is answered when the task has ended', 'wait in tasks/result for the end of the task'],
  ({ result }) =>
    result === undefined
      ? 'not-seen'
      : unlessKept(hasEnded(result), `it was answered, and the task is ${inQuotes(result['status'])}`),
);

const resultSays = about(
  'tasks-022',
  ['gives-result'],
  [
    'The result of a task names its task',
    'send {"io.modelcontextprotocol/related-task": {"taskId": …}} in _meta of the answer to tasks/result',
  ],
  ({ put, result }) => {
    if (result === undefined) return 'not-seen';
    const { _meta: meta } = result;
    const said = isObject(meta) ? meta[metaKey.relatedTask] : undefined;
    return unlessKept(isObject(said) && said['taskId'] === put.params['taskId'], `it is of ${inQuotes(said)}`);
  },
);

const final = about(
  'tasks-013',
  ['still-ended'],
  ['The status of an ended task never changes', 'keep the status of a task that is completed, failed or cancelled'],
  ({ put, result }) =>
    result === undefined
      ? 'not-seen'
      : unlessKept(
          result['status'] === put.known?.status,
          `it was ${inQuotes(put.known?.status)}, and is ${inQuotes(result['status'])}`,
        ),
);

const listed = about(
  'tasks-035',
  ['lists-tasks'],
  ['tasks/list has each task that tasks/get finds', 'list all tasks that tasks/get finds'],
  ({ put, result }) => {
    const tasks = result?.['tasks'];
    // It may stand on another page.
    if (!Array.isArray(tasks) || result?.['nextCursor'] !== undefined) return 'not-seen';
    const known: readonly unknown[] = tasks.map((task: unknown) => (isObject(task) ? task['taskId'] : undefined));
    const missing = put.known?.ids?.find((id) => !known.includes(id));
    return unlessKept(missing === undefined, `${inQuotes(missing)} is not in it`);
  },
);

const refusesEnded = about(
  'tasks-036',
  ['cancels-ended'],
  ['Cancelling an ended task gets -32602', 'answer tasks/cancel with -32602 where the task has ended'],
  ({ code }) => unlessKept(code === -32_602, `the answer is ${code === undefined ? 'a result' : inQuotes(code)}`),
);

const cancels = about(
  'tasks-038',
  ['cancels-task'],
  ['A task is cancelled before tasks/cancel is answered', 'answer with the task, whose status is cancelled'],
  ({ result }) =>
    result === undefined
      ? 'not-seen'
      : unlessKept(result['status'] === 'cancelled', `it is ${inQuotes(result['status'])}`),
);

const stays = about(
  'tasks-039',
  ['stays-cancelled'],
  ['A cancelled task stays cancelled', 'throw away what a run gives that was cancelled'],
  ({ put, result }) =>
    result === undefined || put.known?.status !== 'cancelled'
      ? 'not-seen'
      : unlessKept(result['status'] === 'cancelled', `it is ${inQuotes(result['status'])} a moment later`),
);

const unknown = about(
  'tasks-041',
  ['unknown-task', 'bad-cursor'],
  ['Unknown ids and cursors are refused with -32602', 'answer with -32602'],
  ({ put, code }) =>
    unlessKept(code === -32_602, `${put.method} was answered with ${code === undefined ? 'a result' : inQuotes(code)}`),
);

const failed = about(
  'tasks-042',
  views,
  ['A failed task has a statusMessage', 'send statusMessage with the status failed'],
  ({ task }) =>
    task?.['status'] === 'failed'
      ? unlessKept(typeof task['statusMessage'] === 'string', 'statusMessage is missing')
      : 'not-seen',
);

/** Rules about tasks of clients. */
export const hostedTaskRules: readonly ClientRule[] = [
  undeclared,
  ignores,
  ids,
  begins,
  sameAs(final, 'tasks-012', 'A task makes only allowed status changes'),
  final,
  makes,
  exact,
  waits,
  resultSays,
  times,
  lifespan,
  byParams,
  listed,
  refusesEnded,
  cancels,
  stays,
  unknown,
  failed,
];
