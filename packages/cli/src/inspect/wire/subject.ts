import { jsonIn } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Largest message that is read for this, in characters: it is done for each row. */
const largest = 65_536;

const name = ({ name: said }: Fields): unknown => said;
const uri = ({ uri: said }: Fields): unknown => said;
const task = ({ taskId }: Fields): unknown => taskId;
const words = ({ message }: Fields): unknown => message;

/** Subjects of requests and notifications, by their methods. */
const subjects: Readonly<Record<string, (params: Fields) => unknown>> = {
  'tools/call': name,
  'prompts/get': name,
  'resources/read': uri,
  'resources/subscribe': uri,
  'resources/unsubscribe': uri,
  'notifications/resources/updated': uri,
  'completion/complete': ({ ref, argument }) =>
    `${textOf(ref, 'name') || textOf(ref, 'uri')} ${textOf(argument, 'name')}`,
  'logging/setLevel': ({ level }) => level,
  'notifications/message': ({ level, logger, data }) => worded([level, logger, data]),
  'notifications/progress': ({ progress, total, message }) =>
    worded(total === undefined ? [progress, message] : [progress, 'of', total, message]),
  'notifications/cancelled': ({ reason }) => reason,
  'elicitation/create': words,
  'tasks/get': task,
  'tasks/result': task,
  'tasks/update': task,
  'tasks/cancel': task,
  'notifications/tasks/status': ({ taskId, status }) => worded([taskId, status]),
  'notifications/tasks': ({ taskId, status }) => worded([taskId, status]),
  'subscriptions/listen': listened,
  'notifications/subscriptions/acknowledged': listened,
};

/** Names what is listened for: tasks, resources and lists. The page knows a task by the word before it. */
function listened({ notifications }: Fields): unknown {
  if (!isObject(notifications)) return undefined;
  const { taskIds, resourceSubscriptions, ...rest } = notifications;
  const texts = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.slice(0, 20).filter((one): one is string => typeof one === 'string') : [];
  const tasks = texts(taskIds);
  const lists = Object.entries(rest).flatMap(([key, on]) => (on === true ? [key.replace(/ListChanged$/, '')] : []));
  return [
    ...(tasks.length === 0 ? [] : [`${tasks.length === 1 ? 'task' : 'tasks'} ${tasks.join(' ')}`]),
    ...texts(resourceSubscriptions),
    ...lists,
  ].join(', ');
}

/** Words of results on themselves, by the methods of their requests. */
const answers: Readonly<Record<string, (result: Fields) => unknown>> = {
  'tasks/get': ({ status, statusMessage }) => worded([status, statusMessage ?? '']),
  'tools/call': ({ isError }) => (isError === true ? 'the tool failed' : undefined),
};

/** Finds what a message is about, in a few words: the tool that is called, the resource that is read, what went wrong. */
export function subjectOf({ lane, text, method, cut }: RecordingEntry): string | undefined {
  if ((lane !== 'message' && lane !== 'app') || text === undefined || cut !== undefined || text.length > largest)
    return undefined;
  const subject = method === undefined || !Object.hasOwn(subjects, method) ? undefined : subjects[method];
  const answer = method === undefined || !Object.hasOwn(answers, method) ? undefined : answers[method];
  const isError = /"error"\s*:/.test(text);
  const asks = /"inputRequests"\s*:/.test(text);
  if (subject === undefined && answer === undefined && !isError && !asks) return undefined;
  // Most calls end well: their results, which may be large, are not read for it.
  if (method === 'tools/call' && !isError && !asks && !/"(?:isError|params)"\s*:/.test(text)) return undefined;
  const message = jsonIn(text);
  if (!isObject(message)) return undefined;
  const { params, error, result } = message;
  const said = isObject(error)
    ? error['message']
    : isObject(params)
      ? subject?.(params)
      : isObject(result)
        ? (askedIn(result) ?? answer?.(result))
        : undefined;
  return typeof said === 'string' && said !== '' ? said : undefined;
}

/** Questions in a result: their messages, or their kinds. */
function askedIn({ resultType, inputRequests }: Fields): string | undefined {
  if (resultType !== 'input_required' || !isObject(inputRequests)) return undefined;
  const questions = Object.values(inputRequests).map(
    (one) => textOf(one, 'params', 'message') || textOf(one, 'method'),
  );
  return `asks: ${worded(questions)}`;
}

/** Values in a line: texts as they are, others as JSON. */
function worded(values: readonly unknown[]): string {
  const words = values.map((value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')));
  return words.filter((word) => word !== '').join(' ');
}

function textOf(value: unknown, ...keys: readonly string[]): string {
  const said = keys.reduce((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
  return typeof said === 'string' ? said : '';
}
