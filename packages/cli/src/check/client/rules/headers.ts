/** Rules about how clients speak HTTP. */

import { isResponse } from '../../../../../parley/src/jsonrpc/message.ts';
import { monotonicNow } from '../../../../../parley/src/jsonrpc/timeout.ts';
import { methodOf } from '../../../../../parley/src/protocol/catalogue.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import { decodeHeaderValue, headerParametersOf, headerValueOf } from '../../../../../parley/src/connection/header.ts';
import { rowOf } from '../../register.ts';
import { badHeaderTool, toolNamed } from '../catalogue/tools.ts';
import { inQuotes, sameAs, unlessKept, type ClientRule, type HeardOfClient } from '../client-rule.ts';
import { isAsking, metaOf, paramsOf, saidText } from '../client-session.ts';
import { oddNameIn } from './names.ts';

const isPost = ({ http }: HeardOfClient): boolean => http?.method === 'POST';
const isOpening = ({ message }: HeardOfClient): boolean => message['method'] === 'initialize';

/** Tells whether a message belongs to a session that was opened. */
const isLater = (heard: HeardOfClient): boolean => heard.clientSession.stage !== 'new' && !isOpening(heard);

const accepts: ClientRule = {
  id: 'http-009',
  message: 'Each POST accepts both application/json and text/event-stream',
  fix: 'send Accept: application/json, text/event-stream',
  watch(heard) {
    if (!isPost(heard)) return 'not-seen';
    const accept = heard.http?.headers['accept'];
    const isBoth = ['application/json', 'text/event-stream'].every((type) => accept?.toLowerCase().includes(type));
    return unlessKept(isBoth, `Accept is ${inQuotes(accept)}`);
  },
};

const oneEach: ClientRule = {
  id: 'http-008',
  message: 'Each message is a POST of its own',
  fix: 'send one message a POST; batches were part of 2025-03-26 alone',
  lives: (revision) => !revision.batches && rowOf('http-008').lives(revision),
  watch: (heard) => (isPost(heard) ? unlessKept(heard.batch === 0, `a batch of ${heard.batch} came`) : 'not-seen'),
};

const kinds: ClientRule = {
  id: 'http-010',
  message: 'A batch has requests and notifications, or has responses',
  fix: 'send answers in a batch of their own',
  watch(heard) {
    const { parts = [] } = heard;
    if (!isPost(heard) || parts.length === 0) return 'not-seen';
    const answers = parts.filter((part) => isResponse(part)).length;
    return unlessKept(answers === 0 || answers === parts.length, `${answers} of ${parts.length} are answers`);
  },
};

const utf8: ClientRule = {
  id: 'basic-002',
  message: 'JSON is sent as UTF-8',
  fix: 'encode bodies as UTF-8, whatever the charset of the machine is',
  watch: (heard) =>
    isPost(heard) ? unlessKept(heard.http?.isUtf8 !== false, 'the bytes of the body are no UTF-8') : 'not-seen',
};

const noPostedAnswers: ClientRule = {
  id: 'http-013',
  message: 'No response is posted',
  fix: 'send inputResponses with the request that was answered by input_required',
  watch: (heard) => (isPost(heard) ? unlessKept(!isResponse(heard.message), 'it posted a response') : 'not-seen'),
};

const listens: ClientRule = {
  id: 'http-031',
  message: 'A GET that listens accepts text/event-stream',
  fix: 'send Accept: text/event-stream',
  watch({ http }) {
    if (http?.method !== 'GET') return 'not-seen';
    const { accept } = http.headers;
    return unlessKept(accept?.toLowerCase().includes('text/event-stream') === true, `Accept is ${inQuotes(accept)}`);
  },
};

const sessionSent: ClientRule = {
  id: 'http-045',
  message: 'Every later request has the session id of the initialize response',
  fix: 'send Mcp-Session-Id with each POST, GET and DELETE of the session',
  watch(heard) {
    if (heard.http === undefined || !isLater(heard)) return 'not-seen';
    return unlessKept(
      heard.http.headers['mcp-session-id'] !== undefined,
      `${nameOf(heard)} came without Mcp-Session-Id`,
    );
  },
};

/**
 * Time after which a client surely knows that its session is gone, in milliseconds: earlier messages may have been
 * under way.
 */
export const knownMs = 2_000;

const startsOver: ClientRule = {
  id: 'http-048',
  message: 'After a 404, the client starts a new session with initialize and no session id',
  fix: 'on 404 forget the session, send initialize without Mcp-Session-Id, and repeat what failed',
  watch(heard) {
    const { clientSession, http, message } = heard;
    if (http?.method !== 'POST') return 'not-seen';
    if (isOpening(heard) && clientSession.isAfterLoss)
      return unlessKept(http.headers['mcp-session-id'] === undefined, 'it sent initialize with a session id');
    // A message that was under way when the session was lost, and a cancellation, prove nothing.
    if (!clientSession.isLost || !isAsking(message) || monotonicNow() - clientSession.lostAt < knownMs)
      return 'not-seen';
    return { breaks: `it sent ${saidText(message['method'])} in the session that is gone` };
  },
};

const ends: ClientRule = {
  id: 'http-049',
  message: 'The client ends an unneeded session with DELETE',
  fix: 'send DELETE with the session id when the client closes',
  atEnd({ session, isLost, isDeleted, stage }, { isGone }) {
    // A running client may still need the session.
    if (!isGone || session === undefined || isLost || stage === 'new') return 'not-seen';
    return unlessKept(isDeleted, 'the session was left open');
  },
};

const revisionSent: ClientRule = {
  id: 'http-050',
  message: 'MCP-Protocol-Version is sent with every request after the first',
  fix: 'send MCP-Protocol-Version with each POST, GET and DELETE of the session',
  watch(heard) {
    if (heard.http === undefined || !isLater(heard)) return 'not-seen';
    const isThere = heard.http.headers['mcp-protocol-version'] !== undefined;
    return unlessKept(isThere, `${nameOf(heard)} came without MCP-Protocol-Version`);
  },
};

const revisionAgreed: ClientRule = {
  id: 'http-051',
  message: 'MCP-Protocol-Version names the negotiated revision',
  fix: 'send what initialize was answered with, not what was asked for',
  watch(heard) {
    const said = heard.http?.headers['mcp-protocol-version'];
    if (said === undefined || !isLater(heard)) return 'not-seen';
    return unlessKept(
      said === heard.revision.date,
      `it says ${inQuotes(said)}, and ${heard.revision.date} was agreed on`,
    );
  },
};

const revisionAlways: ClientRule = {
  id: 'http-064',
  message: 'Every POST has MCP-Protocol-Version',
  fix: 'send MCP-Protocol-Version with each POST',
  watch: (heard) =>
    isPost(heard)
      ? unlessKept(heard.http?.headers['mcp-protocol-version'] !== undefined, `${nameOf(heard)} came without it`)
      : 'not-seen',
};

const revisionTwice: ClientRule = {
  id: 'http-065',
  message: 'MCP-Protocol-Version equals protocolVersion in _meta',
  fix: 'make both of one value',
  watch(heard) {
    const said = heard.http?.headers['mcp-protocol-version'];
    const inside = metaOf(heard.message)[metaKey.protocolVersion];
    if (said === undefined || inside === undefined) return 'not-seen';
    return unlessKept(said === inside, `the header says ${inQuotes(said)}, the message ${inQuotes(inside)}`);
  },
};

const methodHeader: ClientRule = {
  id: 'http-071',
  message: 'Every request names its method in Mcp-Method',
  fix: 'send Mcp-Method with each POST',
  watch(heard) {
    const { message, http } = heard;
    if (!isPost(heard) || typeof message['method'] !== 'string') return 'not-seen';
    const said = http?.headers['mcp-method'];
    return unlessKept(said === message['method'], `Mcp-Method of ${nameOf(heard)} is ${inQuotes(said)}`);
  },
};

const nameHeader: ClientRule = {
  id: 'http-072',
  message: 'tools/call, resources/read and prompts/get name the tool, URI or prompt in Mcp-Name',
  fix: 'send Mcp-Name with params.name, or params.uri of a resource',
  watch({ message, http }) {
    const field = methodOf(saidText(message['method']))?.nameParam;
    // A task is named for another row.
    if (http === undefined || field === undefined || field === 'taskId' || !isAsking(message)) return 'not-seen';
    // A name that cannot be sent unencoded is checked there too.
    if (oddNameIn(message) !== undefined && http.headers['mcp-name'] !== undefined) return 'not-seen';
    const said = http.headers['mcp-name'];
    const value = said === undefined ? undefined : decodeHeaderValue(said);
    return unlessKept(
      value === paramsOf(message)[field],
      `Mcp-Name is ${inQuotes(said)}, ${field} ${inQuotes(paramsOf(message)[field])}`,
    );
  },
};

const mirrors: ClientRule = {
  id: 'http-081',
  yields: true,
  message: 'A call of a tool with x-mcp-header has its Mcp-Param headers, encoded if required',
  fix: 'send Mcp-Param-<name> with the text of the argument, and leave it out where the argument is missing or null',
  watch({ message, http, clientSession }) {
    const { name, arguments: given } = paramsOf(message);
    const tool = message['method'] === 'tools/call' ? toolNamed(saidText(name)) : undefined;
    // A client that has not listed the tool cannot know.
    if (http === undefined || tool === undefined || !clientSession.done.has('tools/list')) return 'not-seen';
    const { parameters } = headerParametersOf(tool['inputSchema']);
    if (parameters.length === 0) return 'not-seen';
    const saidOf = (parameter: string): string | undefined => http.headers[`mcp-param-${parameter.toLowerCase()}`];
    const wrong = parameters.find(({ name: parameter, path }) => {
      const said = saidOf(parameter);
      return (said === undefined ? undefined : decodeHeaderValue(said)) !== headerValueOf(given, path);
    });
    return unlessKept(wrong === undefined, `Mcp-Param-${wrong?.name} is ${inQuotes(saidOf(wrong?.name ?? ''))}`);
  },
};

const leavesOut: ClientRule = {
  id: 'http-090',
  message: 'A tool with an invalid x-mcp-header is left out of the list and never called',
  fix: 'look at x-mcp-header of each listed tool, and drop the tool where it is no token of HTTP, is there twice, or stands at no scalar',
  watch: ({ message }) =>
    message['method'] === 'tools/call' && paramsOf(message)['name'] === badHeaderTool
      ? { breaks: `it called ${badHeaderTool}` }
      : 'not-seen',
  atEnd: ({ done }, { listed }) => (listed.has(badHeaderTool) && done.has('tools/call') ? 'holds' : 'not-seen'),
};

function nameOf({ message, http }: HeardOfClient): string {
  return typeof message['method'] === 'string'
    ? message['method']
    : isResponse(message)
      ? 'an answer'
      : (http?.method ?? 'it');
}

/** Rules about HTTP. */
export const headerRules: readonly ClientRule[] = [
  oneEach,
  sameAs(oneEach, 'http-011', 'A body is one request, notification or response'),
  sameAs(oneEach, 'http-012', 'A body is one request or notification'),
  accepts,
  kinds,
  utf8,
  noPostedAnswers,
  listens,
  sessionSent,
  startsOver,
  ends,
  revisionSent,
  sameAs(revisionSent, 'lifecycle-017', 'MCP-Protocol-Version is sent with every request after initialize'),
  revisionAgreed,
  revisionAlways,
  revisionTwice,
  methodHeader,
  nameHeader,
  mirrors,
  sameAs(mirrors, 'http-080', 'Arguments with x-mcp-header are also sent as headers'),
  leavesOut,
].map((rule) => ({ ...rule, over: 'http' as const }));
