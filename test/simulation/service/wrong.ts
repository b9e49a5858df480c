/** What peers say wrong: answers in the place of a server's, as proxies and servers of others give them, and words between the events of a stream. */

import type { FetchRequest } from '../../../packages/parley/src/jsonrpc/fetch.ts';
import { chance } from './chance.ts';

/** An answer in the place of a server's. */
export interface WrongAnswer {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What becomes of its body: it breaks off, or does not end; it is whole where that is left out. */
  readonly then?: 'breaks' | 'stays';
}

/** How large a message of a server may be for clients of a service that says wrong things, in bytes. */
export const wrongLimit = 20_000;

/** What is logged where no log belongs. */
export const misplaced = 'misplaced';

const json = 'application/json';
const events = 'text/event-stream';

/** Chooses by seed and exchange. */
export class Wrong {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** What a request is answered with, which reaches no server. */
  instead(flow: number, request: FetchRequest): WrongAnswer {
    const { id, method } = namesOf(request.body);
    const own =
      request.method === 'GET' ? toStreams : id === undefined || method === undefined ? [] : toRequests(id, method);
    // That something was taken which was not is a lie that nobody could see through.
    const all = own.length > 0 ? [...always, ...own] : always.filter(({ status }) => status > 204);
    return all[Math.floor(chance(this.#seed, 'instead', flow) * all.length)]!;
  }

  /** What is said in the place of the word that a message was taken, which it was. */
  taken(flow: number): WrongAnswer {
    return insteadOfTaken[Math.floor(chance(this.#seed, 'taken', flow) * insteadOfTaken.length)]!;
  }

  /** What stands between two events of the stream that answers a request. */
  between(flow: number, piece: number, request: FetchRequest): string {
    const { id, method } = namesOf(request.body);
    const all = [
      ...anywhere,
      ...(method === 'subscriptions/listen' ? [...onListen(id), ...onListen(id), ...onListen(id)] : []),
      ...(request.method === 'GET' ? [tooLong, tooLong, tooLong] : []),
    ];
    return all[Math.floor(chance(this.#seed, 'between', flow, piece) * all.length)]!;
  }
}

function namesOf(body: string | undefined): { readonly id?: unknown; readonly method?: string } {
  return body === undefined ? {} : (JSON.parse(body) as { readonly id?: unknown; readonly method?: string });
}

const error = (code: number, id: unknown, data?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error: { code, message: 'no', data } });

const always: readonly WrongAnswer[] = [
  { status: 200, type: 'text/html; charset=utf-8', body: '<html>' },
  { status: 204 },
  { status: 400, type: 'text/plain', body: 'Bad Request: No valid session ID provided' },
  { status: 400, type: json, body: error(-32_600, null) },
  { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } },
  { status: 403, type: 'text/html', body: '<html>' },
  { status: 404, type: 'text/plain', body: 'Not Found' },
  { status: 405 },
  { status: 307, headers: { Location: 'http://elsewhere/' } },
  { status: 408 },
  { status: 429, headers: { 'Retry-After': 'Fri, 15 Jan 2027 08:00:20 GMT' } },
  { status: 500, type: 'text/html', body: '<html>' },
  { status: 502, headers: { 'Retry-After': 'soon' } },
  { status: 500, type: 'text/plain', body: 'Internal', then: 'breaks' },
];

const logged = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/strange', params: {} })}\n\n`;

/** In the place of 202: pages, messages, and streams that end, break off, say too much, or never end. */
const insteadOfTaken: readonly WrongAnswer[] = [
  { status: 200, type: 'text/html', body: '<html>' },
  { status: 200, type: json, body: '{}' },
  { status: 200, type: events, body: logged },
  { status: 200, type: events, body: logged, then: 'breaks' },
  { status: 200, type: events, body: logged, then: 'stays' },
  { status: 200, type: events, body: logged.repeat(130), then: 'stays' },
];

/** In the place of the stream for what belongs to no request, and of that of HTTP+SSE. */
const toStreams: readonly WrongAnswer[] = [
  { status: 200, type: json, body: '{}' },
  { status: 200, type: events, body: '' },
  { status: 200, type: events, body: 'data: {"jsonrpc"\n\n' },
  { status: 200, type: events, body: `data: ${'.'.repeat(wrongLimit + 1)}\n\n` },
  { status: 200, type: events, body: 'event: endpoint\ndata: http://elsewhere/messages\n\n' },
  { status: 200, type: events, body: 'event: endpoint\ndata: http://[\n\n' },
  { status: 200, type: events, body: 'data:\n\n' },
  { status: 200, type: events, body: 'data:\n\n', then: 'breaks' },
  { status: 409 },
];

/** In the place of an answer to a request. */
function toRequests(id: unknown, method: string): readonly WrongAnswer[] {
  const event = (data: string): WrongAnswer => ({ status: 200, type: events, body: `data: ${data}\n\n` });
  return [
    { status: 200 },
    { status: 202 },
    { status: 200, type: json, body: '{"jsonrpc"' },
    { status: 200, type: json, body: '[]' },
    { status: 200, type: json, body: ' ' },
    { status: 200, type: json, body: `"${'.'.repeat(wrongLimit + 1)}"` },
    { status: 200, type: json, body: JSON.stringify({ jsonrpc: '2.0', id, result: 'none' }) },
    { status: 200, type: json, body: JSON.stringify({ jsonrpc: '2.0', id }) },
    { status: 200, type: json, body: JSON.stringify([{ jsonrpc: '2.0', id: 'nobodys', result: {} }]) },
    { status: 200, type: json, body: error(-32_603, id) },
    { status: 200, type: json, body: error(-32_603, undefined) },
    { status: 400, type: json, body: '[]' },
    { status: 400, type: json, body: JSON.stringify({ jsonrpc: '2.0', id, error: 'no' }) },
    { status: 400, type: json, body: error(-32_602, id) },
    { status: 400, type: json, body: error(-32_602, 'nobodys') },
    { status: 400, type: json, body: error(-32_000, undefined) },
    { status: 404, type: json, body: error(-32_601, id) },
    { status: 404, type: json, body: error(-32_001, id) },
    { status: 503, type: json, body: error(-32_603, id) },
    event('{"jsonrpc"'),
    event('.'.repeat(wrongLimit + 1)),
    event(error(-32_603, null)),
    event(error(-32_603, id)),
    // Who says at the beginning what alone it speaks is believed.
    ...(method === 'initialize'
      ? []
      : [
          { status: 400, type: json, body: error(-32_022, id, { supported: ['2099-01-01'], requested: '2026-07-28' }) },
        ]),
    ...(method === 'subscriptions/listen'
      ? [event(acknowledged({ notifications: 5 })), event(acknowledged({ notifications: {} }))]
      : []),
  ];
}

const notification = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', method, params });

const acknowledged = (params: object): string => notification('notifications/subscriptions/acknowledged', params);

/** An event after which a stream cannot be read. */
export const tooLong: string = `data: ${'.'.repeat(wrongLimit + 1)}\n\n`;

/** In streams of all kinds; none of it gives an answer in the place of the server. */
const anywhere: readonly string[] = [
  ': comment\n\n',
  'event: strange\ndata: x\n\n',
  'data:\n\n',
  'id:\ndata:\n\n',
  'retry: 50\n\n',
  'retry: soon\n\n',
  'data: {"jsonrpc"\n\n',
  'data: []\n\n',
  'data: "none"\n\n',
  ...[
    JSON.stringify({ jsonrpc: '2.0', id: 987_654, result: {} }),
    JSON.stringify({ jsonrpc: '2.0', id: 'nobodys', result: {} }),
    JSON.stringify({ jsonrpc: '2.0', id: {}, result: {} }),
    JSON.stringify({ jsonrpc: '2.0', id: 'zz', method: 'nothing/at-all' }),
    JSON.stringify({ jsonrpc: '2.0', id: 'zz', method: 'sampling/createMessage', params: {} }),
    JSON.stringify({ jsonrpc: '2.0', id: 'zz', method: 'ping' }),
    error(-32_603, undefined),
    notification('nothing/at-all', {}),
    notification('notifications/progress', { progressToken: 'nobodys', progress: 1 }),
    notification('notifications/progress', { progressToken: 1, progress: 'far' }),
    notification('notifications/message', { level: 'loud' }),
    notification('notifications/cancelled', { requestId: 987_654 }),
    notification('notifications/tools/list_changed', {}),
    notification('notifications/resources/updated', { uri: 'news://nobodys' }),
    notification('notifications/resources/updated', {}),
    acknowledged({ notifications: { toolsListChanged: true } }),
  ].map((text) => `data: ${text}\n\n`),
];

/** On the stream of a subscription whose request has this id. */
function onListen(id: unknown): readonly string[] {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  return [
    notification('notifications/cancelled', { requestId: id }),
    acknowledged({ _meta, notifications: { toolsListChanged: true } }),
    acknowledged({ _meta, notifications: 5 }),
    notification('notifications/progress', { _meta, progressToken: 1, progress: 1 }),
    notification('notifications/message', { _meta, level: 'error', data: misplaced }),
    notification('notifications/resources/updated', { _meta, uri: 'news://nobodys' }),
    notification('notifications/prompts/list_changed', { _meta }),
    notification('notifications/tools/list_changed', { _meta }),
  ].map((text) => `data: ${text}\n\n`);
}
