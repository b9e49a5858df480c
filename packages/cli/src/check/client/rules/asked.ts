/** Rules about what a client does that is asked, or told, what it did not say that it can do. */

import { isObject, isResponse } from '../../../../../parley/src/jsonrpc/message.ts';
import { hasEnded } from '../../../../../parley/src/protocol/task-status.ts';
import { inQuotes, sameAs, unlessKept, type ClientLook, type ClientRule } from '../client-rule.ts';
import { isLate } from '../put-questions.ts';
import { metaOf, paramsOf, type ClientProbe, type Prompted, type ClientSession } from '../client-session.ts';
import { about } from './hosted-tasks.ts';

/** A rule that a probe is rejected, with a given code if there is one. */
function refuses(
  id: string,
  probe: ClientProbe,
  [words, fix]: readonly [words: string, fix: string],
  wanted?: number,
): ClientRule {
  return about(id, [probe], [words, fix], ({ result, code }) => {
    if (result !== undefined) return { breaks: `the answer is ${inQuotes(result)}` };
    return unlessKept(wanted === undefined || code === wanted, `the error is ${inQuotes(code)}`);
  });
}

const noRoots = about(
  'roots-005',
  ['roots-undeclared'],
  ['A client without roots refuses roots/list with -32601', 'answer with -32601'],
  ({ result, code }) => {
    // Who gives some has roots, and did not say so.
    if (Array.isArray(result?.['roots'])) return 'not-seen';
    return unlessKept(code === -32_601, `the answer is ${inQuotes(result ?? code)}`);
  },
);

const noTools = refuses('sampling-007', 'tools-undeclared', [
  'A client without sampling.tools refuses a sampling request with tools',
  'answer with an error where params.tools or params.toolChoice came, or declare sampling.tools',
]);

const noUrl = refuses(
  'elicit-017',
  'url-undeclared',
  [
    'An undeclared elicitation mode is refused with -32602',
    'answer with -32602 where params.mode is not one that was declared',
  ],
  -32_602,
);

const balanced = refuses(
  'sampling-024',
  'results-missing',
  [
    'A sampling request without a required tool result is refused with -32602',
    'look for a tool_result for each tool_use, and answer with -32602',
  ],
  -32_602,
);

const silent: ClientRule = {
  id: 'basic-018',
  message: 'A notification is never answered',
  fix: 'never answer a message without an id, even an unknown or invalid one',
  watch({ message, put }) {
    if (put?.probe === 'ping-after-notices') return 'holds';
    if (!isResponse(message) || put !== undefined) return 'not-seen';
    // Every request here has an id. A client that cannot read a message, such as a batch, answers without one.
    const code = isObject(message['error']) ? message['error']['code'] : undefined;
    const isUnread = code === -32_600 || code === -32_700;
    return !isUnread && (message['id'] === null || message['id'] === undefined)
      ? { breaks: 'it sent an answer that is of no request' }
      : 'not-seen';
  },
};

/** Tells whether a question of a conversation in which all was asked has no answer, and one that came after it has. */
function isOpen(clientSession: ClientSession, probe: ClientProbe): boolean {
  const isLeft = [...clientSession.put].some(
    ([key, asked]) => asked.probe === probe && clientSession.isUnanswered(key),
  );
  return clientSession.done.has('answered ask') && isLeft;
}

/** A rule that a message gets no answer while a later request is answered. */
function passesOver(id: string, probe: ClientProbe, [words, fix]: readonly [words: string, fix: string]): ClientRule {
  return {
    id,
    message: words,
    fix,
    watch: ({ put }) => (put?.probe === probe ? 'holds' : 'not-seen'),
    atEnd: (clientSession) =>
      isOpen(clientSession, probe) ? { breaks: 'the ping that came after it was not answered' } : 'not-seen',
  };
}

const cancellation = passesOver('cancel-010', 'ping-after-notices', [
  'A cancellation of an unknown request is ignored',
  'pass over notifications/cancelled with an id that you do not know',
]);

const crossing = passesOver('cancel-007', 'ping-after-crossing', [
  'A cancellation of an answered request is ignored: the two may cross',
  'pass over notifications/cancelled of what you have answered',
]);

const stopsWork: ClientRule = {
  id: 'cancel-005',
  message: 'A cancelled request gets no response',
  fix: 'stop asking your person or your model when notifications/cancelled comes, and send no response',
  watch: ({ put }) =>
    put?.probe === 'cancelled-again' && isLate(put)
      ? { breaks: 'it was answered more than two seconds after it was cancelled, twice' }
      : 'not-seen',
  atEnd: ({ put }) =>
    [...put.values()].some((question) => question.probe === 'cancelled' && isLate(question)) ? 'holds' : 'not-seen',
};

const complete = passesOver('elicit-028', 'ping-after-complete', [
  'notifications/elicitation/complete with an unknown id is ignored',
  'pass over elicitation ids that you do not know',
]);

const batches: ClientRule = {
  id: 'basic-019',
  message: 'A client accepts a batch and answers the requests in it',
  fix: 'take an array of messages as you take each of them',
  watch: ({ put }) => (put?.probe === 'in-batch' ? 'holds' : 'not-seen'),
  atEnd: (clientSession) =>
    isOpen(clientSession, 'in-batch')
      ? { breaks: 'a batch of two pings was not answered, and a ping that came after it was' }
      : 'not-seen',
};

/** The progress value of a message, if it has one. */
function told(message: Readonly<Record<string, unknown>>): unknown {
  return message['method'] === 'notifications/progress' ? paramsOf(message)['progress'] : undefined;
}

const rises: ClientRule = {
  id: 'progress-003',
  // Over HTTP two messages may overtake one another.
  over: 'stdio',
  message: 'Progress increases with each notification',
  fix: 'send a greater progress each time, or none',
  watch({ message, clientSession }) {
    const value = told(message);
    const known = clientSession.progress.get(paramsOf(message)['progressToken']);
    if (typeof value !== 'number' || known === undefined) return 'not-seen';
    return unlessKept(value > known.last, `progress ${value} came after ${known.last}`);
  },
};

const knownToken: ClientRule = {
  id: 'progress-005',
  message: 'Progress notifications have the token of a request',
  fix: 'send the progressToken of _meta of the request that you work on',
  watch({ message, clientSession }): ClientLook {
    if (told(message) === undefined) return 'not-seen';
    const { progressToken } = paramsOf(message);
    return unlessKept(clientSession.progress.has(progressToken), `no request had the token ${inQuotes(progressToken)}`);
  },
};

const stops: ClientRule = {
  id: 'progress-006',
  over: 'stdio',
  message: 'No progress is sent after the response',
  fix: 'stop telling of progress when the answer is sent',
  watch({ message, clientSession }) {
    const known = clientSession.progress.get(paramsOf(message)['progressToken']);
    if (told(message) === undefined || known === undefined) return 'not-seen';
    return unlessKept(!known.isAnswered, 'the request was answered before');
  },
};

const stopsWithTask: ClientRule = {
  id: 'progress-011',
  over: 'stdio',
  message: 'No progress is sent after a task has ended',
  fix: 'stop telling of progress when the task is completed, failed or cancelled',
  watch({ message, clientSession }) {
    const known = clientSession.progress.get(paramsOf(message)['progressToken']);
    if (told(message) === undefined || known?.taskId === undefined) return 'not-seen';
    return unlessKept(known.hasTaskEnded !== true, 'the task had ended before');
  },
};

/** Notes what an answer, or a notification, says of progress, once it was looked at. */
export function noteProgress(
  message: Readonly<Record<string, unknown>>,
  clientSession: ClientSession,
  key: string,
): void {
  const question = isResponse(message) ? clientSession.put.get(key) : undefined;
  const token =
    question === undefined ? paramsOf(message)['progressToken'] : metaOf({ params: question.params })['progressToken'];
  const known = clientSession.progress.get(token);
  noteEnd(message, clientSession, question);
  if (known === undefined) return;
  // A task goes on when its request was answered with it.
  const { result } = message;
  if (question !== undefined && !(isObject(result) && isObject(result['task']))) known.isAnswered = true;
  const value = told(message);
  if (typeof value === 'number') known.last = Math.max(known.last, value);
}

/** Notes that a task of the client has ended, where an answer says so. */
function noteEnd(
  { result }: Readonly<Record<string, unknown>>,
  clientSession: ClientSession,
  question: Prompted | undefined,
): void {
  const isView = question?.probe === 'has-ended' || question?.probe === 'cancels-task';
  if (!isView || !isObject(result) || !hasEnded(result)) return;
  for (const known of clientSession.progress.values())
    if (known.taskId === question.params['taskId']) known.hasTaskEnded = true;
}

/** Rules about what is asked and told. */
export const askedRules: readonly ClientRule[] = [
  noRoots,
  noTools,
  sameAs(noTools, 'sampling-005', 'A client that accepts tools in sampling has declared sampling.tools'),
  noUrl,
  balanced,
  silent,
  cancellation,
  crossing,
  stopsWork,
  complete,
  batches,
  rises,
  knownToken,
  stops,
  stopsWithTask,
  sameAs(knownToken, 'progress-010', 'Progress of a task has the token of the request that created it'),
];
