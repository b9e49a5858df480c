/** Rules about the messages of clients themselves, whatever they say. */

import { isObject, isResponse } from '../../../../../parley/src/jsonrpc/message.ts';
import { methodOf } from '../../../../../parley/src/protocol/catalogue.ts';
import { check } from '../../../../../parley/src/protocol/compile/check.ts';
import { createTaskResultShape } from '../../../../../parley/src/protocol/features/tasks.ts';
import { isMetaKey, metaKey } from '../../../../../parley/src/protocol/meta.ts';
import { rowOf } from '../../register.ts';
import { inQuotes, sameAs, unlessKept, type ClientRule, type ClientLook } from '../client-rule.ts';
import {
  idText,
  isAsking,
  likeId,
  metaOf,
  paramsOf,
  saidText,
  type ClientProbe,
  type OpenRequest,
  type ClientSession,
} from '../client-session.ts';

const jsonRpc: ClientRule = {
  id: 'basic-001',
  message: 'Every message is a JSON-RPC 2.0 request, notification or response, with jsonrpc "2.0"',
  fix: 'send objects with "jsonrpc": "2.0" and a method, a result or an error',
  watch({ message, malformed, http, revision }) {
    if (malformed !== undefined) return { breaks: `${inQuotes(malformed)} is not JSON` };
    if (http !== undefined && http.method !== 'POST') return 'not-seen';
    if (message['jsonrpc'] !== '2.0') return { breaks: `jsonrpc is ${inQuotes(message['jsonrpc'])}` };
    if ('result' in message && 'error' in message && !rowOf(resultOrError.id).lives(revision))
      return { breaks: 'it has a result and an error' };
    // An answer without either is a separate fault.
    if ('id' in message && message['method'] === undefined && !isResponse(message)) return 'not-seen';
    return unlessKept(
      typeof message['method'] === 'string' || isResponse(message),
      'it has no method, no result and no error',
    );
  },
};

const oneLine: ClientRule = {
  id: 'stdio-002',
  over: 'stdio',
  message: 'A message contains no line break',
  fix: 'write each message as one line: no indentation, and \\n for the ends of lines in texts',
  watch: ({ malformed, lines = 1 }) =>
    malformed === undefined ? unlessKept(lines === 1, `the message came in ${lines} lines`) : 'not-seen',
};

const scalarId: ClientRule = {
  id: 'basic-005',
  message: 'A request has a string or an integer as its id',
  fix: 'give each request an id that is a string or an integer',
  watch({ message }) {
    if (!isAsking(message) || message['id'] === null) return 'not-seen';
    const { id } = message;
    return unlessKept(typeof id === 'string' || Number.isInteger(id), `the id is ${inQuotes(id)}`);
  },
};

const noNullId: ClientRule = {
  id: 'basic-006',
  message: 'The id of a request is never null',
  fix: 'give each request an id that is a string or an integer',
  watch: ({ message }) => (isAsking(message) ? unlessKept(message['id'] !== null, 'the id is null') : 'not-seen'),
};

const idsOnce: ClientRule = {
  id: 'basic-007',
  message: 'No id is used twice within a session',
  fix: 'count the ids up for as long as the session lasts',
  watch: ({ message, clientSession }) =>
    isAsking(message)
      ? unlessKept(!clientSession.ids.has(idText(message['id'])), `the id ${inQuotes(message['id'])} was used before`)
      : 'not-seen',
};

const idsOpenOnce: ClientRule = {
  id: 'basic-008',
  message: 'No id is the id of a pending request',
  fix: 'use an id again, if at all, when its request was answered',
  watch: ({ message, clientSession }) =>
    isAsking(message)
      ? unlessKept(
          !isOpenOf(clientSession, clientSession.open.get(idText(message['id']))),
          `the request ${inQuotes(message['id'])} has no answer yet`,
        )
      : 'not-seen',
};

/** Tells whether a request is open, of the one client that there is: over HTTP a stream of changes lasts, and may be that of another that counts its ids alike. */
function isOpenOf({ over }: ClientSession, request: OpenRequest | undefined): boolean {
  return request !== undefined && (over === 'stdio' || request.method !== 'subscriptions/listen');
}

const ownId: ClientRule = {
  id: 'basic-009',
  message: 'A response has the id of its request, with the same type',
  fix: 'copy the id as it came: a number stays a number, a string a string',
  watch({ message, put, clientSession }) {
    if (!isResponse(message)) return 'not-seen';
    if (put !== undefined) return 'holds';
    return likeId(message['id'], clientSession) !== undefined
      ? { breaks: `the id ${inQuotes(message['id'])} is of another type than that of the request` }
      : 'not-seen';
  },
};

/** A rule that an answer has something in it. */
function answersWhole(id: string, words: string): ClientRule {
  return {
    id,
    message: words,
    fix: 'send a result, {} where there is nothing to say, or an error',
    watch({ message }) {
      if (isResponse(message)) return 'holds';
      return 'id' in message && message['method'] === undefined
        ? { breaks: 'it has an id, and neither a result nor an error' }
        : 'not-seen';
    },
  };
}

const resultOrError: ClientRule = {
  id: 'basic-012',
  message: 'A response never has both a result and an error',
  fix: 'send one of the two, and leave the other out',
  watch: ({ message }) =>
    isResponse(message)
      ? unlessKept(!('result' in message && 'error' in message), 'it has a result and an error')
      : 'not-seen',
};

const errorParts: ClientRule = {
  id: 'basic-014',
  message: 'An error response has an error with a code and a message',
  fix: 'send "error": {"code": …, "message": "…"}',
  watch({ message }) {
    if (!isResponse(message) || !('error' in message)) return 'not-seen';
    const { error } = message;
    const isWhole = isObject(error) && error['code'] !== undefined && typeof error['message'] === 'string';
    return unlessKept(isWhole, `the error is ${inQuotes(error)}`);
  },
};

const integerCode: ClientRule = {
  id: 'basic-015',
  message: 'The code of an error is an integer',
  fix: 'send codes as numbers, such as -32602',
  watch({ message: { error } }) {
    const code = isObject(error) ? error['code'] : undefined;
    return code === undefined ? 'not-seen' : unlessKept(Number.isInteger(code), `the code is ${inQuotes(code)}`);
  },
};

const notificationId: ClientRule = {
  id: 'basic-017',
  message: 'A notification has no id',
  fix: 'leave the id out of notifications',
  watch({ message }) {
    const { method } = message;
    if (typeof method !== 'string' || !method.startsWith('notifications/')) return 'not-seen';
    return unlessKept(!('id' in message), `${method} has the id ${inQuotes(message['id'])}`);
  },
};

const noBatchedOpening: ClientRule = {
  id: 'basic-020',
  message: 'initialize is never part of a batch',
  fix: 'send initialize alone, and batches only after it was answered',
  watch: ({ message, batch }) =>
    message['method'] === 'initialize' ? unlessKept(batch === 0, `it came in a batch of ${batch}`) : 'not-seen',
};

const noResponses: ClientRule = {
  id: 'basic-038',
  message: 'A client sends no responses: it sends the request again, with the answers',
  fix: 'send inputResponses with the request that was answered by input_required',
  watch: ({ message }) =>
    isResponse(message) ? { breaks: 'it sent a response' } : isAsking(message) ? 'holds' : 'not-seen',
};

const metaGrammar: ClientRule = {
  id: 'meta-002',
  message: 'A _meta key is a name, or dot-separated labels, a slash and a name',
  fix: 'name keys of your own like com.example/key',
  watch({ message }) {
    const keys = Object.keys(metaOf(message));
    const wrong = keys.find((key) => !isMetaKey(key));
    return keys.length === 0 ? 'not-seen' : unlessKept(wrong === undefined, `${inQuotes(wrong)} is no key of _meta`);
  },
};

/** A rule that each request of the stateless revision says something of itself. */
function says(id: string, key: string, words: string, isFine: (value: unknown) => boolean): ClientRule {
  return {
    id,
    message: words,
    fix: `put ${key} into _meta of the params of every request`,
    watch: ({ message }) =>
      isAsking(message) && message['method'] !== 'initialize'
        ? unlessKept(isFine(metaOf(message)[key]), `${key} is ${inQuotes(metaOf(message)[key])}`)
        : 'not-seen',
  };
}

const traceparent = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}/;

const trace: ClientRule = {
  id: 'meta-020',
  message: 'traceparent follows the format of W3C Trace Context',
  fix: 'write it as 00-<32 hex digits>-<16 hex digits>-<2 hex digits>, or leave it out',
  watch({ message }) {
    const { traceparent: text } = metaOf(message);
    return text === undefined
      ? 'not-seen'
      : unlessKept(typeof text === 'string' && traceparent.test(text), `it is ${inQuotes(text)}`);
  },
};

const token: ClientRule = {
  id: 'progress-001',
  message: 'A progress token is a string or an integer',
  fix: 'use the id of the request, or a number that counts up',
  watch({ message }) {
    const { progressToken } = metaOf(message);
    if (progressToken === undefined) return 'not-seen';
    return unlessKept(
      typeof progressToken === 'string' || Number.isInteger(progressToken),
      `it is ${inQuotes(progressToken)}`,
    );
  },
};

const tokenOnce: ClientRule = {
  id: 'progress-002',
  message: 'No two pending requests have the same progress token',
  fix: 'use the id of the request, or a number that counts up',
  watch({ message, clientSession }) {
    const { progressToken } = metaOf(message);
    if (progressToken === undefined || !isAsking(message)) return 'not-seen';
    const isTaken = [...clientSession.open.values()].some(
      (other) => other.progressToken === progressToken && isOpenOf(clientSession, other),
    );
    return unlessKept(!isTaken, `${inQuotes(progressToken)} is the token of another request`);
  },
};

/** Answers whose shape another row checks. */
const byProbe: readonly (ClientProbe | undefined)[] = [
  'ignores-task',
  'gives-result',
  'tools-undeclared',
  'roots-undeclared',
  'sampling-undeclared',
  'form-undeclared',
];

const schema: ClientRule = {
  id: 'wire-schema',
  yields: true,
  message: 'Requests, notifications and responses match the official schema of the revision',
  fix: 'send what the schema of the revision requires, in its types',
  watch({ message, put, revision }) {
    const { method, result } = message;
    const asked =
      put?.probe === 'makes-task'
        ? createTaskResultShape
        : put === undefined || byProbe.includes(put.probe)
          ? undefined
          : methodOf(put.method)?.result;
    if (asked !== undefined && isObject(result))
      return judged(check(revision, asked, result), `the answer to ${put?.method}`);
    const told = typeof method === 'string' ? methodOf(method) : undefined;
    // Params that are left out are those of which nothing is required.
    if (told === undefined || message['params'] === undefined) return 'not-seen';
    return judged(check(revision, told.params, paramsOf(message)), saidText(method));
  },
};

function judged([problem]: ReturnType<typeof check>, what: string): ClientLook {
  if (problem === undefined) return 'holds';
  const { path, message } = problem;
  return { breaks: `${what}: ${path === '' ? 'it' : path} ${message}` };
}

/** Rules that look at every message. */
export const messageRules: readonly ClientRule[] = [
  jsonRpc,
  { ...sameAs(jsonRpc, 'stdio-004', 'The input of a server gets only messages'), over: 'stdio' },
  oneLine,
  scalarId,
  noNullId,
  idsOnce,
  idsOpenOnce,
  ownId,
  answersWhole('basic-011', 'An answer has a result or an error'),
  answersWhole('basic-013', 'An answer without an error has a result'),
  resultOrError,
  errorParts,
  integerCode,
  notificationId,
  noBatchedOpening,
  noResponses,
  { ...sameAs(noResponses, 'stdio-006', 'The input of a server gets no response'), over: 'stdio' },
  metaGrammar,
  sameAs(metaGrammar, 'meta-003', 'Labels of a prefix begin with a letter, and end with a letter or a digit'),
  sameAs(metaGrammar, 'meta-004', 'A _meta name begins and ends with a letter or a digit'),
  says(
    'meta-007',
    metaKey.protocolVersion,
    'Every request has its protocolVersion in _meta',
    (value) => typeof value === 'string',
  ),
  says('meta-008', metaKey.clientCapabilities, 'Every request has the client capabilities in _meta', isObject),
  says('meta-009', metaKey.clientInfo, 'Every request has clientInfo in _meta', isObject),
  trace,
  token,
  tokenOnce,
  schema,
];
