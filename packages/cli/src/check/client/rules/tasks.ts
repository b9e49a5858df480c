/** Rules about clients that have tasks made, on both surfaces. */

import { isObject, isResponse } from '../../../../../parley/src/jsonrpc/message.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import { taskSupport } from '../catalogue/tools.ts';
import { inQuotes, sameAs, unlessKept, type ClientRule, type HeardOfClient } from '../client-rule.ts';
import { idText, isAsking, metaOf, paramsOf, saidText } from '../client-session.ts';
import { ownTaskTimes, type OwnTask } from '../own-task.ts';

const inExtension = ({ tasks }: Revision): boolean => tasks === 'extension';

/** Tells whether a request asks for a task. */
const isAugmented = ({ message }: HeardOfClient): boolean => isAsking(message) && isObject(paramsOf(message)['task']);

const isCall = ({ message }: HeardOfClient): boolean => isAsking(message) && message['method'] === 'tools/call';

/** The task of a request; `undefined` if it is not one of ours. */
function taskOf({ message, clientSession }: HeardOfClient): OwnTask | undefined {
  if (!isAsking(message) || !saidText(message['method']).startsWith('tasks/')) return undefined;
  return clientSession.tasks.get(saidText(paramsOf(message)['taskId']));
}

/** The called tool, in a conversation in which tools were listed: otherwise the client cannot know. */
function calledTool(heard: HeardOfClient): string | undefined {
  const { name } = paramsOf(heard.message);
  return isCall(heard) && heard.clientSession.done.has('tools/list') && typeof name === 'string' ? name : undefined;
}

const declaredAlone: ClientRule = {
  id: 'tasks-002',
  message: 'The client requests tasks only for declared request types',
  fix: 'send params.task with tools/call alone, where tasks.requests.tools.call is declared',
  watch: (heard) =>
    isAugmented(heard) && heard.clientSession.offersTasks
      ? unlessKept(isCall(heard), `params.task came with ${inQuotes(heard.message['method'])}`)
      : 'not-seen',
};

const undeclared: ClientRule = {
  id: 'tasks-004',
  message: 'Without tasks.requests.tools.call, no call requests a task, whatever taskSupport is',
  fix: 'look into the capabilities of each session before params.task is sent',
  watch(heard) {
    const { name } = paramsOf(heard.message);
    if (heard.clientSession.offersTasks || !isCall(heard) || taskSupport(saidText(name)) === undefined)
      return 'not-seen';
    return unlessKept(!isAugmented(heard), `${inQuotes(name)} was called with params.task, and no tasks are declared`);
  },
};

const forbidden: ClientRule = {
  id: 'tasks-005',
  message: 'A tool whose taskSupport is missing or forbidden is not called as a task',
  fix: 'send params.task where execution.taskSupport of the listed tool is optional or required',
  watch(heard) {
    const tool = calledTool(heard);
    if (tool === undefined || !heard.clientSession.offersTasks) return 'not-seen';
    if (taskSupport(tool) !== undefined) return isAugmented(heard) ? 'holds' : 'not-seen';
    return isAugmented(heard) ? { breaks: `${inQuotes(tool)} has no taskSupport, and params.task came` } : 'not-seen';
  },
};

const required: ClientRule = {
  id: 'tasks-007',
  message: 'A tool whose taskSupport is required is called as a task',
  fix: 'send params.task where execution.taskSupport of the listed tool is required',
  watch(heard) {
    const { clientSession } = heard;
    // Who shows no sign of knowing tasks may be of a kind that has none.
    const knows = isAugmented(heard) || clientSession.tasks.size > 0 || isObject(clientSession.capabilities['tasks']);
    if (calledTool(heard) !== 'job' || !clientSession.offersTasks || !knows) return 'not-seen';
    return unlessKept(isAugmented(heard), '"job" was called without params.task');
  },
};

const interval: ClientRule = {
  id: 'tasks-016',
  message: 'A task is not polled faster than its pollInterval',
  fix: 'wait for pollInterval between two tasks/get',
  watch(heard) {
    const task = heard.message['method'] === 'tasks/get' ? taskOf(heard) : undefined;
    if (task === undefined || task.hasEnded) return 'not-seen';
    const { polls, maxPolls, elapsed } = task;
    return unlessKept(
      polls + 1 <= maxPolls,
      `it was asked ${polls + 1} times in ${Math.round(elapsed)} ms, at an interval of ${ownTaskTimes.poll} ms`,
    );
  },
};

const saysTask: ClientRule = {
  id: 'tasks-025',
  message: 'Messages of a task name the task in _meta',
  fix: 'copy io.modelcontextprotocol/related-task of the question into _meta of the answer',
  watch({ message, put }) {
    const asked = isObject(put?.params['_meta']) ? put.params['_meta'][metaKey.relatedTask] : undefined;
    if (!isObject(asked) || put?.probe !== undefined || !isObject(message['result'])) return 'not-seen';
    const { _meta: meta } = message['result'];
    const said = isObject(meta) ? meta[metaKey.relatedTask] : undefined;
    const isSame = isObject(said) && said['taskId'] === asked['taskId'];
    return unlessKept(isSame, `the question is of ${inQuotes(asked)}, the answer of ${inQuotes(said)}`);
  },
};

const notRelated: ClientRule = {
  id: 'tasks-027',
  message: 'tasks/get, tasks/list and tasks/cancel have no related-task in _meta',
  fix: 'say taskId in the params alone',
  watch({ message, put }) {
    const isOf = (method: unknown): boolean => /^tasks\/(get|list|cancel)$/.test(saidText(method));
    const isOurs = isResponse(message) && isOf(put?.method) && isObject(message['result']);
    if (!isOurs && !(isAsking(message) && isOf(message['method']))) return 'not-seen';
    const { result } = message;
    const meta = isObject(result) ? result['_meta'] : metaOf(message);
    const said = isObject(meta) ? meta[metaKey.relatedTask] : undefined;
    return unlessKept(said === undefined, `it says ${inQuotes(said)}`);
  },
};

const asksAtOnce: ClientRule = {
  id: 'tasks-029',
  message: 'The client calls tasks/result when a task needs input',
  fix: 'send tasks/result when tasks/get returns input_required: the questions come on its stream',
  watch(heard) {
    const task = taskOf(heard);
    if (task === undefined || task.inputTold === 0) return 'not-seen';
    if (heard.message['method'] === 'tasks/result') return 'holds';
    // One more may have been on its way.
    if (heard.message['method'] !== 'tasks/get' || task.results > 0 || task.inputTold < 2) return 'not-seen';
    return { breaks: `it received the state ${task.inputTold} times, and asks how the task stands` };
  },
};

const cancels: ClientRule = {
  id: 'cancel-003',
  message: 'A client cancels a task with tasks/cancel',
  fix: 'send tasks/cancel with the taskId instead of notifications/cancelled',
  watch(heard) {
    const { message, clientSession } = heard;
    if (message['method'] === 'tasks/cancel') return taskOf(heard) === undefined ? 'not-seen' : 'holds';
    if (message['method'] !== 'notifications/cancelled') return 'not-seen';
    const id = idText(paramsOf(message)['requestId']);
    // A client that asked about the task knows that it exists.
    const task = [...clientSession.tasks.values()].find(
      ({ made, polls, results }) => idText(made.callId) === id && polls + results > 0,
    );
    return task === undefined
      ? 'not-seen'
      : { breaks: `the call ${inQuotes(task.made.callId)} had become a task, which was asked about` };
  },
};

const keepsToken: ClientRule = {
  id: 'progress-009',
  message: 'No other request has the progress token of a running task',
  fix: 'count progress tokens up, and use none again while the task runs that it was given for',
  watch(heard) {
    const { message, clientSession } = heard;
    const { progressToken } = metaOf(message);
    if (!isAsking(message) || progressToken === undefined) return 'not-seen';
    const running = [...clientSession.tasks.values()].filter(
      (task) => task.made.progressToken !== undefined && !task.hasEnded && task !== taskOf(heard),
    );
    const taken = running.find(({ made }) => made.progressToken === progressToken);
    if (running.length === 0) return 'not-seen';
    return unlessKept(
      taken === undefined,
      `${inQuotes(progressToken)} is the token of the task ${taken?.id}, which runs`,
    );
  },
};

const byUpdate: ClientRule = {
  id: 'tasks-068',
  lives: inExtension,
  message: 'The client sends input with tasks/update, and polls the task again',
  fix: 'send tasks/update with inputResponses, under the keys of inputRequests',
  watch(heard) {
    const { clientSession, message } = heard;
    const { inputResponses } = paramsOf(message);
    if (message['method'] === 'tasks/get') return (taskOf(heard)?.updates ?? 0) > 0 ? 'holds' : 'not-seen';
    if (!isCall(heard) || !isObject(inputResponses)) return 'not-seen';
    const task = [...clientSession.tasks.values()].find(({ key }) => Object.hasOwn(inputResponses, key));
    return task === undefined ? 'not-seen' : { breaks: `${task.key}, which a task asked, was answered by a call` };
  },
};

const once: ClientRule = {
  id: 'tasks-070',
  lives: inExtension,
  message: 'The client answers each input request of a task once',
  fix: 'remember the keys of inputRequests that were answered, and answer those no more',
  watch(heard) {
    const task = taskOf(heard);
    if (task === undefined || task.updates === 0) return 'not-seen';
    if (heard.message['method'] === 'tasks/get') return task.repeats > 0 ? 'holds' : 'not-seen';
    const { inputResponses } = paramsOf(heard.message);
    if (heard.message['method'] !== 'tasks/update' || !isObject(inputResponses)) return 'not-seen';
    return unlessKept(!Object.hasOwn(inputResponses, task.key), `${task.key} was answered before`);
  },
};

const named: ClientRule = {
  id: 'tasks-081',
  over: 'http',
  lives: inExtension,
  message: 'tasks/get, tasks/update and tasks/cancel name the task in Mcp-Name',
  fix: 'send Mcp-Name with params.taskId',
  watch({ message, http }) {
    if (!isAsking(message) || !/^tasks\/(get|update|cancel)$/.test(saidText(message['method']))) return 'not-seen';
    const { taskId } = paramsOf(message);
    const said = http?.headers['mcp-name'];
    return unlessKept(said === taskId, `Mcp-Name is ${inQuotes(said)}, and taskId ${inQuotes(taskId)}`);
  },
};

const callsAlone: ClientRule = {
  id: 'tasks-052',
  lives: inExtension,
  message: 'A task as the result of another method is invalid, and the client does not poll it',
  fix: 'take resultType "task" for invalid where the request was no tools/call',
  watch({ message, clientSession }) {
    if (clientSession.wrongTasks.size === 0 || !isAsking(message)) return 'not-seen';
    const { taskId } = paramsOf(message);
    const isAbout = saidText(message['method']).startsWith('tasks/') && clientSession.wrongTasks.has(saidText(taskId));
    return unlessKept(!isAbout, 'it asks about the task that resources/read was answered with');
  },
};

/** Rules about clients that have tasks made. */
export const clientTaskRules: readonly ClientRule[] = [
  declaredAlone,
  undeclared,
  sameAs(undeclared, 'tasks-003', 'The client requests no task from a server without tasks'),
  forbidden,
  required,
  interval,
  { ...interval, id: 'tasks-062', lives: inExtension },
  saysTask,
  notRelated,
  asksAtOnce,
  cancels,
  keepsToken,
  { ...cancels, id: 'tasks-076', lives: inExtension, message: 'A task is never cancelled by notifications/cancelled' },
  byUpdate,
  once,
  named,
  callsAlone,
];
