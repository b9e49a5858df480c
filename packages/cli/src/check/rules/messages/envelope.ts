import { isObject, isResponse } from '../../../../../parley/src/jsonrpc/message.ts';
import { methodOf } from '../../../../../parley/src/protocol/catalogue.ts';
import { maySend } from '../../../../../parley/src/protocol/method.ts';
import { check } from '../../../../../parley/src/protocol/compile/check.ts';
import { createTaskResultShape } from '../../../../../parley/src/protocol/features/tasks.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import { responseIn } from '../../harness/exchange.ts';
import { rowOf } from '../../register.ts';
import type { HeardMessage, WatchRule, WatchedFault } from '../../rule.ts';
import { wholeText } from '../../whole-text.ts';

/** Rules about the messages themselves, whatever they say. */

type HeardJson = HeardMessage['message'];

function error(message: HeardJson): Readonly<Record<string, unknown>> | undefined {
  return isObject(message['error']) ? message['error'] : undefined;
}

const jsonRpc: WatchRule = {
  id: 'basic-001',
  message: 'Every message is a JSON-RPC 2.0 request, notification or response, with jsonrpc "2.0"',
  fix: 'send objects with "jsonrpc": "2.0" and a method, a result or an error',
  watch({ message, malformed, exchange, revision, request }) {
    if (malformed !== undefined)
      return exchange.status === undefined
        ? 'not-seen'
        : { breaks: `${JSON.stringify(malformed.slice(0, 80))} is not JSON` };
    // What was sent is no list: it is one request.
    const isListed = exchange.messages.some((one) => Array.isArray(one) && one.includes(message));
    if (isListed && request !== undefined && !revision.batches)
      return { breaks: 'it came in a list, and was asked for by itself' };
    if (message['jsonrpc'] !== '2.0')
      return { breaks: `jsonrpc is ${JSON.stringify(message['jsonrpc']) ?? 'missing'}` };
    // A response without a result and an error has rows of its own.
    if (isEmpty(message)) return 'not-seen';
    if (hasBoth(message) && !rowOf(resultOrError.id).lives(revision)) return { breaks: hasBothWords };
    if (typeof message['method'] === 'string' || isResponse(message)) return 'holds';
    return { breaks: 'it has no method, no result and no error' };
  },
};

/** Tells whether a message looks like a response, and has neither a result nor an error. */
function isEmpty(message: HeardJson): boolean {
  return message['method'] === undefined && 'id' in message && !('result' in message) && !('error' in message);
}

/** A rule that a response has one of the two, by the row of a time. */
const oneOfTwo = (id: 'basic-011' | 'basic-013'): WatchRule => ({
  id,
  message: 'A response has a result or an error',
  fix: 'send {"result": {}} where there is nothing to say',
  watch(heard) {
    if (isEmpty(heard.message))
      return { breaks: `that with the id ${JSON.stringify(heard.message['id'])} has neither` };
    return isResponse(heard.message) ? 'holds' : 'not-seen';
  },
});

const resultOrError: WatchRule = {
  id: 'basic-012',
  message: 'A response never has both a result and an error',
  fix: 'send one of the two, and leave the other out',
  watch: ({ message }) => (!isResponse(message) ? 'not-seen' : hasBoth(message) ? { breaks: hasBothWords } : 'holds'),
};

const hasBothWords = 'it has a result and an error';

const utf8: WatchRule = {
  id: 'basic-002',
  message: 'Messages are encoded in UTF-8',
  fix: 'encode what is sent in UTF-8',
  watch: ({ exchange }) => (exchange.isUtf8 === false ? { breaks: 'its bytes are not UTF-8' } : 'holds'),
};

/** Tells whether a message is what JSON-RPC 2.0 (§5) rules out; some revisions of MCP say it in words of their own, and have a row for it. */
function hasBoth(message: HeardJson): boolean {
  return (message['result'] ?? null) !== null && (message['error'] ?? null) !== null;
}

const errorParts: WatchRule = {
  id: 'basic-014',
  message: 'An error response has an error with a code and a message',
  fix: 'send "error": {"code": …, "message": "…"}',
  watch({ message }) {
    if (!('error' in message) || message['method'] !== undefined) return 'not-seen';
    const told = error(message);
    if (told === undefined) return { breaks: 'error is no object' };
    if (typeof told['message'] !== 'string')
      return { breaks: `its message is ${JSON.stringify(told['message']) ?? 'missing'}` };
    return told['code'] === undefined ? { breaks: 'it has no code' } : 'holds';
  },
};

const integerCode: WatchRule = {
  id: 'basic-015',
  message: 'The code of an error is an integer',
  fix: 'send codes as numbers, such as -32602',
  watch({ message }) {
    const code = error(message)?.['code'];
    if (code === undefined) return 'not-seen';
    return Number.isInteger(code) ? 'holds' : { breaks: `the code is ${JSON.stringify(code)}` };
  },
};

const ownId: WatchRule = {
  id: 'basic-009',
  message: 'A response has the id of its request, with the same type',
  fix: 'copy the id as it came: a number stays a number, a string a string',
  watch({ message, sent }) {
    if (!isResponse(message) || !('result' in message)) return 'not-seen';
    const asked = sent?.['method'] === undefined ? undefined : sent['id'];
    if (asked === undefined) return 'not-seen';
    if (message['id'] === asked) return 'holds';
    const isLike = idText(message['id']) === idText(asked) || message['id'] === null || message['id'] === undefined;
    // Another id may be that of another request, whose answer came late.
    return isLike
      ? {
          breaks: `the request has the id ${JSON.stringify(asked)}, the response ${JSON.stringify(message['id']) ?? 'none'}`,
        }
      : 'not-seen';
  },
};

/** An id without its type. */
function idText(id: unknown): string | undefined {
  return typeof id === 'string' ? id : JSON.stringify(id);
}

/** Tells whether a message is a request as it should be: what comes of any other may not say whose it is. */
function isWhole(sent: HeardMessage['sent']): boolean {
  if (sent?.['jsonrpc'] !== '2.0' || typeof sent['method'] !== 'string') return false;
  const { id, params } = sent;
  return (typeof id === 'string' || Number.isInteger(id)) && (params === undefined || isObject(params));
}

const ownErrorId: WatchRule = {
  id: 'basic-010',
  message: 'An error repeats the id of its request',
  fix: 'copy the id of the request into the error',
  watch({ message, sent, request, exchange, revision }) {
    if (!('error' in message) || message['method'] !== undefined || !isWhole(sent)) return 'not-seen';
    // A refusal of HTTP need not have read the message, and has a row of its own where it must have.
    const isOfHttp = exchange.status !== undefined && (exchange.status !== 200 || rowOf('http-115').lives(revision));
    if (isOfHttp) return 'not-seen';
    if (request !== undefined) return 'holds';
    // Another id may be that of another request, whose answer came late, and so may one without an id where the answer came too.
    const isMissing = message['id'] === null || message['id'] === undefined;
    return isMissing && responseIn(exchange, sent?.['id']) === undefined
      ? { breaks: `the request has the id ${JSON.stringify(sent?.['id'])}, the error none` }
      : 'not-seen';
  },
};

const requestId: WatchRule = {
  id: 'basic-006',
  message: 'The id of a request is never null',
  fix: 'give each request to a client an id that is a string or an integer',
  watch({ message: { method, id }, message }) {
    // A notification with an id has a row of its own.
    if (typeof method !== 'string' || method.startsWith('notifications/') || !('id' in message)) return 'not-seen';
    return id === null ? { breaks: `that of ${method} is` } : 'holds';
  },
};

const notificationId: WatchRule = {
  id: 'basic-017',
  message: 'A notification has no id',
  fix: 'leave the id out of notifications',
  watch({ message }) {
    const { method } = message;
    if (typeof method !== 'string' || !method.startsWith('notifications/')) return 'not-seen';
    return 'id' in message ? { breaks: `${method} has the id ${JSON.stringify(message['id'])}` } : 'holds';
  },
};

const noRequests: WatchRule = {
  id: 'basic-037',
  message: 'A server sends no JSON-RPC requests; it returns input_required results',
  fix: 'ask by inputRequests in the result',
  watch({ message }) {
    if (isResponse(message)) return 'holds';
    return typeof message['method'] === 'string' && 'id' in message
      ? { breaks: `it sent the request ${wholeText(message['method'])}` }
      : 'not-seen';
  },
};

const resultType: WatchRule = {
  id: 'basic-021',
  fields: ['resultType'],
  message: 'Every result has a resultType',
  fix: 'add "resultType": "complete"',
  watch({ message: { result }, request }) {
    if (!isObject(result) || request === undefined) return 'not-seen';
    return typeof result['resultType'] === 'string'
      ? 'holds'
      : { breaks: `the result of ${wholeText(request['method'])} has no resultType` };
  },
};

const reservedCodes: WatchRule = {
  id: 'basic-028',
  message: 'From -32099 to -32020, the server sends only codes of the specification',
  fix: 'choose codes of your own outside -32768 to -32000',
  watch({ message }) {
    const code = error(message)?.['code'];
    if (typeof code !== 'number') return 'not-seen';
    const isReserved = code >= -32099 && code <= -32020;
    return isReserved && ![-32020, -32021, -32022, -32042].includes(code) ? { breaks: `the code is ${code}` } : 'holds';
  },
};

/** Codes of JSON-RPC 2.0 itself. (JSON-RPC 2.0, §5.1.) */
const standardCodes: readonly unknown[] = [-32700, -32600, -32601, -32602, -32603];

const ownCodes: WatchRule = {
  id: 'basic-031',
  message: 'Codes of its own are outside -32768 to -32000, which JSON-RPC reserves',
  fix: 'choose codes of your own outside -32768 to -32000',
  watch({ message }) {
    const code = error(message)?.['code'];
    if (typeof code !== 'number') return 'not-seen';
    // What lies above may be of an implementation that had it before, or of the specification.
    const isReserved = code >= -32768 && code < -32099 && !standardCodes.includes(code);
    return isReserved ? { breaks: `the code is ${code}` } : 'holds';
  },
};

const formerCodes: WatchRule = {
  id: 'basic-030',
  message: 'The server no longer sends the codes -32002 and -32042',
  fix: 'answer an unknown resource with -32602, and ask for a page by a result of type input_required',
  watch({ message }) {
    const code = error(message)?.['code'];
    if (typeof code !== 'number') return 'not-seen';
    return code === -32002 || code === -32042 ? { breaks: `the code is ${code}` } : 'holds';
  },
};

const serverInfo: WatchRule = {
  id: 'meta-016',
  message: 'Every result names the server in _meta',
  fix: 'add "io.modelcontextprotocol/serverInfo" with name and version to _meta of results',
  watch({ message: { result }, request }) {
    if (!isObject(result) || request === undefined) return 'not-seen';
    const meta = result['_meta'];
    return isObject(meta) && isObject(meta[metaKey.serverInfo])
      ? 'holds'
      : { breaks: `the result of ${wholeText(request['method'])} does not` };
  },
};

const schema: WatchRule = {
  id: 'wire-schema',
  isGeneral: true,
  message: 'Results and notifications match the official schema of the revision',
  fix: 'send what the schema of the revision requires, in its types',
  watch({ message, request, revision }) {
    const { method, result, params } = message;
    const asked = typeof request?.['method'] === 'string' ? methodOf(request['method']) : undefined;
    if (asked?.result !== undefined && 'result' in message && !isObject(result) && message['error'] === undefined)
      return {
        breaks: `the result of ${wholeText(request?.['method'])}: it must be an object`,
        where: wholeText(request?.['method']),
      };
    // What stands beside an error may be there to be nothing.
    if (hasBoth(message) && isObject(result) && Object.keys(result).length === 0) return 'not-seen';
    if (asked?.result !== undefined && isObject(result)) {
      // A need of input, or a task in its place, is of another shape, which rules of its own look at.
      if (result['resultType'] !== undefined && result['resultType'] !== 'complete') return 'not-seen';
      if (isObject(request?.['params']) && request['params']['task'] !== undefined && isObject(result['task']))
        return judged(
          check(revision, createTaskResultShape, result),
          `the result of ${wholeText(request?.['method'])}`,
        );
      return judged(check(revision, asked.result, result), `the result of ${wholeText(request?.['method'])}`);
    }
    const told = typeof method === 'string' ? methodOf(method) : undefined;
    // What the revision does not have has a row of its own.
    if (told === undefined || params === undefined || !maySend('server', told, revision)) return 'not-seen';
    return judged(check(revision, told.params, params), wholeText(method));
  },
};

/** Most places of one message that are told. */
const maxPlaces = 5;

/** Each place is told once, whatever the entry of a list. */
function judged(problems: ReturnType<typeof check>, what: string): ReturnType<WatchRule['watch']> {
  const places = new Map<string, WatchedFault>();
  for (const { path, message } of problems) {
    const place = path.replaceAll(/\d+/g, '');
    if (places.has(place) || places.size === maxPlaces) continue;
    const where = `${what.replace('the result of ', '')} ${path}`.trim();
    places.set(place, { breaks: `${what}: ${path === '' ? 'it' : path} ${message}`, where });
  }
  const [first, ...more] = places.values();
  return first === undefined ? 'holds' : { ...first, more };
}

/** Rules that look at every message. */
export const envelopeRules: readonly WatchRule[] = [
  jsonRpc,
  utf8,
  oneOfTwo('basic-011'),
  oneOfTwo('basic-013'),
  resultOrError,
  errorParts,
  integerCode,
  ownId,
  ownErrorId,
  requestId,
  notificationId,
  noRequests,
  resultType,
  reservedCodes,
  formerCodes,
  ownCodes,
  serverInfo,
  schema,
];
