import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { isLoopback } from '../../../../../parley/src/auth/common/network.ts';
import { rowOf } from '../../register.ts';
import type { HeardMessage, WatchRule } from '../../rule.ts';
import { wholeText } from '../../whole-text.ts';

/** Rules about what a server says beside its questions: notices of them, errors that want one, tokens, and cancellations. */

/** Parameters of a notification or request of one method; `undefined` where it is none. */
function paramsOf({ message: { method, params } }: HeardMessage, wanted: string): JsonObject | undefined {
  if (method !== wanted) return undefined;
  return isObject(params) ? params : {};
}

/** Elicitations that the error -32042 says are needed. */
function neededOf({ message: { error } }: HeardMessage): unknown {
  if (!isObject(error) || error['code'] !== -32042) return undefined;
  return isObject(error['data']) ? (error['data']['elicitations'] ?? null) : null;
}

const completes: WatchRule = {
  id: 'elicit-027',
  fields: ['elicitationId'],
  message: 'notifications/elicitation/complete has an elicitationId',
  fix: 'send the elicitationId',
  watch(heard) {
    const params = paramsOf(heard, 'notifications/elicitation/complete');
    if (params === undefined) return 'not-seen';
    const { elicitationId } = params;
    return typeof elicitationId === 'string'
      ? 'holds'
      : { breaks: `it is ${JSON.stringify(elicitationId) ?? 'missing'}` };
  },
};

const listsNeeded: WatchRule = {
  id: 'elicit-032',
  message: 'The error -32042 lists the required elicitations in data.elicitations',
  fix: 'add data {"elicitations": […]}',
  watch(heard) {
    const needed = neededOf(heard);
    if (needed === undefined) return 'not-seen';
    return Array.isArray(needed) && needed.length > 0
      ? 'holds'
      : { breaks: `elicitations is ${JSON.stringify(needed ?? undefined) ?? 'missing'}` };
  },
};

const neededPages: WatchRule = {
  id: 'elicit-033',
  message: 'The error -32042 lists URL elicitations with an elicitationId',
  fix: 'send mode url, url and elicitationId of each',
  watch(heard) {
    const needed = neededOf(heard);
    if (!Array.isArray(needed) || needed.length === 0) return 'not-seen';
    const isPage = (one: unknown): boolean =>
      isObject(one) && one['mode'] === 'url' && typeof one['elicitationId'] === 'string';
    return needed.every(isPage) ? 'holds' : { breaks: 'one is none' };
  },
};

const secure: WatchRule = {
  id: 'elicit-051',
  message: 'The url of an elicitation is https, except on this machine',
  fix: 'serve the page by https',
  watch({ message: { method, id, params, result } }) {
    const asked =
      method === 'elicitation/create' && id !== undefined
        ? [params]
        : isObject(result) && isObject(result['inputRequests'])
          ? Object.values(result['inputRequests']).map((one) => (isObject(one) ? one['params'] : undefined))
          : [];
    const pages = asked.filter(isObject).filter(({ mode, url }) => mode === 'url' && URL.canParse(wholeText(url)));
    if (pages.length === 0) return 'not-seen';
    const wrong = pages
      .map(({ url }) => new URL(wholeText(url)))
      .find(({ protocol, hostname }) => protocol === 'http:' && !isLoopback(hostname));
    return wrong === undefined ? 'holds' : { breaks: `it is of ${wrong.origin}` };
  },
};

/** Blocks of a kind in messages for a model, by their place. */
function idsIn(messages: unknown, type: string, key: string): readonly (readonly [at: number, id: unknown])[] {
  const all = Array.isArray(messages) ? messages.filter(isObject) : [];
  return all.flatMap(({ content }, at) =>
    [content].flat().flatMap((block) => (isObject(block) && block['type'] === type ? [[at, block[key]] as const] : [])),
  );
}

const earlierUse: WatchRule = {
  id: 'sampling-013',
  message: 'A tool result names an earlier tool use',
  fix: 'send the id of the tool_use as toolUseId',
  watch(heard) {
    const { messages } = paramsOf(heard, 'sampling/createMessage') ?? {};
    const results = idsIn(messages, 'tool_result', 'toolUseId');
    if (results.length === 0) return 'not-seen';
    const first = new Map<unknown, number>();
    for (const [at, id] of idsIn(messages, 'tool_use', 'id')) if (!first.has(id)) first.set(id, at);
    const wrong = results.find(([at, id]) => (first.get(id) ?? Infinity) >= at);
    return wrong === undefined ? 'holds' : { breaks: `${JSON.stringify(wrong[1])} names none` };
  },
};

const declaredRoots: WatchRule = {
  id: 'roots-011',
  // Later revisions have rows of their own for whatever a client is asked.
  lives: (revision) =>
    rowOf('roots-011').lives(revision) && !rowOf('lifecycle-009').lives(revision) && revision.sessions,
  message: 'The server asks for roots only if the client declared roots',
  fix: 'look at the capabilities of the client first',
  watch(heard) {
    if (paramsOf(heard, 'roots/list') === undefined || heard.message['id'] === undefined) return 'not-seen';
    return heard.capabilities['roots'] === undefined ? { breaks: 'a client without them was asked' } : 'holds';
  },
};

const plainQuestions: WatchRule = {
  id: 'tasks-003',
  message: 'The server requests no task from a client without tasks',
  fix: 'send task with a question only where the client declares tasks.requests for it',
  watch({ message: { method, id, params }, capabilities }) {
    if (!['elicitation/create', 'sampling/createMessage'].includes(wholeText(method)) || id === undefined)
      return 'not-seen';
    if (capabilities['tasks'] !== undefined) return 'not-seen';
    return isObject(params) && params['task'] !== undefined
      ? { breaks: `${wholeText(method)} has the parameter task` }
      : 'holds';
  },
};

const tokenTypes: WatchRule = {
  id: 'progress-001',
  fields: ['_meta.progressToken'],
  message: 'A progress token is a string or an integer',
  fix: 'send one of the two',
  watch({ message: { method, id, params } }) {
    if (typeof method !== 'string' || id === undefined || !isObject(params) || !isObject(params['_meta']))
      return 'not-seen';
    const token = params['_meta']['progressToken'];
    if (token === undefined) return 'not-seen';
    return typeof token === 'string' || Number.isInteger(token)
      ? 'holds'
      : { breaks: `it is ${JSON.stringify(token)}` };
  },
};

const readable: WatchRule = {
  id: 'progress-004',
  message: 'A progress message is human-readable',
  fix: 'say how far it is in a few words, or leave the message out',
  watch(heard) {
    const message = paramsOf(heard, 'notifications/progress')?.['message'];
    if (typeof message !== 'string') return 'not-seen';
    // What it says no program tells, but for that it says nothing.
    return /[^\s\p{Cc}\p{Cf}]/u.test(message) ? 'holds' : { breaks: `it is ${JSON.stringify(message)}` };
  },
};

const namesRequest: WatchRule = {
  id: 'cancel-004',
  fields: ['requestId'],
  message: 'A cancellation names its request',
  fix: 'send requestId',
  watch(heard) {
    const params = paramsOf(heard, 'notifications/cancelled');
    if (params === undefined) return 'not-seen';
    return params['requestId'] === undefined ? { breaks: 'it does not' } : 'holds';
  },
};

const ownStream: WatchRule = {
  id: 'cancel-016',
  fields: ['requestId'],
  message: 'A cancellation from the server names the request whose stream ends',
  fix: 'send the id of the subscriptions/listen as requestId',
  watch(heard) {
    const params = paramsOf(heard, 'notifications/cancelled');
    // Over stdio it may be that of another stream.
    const { sent, exchange } = heard;
    if (params === undefined || sent?.['method'] !== 'subscriptions/listen' || exchange.status === undefined)
      return 'not-seen';
    return params['requestId'] === sent['id'] ? 'holds' : { breaks: `it names ${JSON.stringify(params['requestId'])}` };
  },
};

const declaredLogs: WatchRule = {
  id: 'logging-001',
  message: 'A server that sends log messages declares logging',
  fix: 'declare the capability logging',
  watch({ message: { method }, declared }) {
    if (method !== 'notifications/message' || declared === undefined) return 'not-seen';
    return declared['logging'] === undefined ? { breaks: 'one came, and logging is not declared' } : 'holds';
  },
};

/** Rules about messages other than questions. */
export const noticeRules: readonly WatchRule[] = [
  completes,
  listsNeeded,
  neededPages,
  secure,
  earlierUse,
  declaredRoots,
  plainQuestions,
  tokenTypes,
  readable,
  namesRequest,
  ownStream,
  declaredLogs,
];
