/** Tasks of the checking server, in both dialects: calls that become tasks, and requests about them. */

import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { after } from '../../../../../parley/src/jsonrpc/timeout.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { tasksExtension } from '../../../../../parley/src/protocol/features/tasks.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import type { GivenAnswer, Giving } from './answers.ts';
import { questionsFor } from './questions.ts';
import { taskSupport } from './tools.ts';
import { keptId, metaOf, paramsOf, saidText, type ClientSession } from '../client-session.ts';
import { OwnTask, ownTaskTimes } from '../own-task.ts';

/** Limit of the tasks of one conversation. */
const maxTasks = 200;

/** Tells whether a client says that it takes tasks, in the extension. */
export function clientTakesTasks({ capabilities: { extensions } }: Pick<ClientSession, 'capabilities'>): boolean {
  return isObject(extensions) && isObject(extensions[tasksExtension]);
}

/** Extension of tasks, where the revision has them as one. */
export function offeredTaskExtension({ tasks }: Revision): JsonObject {
  return tasks === 'extension' ? { [tasksExtension]: {} } : {};
}

/** Capabilities that `initialize` declares of tasks. */
export function offeredTasks({
  revision: { tasks },
  clientSession,
}: Pick<Giving, 'revision' | 'clientSession'>): JsonObject {
  if (tasks !== 'core' || !clientSession.offersTasks) return {};
  // Over HTTP, a client could find the id of another client's task in a list. (Spec 2025-11-25, Tasks, Task Isolation
  // and Access Control.)
  const list = clientSession.over === 'stdio' ? { list: {} } : {};
  return { tasks: { ...list, cancel: {}, requests: { tools: { call: {} } } } };
}

/** Makes a task of a call; `undefined` where it stays a call. */
export function madeTask(message: JsonObject, { clientSession, revision }: Giving): GivenAnswer | undefined {
  const { name, task } = paramsOf(message);
  const support = taskSupport(saidText(name));
  if (support === undefined || clientSession.tasks.size >= maxTasks) return undefined;
  const isCore = revision.tasks === 'core' && clientSession.offersTasks;
  if (isCore && task === undefined && support === 'required')
    return refused(-32_601, `${saidText(name)} runs as a task alone: send params.task`);
  const isAsked = isCore ? isObject(task) : revision.tasks === 'extension' && clientTakesTasks(clientSession);
  if (!isAsked) return undefined;
  const { progressToken } = metaOf(message);
  const wished = isObject(task) ? task['ttl'] : undefined;
  const [question] = questionsFor(revision, clientSession.capabilities);
  const made = new OwnTask({
    tool: saidText(name),
    callId: keptId(message['id']),
    progressToken: keptId(progressToken) === progressToken ? progressToken : undefined,
    question,
    ttl: typeof wished === 'number' && wished > 0 ? Math.min(wished, ownTaskTimes.kept) : ownTaskTimes.kept,
  });
  clientSession.tasks.set(made.id, made);
  return {
    result: isCore ? { task: made.view('core') } : { resultType: 'task', ...made.view('extension') },
  };
}

/** Answers a request about tasks; `undefined` if it is not a task method here. */
export async function taskAnswer(message: JsonObject, giving: Giving): Promise<GivenAnswer | undefined> {
  const { clientSession, revision } = giving;
  const isCore = revision.tasks === 'core' && clientSession.offersTasks;
  if (!isCore && revision.tasks !== 'extension') return undefined;
  const { method } = message;
  if (method === 'tasks/list' && isCore && clientSession.over === 'stdio')
    return { result: { tasks: [...clientSession.tasks.values()].map((task) => task.view('core')) } };
  const answers = isCore ? coreAnswers : extensionAnswers;
  const name = saidText(method);
  const answer = Object.hasOwn(answers, name) ? answers[name] : undefined;
  if (answer === undefined) return undefined;
  if (!isCore && !clientTakesTasks(clientSession))
    return refused(-32_021, 'tasks are an extension that this request does not declare', {
      requiredCapabilities: { extensions: { [tasksExtension]: {} } },
    });
  const { taskId } = paramsOf(message);
  const task = clientSession.tasks.get(saidText(taskId));
  if (task === undefined) return refused(-32_602, `there is no task ${JSON.stringify(taskId)}`);
  return await answer(task, giving, message);
}

type Answer = (task: OwnTask, giving: Giving, message: JsonObject) => GivenAnswer | Promise<GivenAnswer>;

const coreAnswers: Readonly<Record<string, Answer>> = {
  'tasks/get'(task) {
    const { status } = task;
    if (!task.hasEnded) task.polls++;
    if (status === 'input_required') task.inputTold++;
    return { result: task.view('core') };
  },
  async 'tasks/result'(task, { put, clientSession }) {
    task.results++;
    while (!task.hasEnded) {
      const { question } = task.made;
      if (task.status === 'input_required' && question !== undefined)
        task.asking ??= put({ method: question.method, params: { ...question.params, ...related(task) } }).then(() =>
          task.answered(),
        );
      await new Promise<void>((resolve) => after(25, resolve));
    }
    if (task.isCancelled) return refused(-32_603, 'the task was cancelled');
    clientSession.done.add(`answered ${task.made.tool}`);
    return { result: { ...outcome(task), ...related(task) } };
  },
  'tasks/cancel'(task, { clientSession }) {
    if (task.hasEnded) return refused(-32_602, `the task is ${task.status}, and cannot be cancelled`);
    task.cancel();
    clientSession.done.add(`gave up ${task.made.tool}`);
    return { result: task.view('core') };
  },
};

const extensionAnswers: Readonly<Record<string, Answer>> = {
  'tasks/get'(task, { clientSession }) {
    const { question } = task.made;
    // An answered question may be repeated once: an answer need not have an effect at once. (ext-tasks, Task Update
    // Requests.)
    const isRepeated = task.updates > 0 && task.repeats === 0 && !task.isCancelled;
    const status = isRepeated ? 'input_required' : task.status;
    if (!task.hasEnded) task.polls++;
    if (isRepeated) task.repeats++;
    if (status === 'input_required' && question !== undefined) {
      task.inputTold++;
      return { result: { ...task.view('extension', status), inputRequests: { [task.key]: question } } };
    }
    if (status === 'completed') clientSession.done.add(`answered ${task.made.tool}`);
    return {
      result: {
        ...task.view('extension', status),
        ...(status === 'completed' && { result: outcome(task, { resultType: 'complete' }) }),
      },
    };
  },
  'tasks/update'(task, _, message) {
    const { inputResponses } = paramsOf(message);
    if (isObject(inputResponses) && Object.hasOwn(inputResponses, task.key) && task.inputTold > 0) {
      task.updates++;
      task.answered();
    }
    return { result: {} };
  },
  'tasks/cancel'(task, { clientSession }) {
    clientSession.done.add(`gave up ${task.made.tool}`);
    task.cancel();
    return { result: {} };
  },
};

/** The result of the call. @param more Fields that one surface adds. */
function outcome({ made: { tool } }: OwnTask, more: JsonObject = {}): JsonObject {
  return { content: [{ type: 'text', text: `${tool} has ended` }], ...more };
}

/** Words that say of which task a message is, in the core. */
function related({ id }: OwnTask): { readonly _meta: JsonObject } {
  return { _meta: { [metaKey.relatedTask]: { taskId: id } } };
}

function refused(code: number, message: string, data?: JsonObject): GivenAnswer {
  return { error: { code, message, ...(data && { data }) } };
}
