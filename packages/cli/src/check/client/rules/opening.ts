/** Rules about the opening of a conversation, and the messages in it. */

import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { monotonicNow } from '../../../../../parley/src/jsonrpc/timeout.ts';
import { mayAsk, methodOf } from '../../../../../parley/src/protocol/catalogue.ts';
import { unlessKept, inQuotes, type ClientRule } from '../client-rule.ts';
import { isSecondCursor } from '../catalogue/tools.ts';
import { idText, isAsking, paramsOf, saidText, type ClientSession } from '../client-session.ts';

const first: ClientRule = {
  id: 'lifecycle-001',
  message: 'The first message of a client is initialize',
  fix: 'send initialize first, and wait for its answer',
  watch({ message, clientSession }) {
    if (clientSession.stage !== 'new' || typeof message['method'] !== 'string') return 'not-seen';
    return unlessKept(
      message['method'] === 'initialize' || message['method'] === 'ping',
      `it began with ${message['method']}`,
    );
  },
};

const parts: ClientRule = {
  id: 'lifecycle-002',
  message: 'initialize has the revision, the capabilities, the name and the version of the client',
  fix: 'send protocolVersion, capabilities and clientInfo with initialize',
  watch({ message }) {
    if (message['method'] !== 'initialize') return 'not-seen';
    const { protocolVersion, capabilities, clientInfo } = paramsOf(message);
    if (typeof protocolVersion !== 'string') return { breaks: `protocolVersion is ${inQuotes(protocolVersion)}` };
    if (!isObject(capabilities)) return { breaks: `capabilities is ${inQuotes(capabilities)}` };
    return unlessKept(isObject(clientInfo), `clientInfo is ${inQuotes(clientInfo)}`);
  },
};

/** Time by which one message may overtake another over HTTP, in milliseconds. */
const overtakenMs = 10_000;

const initialized: ClientRule = {
  id: 'lifecycle-004',
  message: 'The client sends notifications/initialized after the initialize result',
  fix: 'send notifications/initialized before the first request',
  watch({ message, clientSession }) {
    if (clientSession.stage !== 'answered' || typeof message['method'] !== 'string') return 'not-seen';
    if (message['method'] === 'notifications/initialized')
      return unlessKept(
        clientSession.early === undefined || monotonicNow() - clientSession.early.at < overtakenMs,
        `it sent ${clientSession.early?.method} before`,
      );
    // What it says meanwhile may be that it needs nothing any more.
    const isUse = isAsking(message) && message['method'] !== 'ping' && message['method'] !== 'initialize';
    // Over HTTP it may have said so before, by a connection that took longer.
    if (isUse && clientSession.over !== 'stdio')
      clientSession.early ??= { method: message['method'], at: monotonicNow() };
    return isUse && clientSession.over === 'stdio' ? { breaks: `it sent ${message['method']} before` } : 'not-seen';
  },
  atEnd: ({ stage, early }, { isGone }) =>
    stage === 'answered' && early !== undefined && (isGone || monotonicNow() - early.at > overtakenMs)
      ? { breaks: `it sent ${early.method}, and never notifications/initialized` }
      : 'not-seen',
};

const patient: ClientRule = {
  id: 'lifecycle-005',
  message: 'Before the initialize result, a client sends only ping',
  fix: 'wait for the answer to initialize',
  watch({ message, clientSession }) {
    const isOpening = [...clientSession.open.values()].some(({ method }) => method === 'initialize');
    if (!isOpening || !isAsking(message)) return message['method'] === 'initialize' ? 'holds' : 'not-seen';
    return unlessKept(message['method'] === 'ping', `it sent ${inQuotes(message['method'])}`);
  },
};

const declared: ClientRule = {
  id: 'lifecycle-009',
  message: 'A client uses only capabilities that the server declared',
  fix: 'look into the capabilities of the server before you ask',
  watch({ message, clientSession, revision }) {
    const { method } = message;
    if (!isAsking(message)) return 'not-seen';
    const isOfTasks = saidText(method).startsWith('tasks/') && mayAsk(revision, saidText(method));
    const hasTasks = clientSession.offersTasks && (method !== 'tasks/list' || clientSession.over === 'stdio');
    // The catalogue declares none of these.
    const isForeign =
      ['resources/subscribe', 'logging/setLevel', 'completion/complete'].includes(saidText(method)) ||
      (isOfTasks && !hasTasks);
    return unlessKept(!isForeign, `it asked for ${inQuotes(method)}, which was not declared`);
  },
};

const ownCancel: ClientRule = {
  id: 'cancel-001',
  message: 'A cancellation names a pending request',
  fix: 'name the id of a request of yours that runs',
  watch({ message, clientSession }) {
    if (message['method'] !== 'notifications/cancelled') return 'not-seen';
    const { requestId } = paramsOf(message);
    if (requestId === undefined) return 'not-seen';
    // An answer may cross it.
    return unlessKept(clientSession.ids.has(idText(requestId)), `no request had the id ${inQuotes(requestId)}`);
  },
};

const namesCancelled: ClientRule = {
  id: 'cancel-004',
  message: 'A cancellation names its request',
  fix: 'send requestId with notifications/cancelled',
  watch({ message }) {
    if (message['method'] !== 'notifications/cancelled') return 'not-seen';
    return unlessKept(paramsOf(message)['requestId'] !== undefined, 'requestId is missing');
  },
};

const noOpeningCancelled: ClientRule = {
  id: 'cancel-002',
  message: 'initialize is never cancelled',
  fix: 'close the connection instead',
  watch({ message, clientSession }) {
    if (message['method'] !== 'notifications/cancelled') return 'not-seen';
    const request = clientSession.open.get(idText(paramsOf(message)['requestId']));
    return unlessKept(request?.method !== 'initialize', 'it cancelled initialize');
  },
};

const saysSo: ClientRule = {
  id: 'http-030',
  over: 'http',
  message: 'A client cancels a request with notifications/cancelled',
  fix: 'send notifications/cancelled, and close its stream after that, if at all',
  atEnd({ longCalls }) {
    const wrong = longCalls.find((call) => call.isClosed && !call.isCancelled && call.laterAsks > 0);
    if (wrong !== undefined)
      return { breaks: `the stream of request ${inQuotes(wrong.id)} was closed, and no word came` };
    return longCalls.some((call) => call.isCancelled) ? 'holds' : 'not-seen';
  },
};

const closesStream: ClientRule = {
  id: 'cancel-011',
  message: 'A client cancels by closing the stream over HTTP, and with notifications/cancelled over stdio',
  fix: 'abort the POST of the request; over stdio send notifications/cancelled',
  atEnd({ longCalls, over }) {
    const isRight =
      over === 'http' ? longCalls.some((call) => call.isClosed) : longCalls.some((call) => call.isCancelled);
    // Who says nothing may want the answer.
    const isWrong = over === 'http' && longCalls.some((call) => call.isCancelled && !call.isClosed);
    return isWrong ? { breaks: 'a notification came, and the stream was left open' } : isRight ? 'holds' : 'not-seen';
  },
};

const pinged: ClientRule = {
  id: 'ping-001',
  message: 'A ping is answered, with an empty result',
  fix: 'answer ping with {}',
  watch({ message, put }) {
    // Another row checks its own questions.
    if (put?.method !== 'ping' || put.probe !== undefined) return 'not-seen';
    const { result } = message;
    return unlessKept(
      isObject(result) && Object.keys(result).every((key) => key === '_meta'),
      `the answer is ${inQuotes(result ?? message['error'])}`,
    );
  },
  // The next question is sent when this one got no answer: a slow client answers neither.
  atEnd(clientSession) {
    const isOpen = [...clientSession.put].some(
      ([key, { method, probe }]) => method === 'ping' && probe === undefined && clientSession.isUnanswered(key),
    );
    return isOpen && clientSession.done.has('answered ask') ? { breaks: 'it was not answered' } : 'not-seen';
  },
};

const fileRoots: ClientRule = {
  id: 'roots-004',
  message: 'The URI of a root begins with file://',
  fix: 'give only folders as roots, as file: URIs',
  watch({ message, put, clientSession }) {
    const given =
      put?.method === 'roots/list'
        ? message['result']
        : answerIn(
            message,
            clientSession.rounds.flatMap(({ asked }) => [...asked]),
          );
    const roots = isObject(given) ? given['roots'] : undefined;
    if (!Array.isArray(roots) || roots.length === 0) return 'not-seen';
    const wrong = roots.find((root: unknown) => !isObject(root) || !/^file:\/\//i.test(saidText(root['uri'])));
    return unlessKept(wrong === undefined, `it gave ${inQuotes(wrong)}`);
  },
};

/** The answer to a question for roots in a repeated request. */
function answerIn(
  message: Readonly<Record<string, unknown>>,
  asked: readonly (readonly [string, { readonly method: string }])[],
): unknown {
  const { inputResponses } = paramsOf(message);
  const [key] = asked.find(([, { method }]) => method === 'roots/list') ?? [];
  return isObject(inputResponses) && key !== undefined ? inputResponses[key] : undefined;
}

const cursors: ClientRule = {
  id: 'page-002',
  message: 'Cursors are sent back unchanged',
  fix: 'send nextCursor as it is, and make none up',
  watch({ message, clientSession }) {
    const { cursor } = paramsOf(message);
    if (cursor === undefined || !saidText(message['method']).endsWith('/list')) return 'not-seen';
    if (isKept(cursor, clientSession)) return 'not-seen';
    return unlessKept(
      typeof cursor === 'string' && clientSession.cursors.has(cursor),
      `the cursor ${inQuotes(cursor)} was never given`,
    );
  },
};

/** Tells whether a cursor is one of another session. */
function isKept(cursor: unknown, { cursors: given, revision }: ClientSession): boolean {
  return revision?.sessions === true && isSecondCursor(cursor) && !given.has(saidText(cursor));
}

const ofSession: ClientRule = {
  id: 'page-003',
  message: 'A cursor is used only in its session',
  fix: 'forget all cursors when a session is over, and list from the beginning',
  watch({ message, clientSession }) {
    const { cursor } = paramsOf(message);
    if (!isSecondCursor(cursor) || clientSession.revision?.sessions !== true) return 'not-seen';
    return unlessKept(!isKept(cursor, clientSession), `${inQuotes(cursor)} was given in another session`);
  },
};

const negotiated: ClientRule = {
  id: 'lifecycle-008',
  message: 'A client sends only methods of the negotiated revision',
  fix: 'look at the protocolVersion of the answer to initialize before you ask for what another revision has',
  watch({ message, clientSession, revision }) {
    const { method } = message;
    if (!isAsking(message) || clientSession.stage === 'new' || method === 'initialize') return 'not-seen';
    // Who looks for the newest revision does so in its words.
    if (typeof method !== 'string' || methodOf(method) === undefined || method === 'server/discover') return 'not-seen';
    return unlessKept(mayAsk(revision, method), `${revision.date} has no ${inQuotes(method)}`);
  },
};

const emptyCursor: ClientRule = {
  id: 'page-004',
  message: 'An empty cursor is a valid cursor: a list ends only without nextCursor',
  fix: 'compare nextCursor with undefined; an empty cursor is falsy',
  atEnd({ cursors: given, usedCursors }) {
    // Who never asks for a second page may want none.
    if (!given.has('') || ![...usedCursors].some(isSecondCursor)) return 'not-seen';
    return unlessKept(
      usedCursors.has(''),
      'it asked for the second page, and not for the third, whose cursor is empty',
    );
  },
};

const endpoint: ClientRule = {
  id: 'sse-003',
  over: 'sse',
  message: 'Messages are posted to the endpoint that the stream names',
  fix: 'resolve the data of the event endpoint against the address of the stream, and post there',
  atEnd: ({ misplaced, ids }) =>
    misplaced === undefined ? (ids.size > 0 ? 'holds' : 'not-seen') : { breaks: `this came elsewhere: ${misplaced}` },
};

/** Rules about the course of a conversation. */
export const openingRules: readonly ClientRule[] = [
  first,
  parts,
  initialized,
  patient,
  declared,
  ownCancel,
  { ...ownCancel, id: 'cancel-013' },
  namesCancelled,
  noOpeningCancelled,
  saysSo,
  closesStream,
  pinged,
  fileRoots,
  cursors,
  ofSession,
  negotiated,
  { ...negotiated, id: 'lifecycle-007' },
  emptyCursor,
  endpoint,
];
