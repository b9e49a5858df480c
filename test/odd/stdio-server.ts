/** A server of sessions on stdio that answers in order, and is odd in the one way that its argument names. */

import { createInterface } from 'node:readline';

type Json = Readonly<Record<string, unknown>>;

/** What a server writes in place of its answer to a message: nothing for `undefined`, and it ends for `end`. */
type Odd = (message: Json, answer: string | undefined) => string | undefined;

const results: Readonly<Record<string, Json>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'odd', version: '1' },
  },
  'tools/list': { tools: [{ name: 'odd', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
  ping: {},
};

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** Says something ahead of the answer to `initialize`. */
const ahead =
  (value: unknown): Odd =>
  ({ method }, answer) =>
    method === 'initialize' ? line(value) + answer : answer;

/** Changes the answer to `tools/list`. */
const listed =
  (change: (answer: Json) => unknown): Odd =>
  ({ method }, answer = '') =>
    method === 'tools/list' ? line(change(JSON.parse(answer) as Json)) : answer;

/** Answers each notification with an error. */
const complains =
  (error: Json): Odd =>
  ({ id }, answer) =>
    id === undefined ? line({ jsonrpc: '2.0', ...error }) : answer;

const odd: Readonly<Record<string, Odd>> = {
  'nothing odd': (_, answer) => answer,
  'a text at its start': ({ method }, answer) => (method === 'initialize' ? `Server is running\n${answer}` : answer),
  'a text before each answer': (_, answer) => answer && `[info] a request came\n${answer}`,
  'JSON that is no message': (_, answer) => answer && `{"level":"info","msg":"a request"}\n${answer}`,
  'JSON that is no object': (_, answer) => answer && `7\n"text"\nnull\n${answer}`,
  'a byte order mark': ({ method }, answer) => (method === 'tools/list' ? `\uFEFF${answer}` : answer),
  'lines that end with a carriage return': (_, answer) => answer?.replace('\n', '\r\n'),
  'empty lines': (_, answer) => answer && `\n\n${answer}\n`,
  'blanks around each message': (_, answer) => answer && `  ${answer.trimEnd()} \t\n`,
  'ids as text': ({ id }, answer) => answer?.replace(`"id":${String(id)}`, `"id":"${String(id)}"`),
  'ids with a fraction': ({ id }, answer) => answer?.replace(`"id":${String(id)}`, `"id":${String(id)}.0`),
  'no version of JSON-RPC': listed(({ id, result }) => ({ id, result })),
  'a number as version of JSON-RPC': listed((answer) => ({ ...answer, jsonrpc: 2 })),
  'an error of null beside the result': listed((answer) => ({ ...answer, error: null })),
  'a result of null beside the error': listed(({ id }) => ({
    jsonrpc: '2.0',
    id,
    result: null,
    error: { code: -32603, message: 'no' },
  })),
  'an error without a message': listed(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32603 } })),
  'an error whose code is text': listed(({ id }) => ({ jsonrpc: '2.0', id, error: { code: '7', message: 'no' } })),
  'an error that is text': listed(({ id }) => ({ jsonrpc: '2.0', id, error: 'no' })),
  'a result that is a list': listed((answer) => ({ ...answer, result: [] })),
  'an answer with params': listed((answer) => ({ ...answer, params: {} })),
  'an answer with the method': listed((answer) => ({ ...answer, method: 'tools/list' })),
  'each answer twice': (_, answer) => answer && answer + answer,
  'an answer as a batch': listed((answer) => [answer]),
  'an answer to nothing': (_, answer) => answer && line({ jsonrpc: '2.0', id: 99, result: {} }) + answer,
  'an error without a method for notifications': complains({ id: null, error: { code: -32601, message: 'no' } }),
  'an invalid request for notifications': complains({ id: null, error: { code: -32600, message: 'no id' } }),
  'an error without an id for notifications': complains({ error: { code: -32600, message: 'no id' } }),
  'an error with an id of its own for notifications': complains({ id: -1, error: { code: -32601, message: 'no' } }),
  'a result for notifications': complains({ id: null, result: {} }),
  'a log message before its first answer': ahead({
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level: 'info', data: 'x' },
  }),
  'a ping before its first answer': ahead({ jsonrpc: '2.0', id: 'a', method: 'ping' }),
  'a ping without a text or number as id': ahead({ jsonrpc: '2.0', id: null, method: 'ping' }),
  'a ping with params of null': ahead({ jsonrpc: '2.0', id: 'a', method: 'ping', params: null }),
  'a ping with a large id': (message, answer) =>
    message['method'] === 'initialize' ? `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}\n${answer}` : answer,
  'a question before it is initialized': ahead({ jsonrpc: '2.0', id: 'a', method: 'roots/list' }),
  'an unknown question': ahead({ jsonrpc: '2.0', id: 'a', method: 'own/question', params: {} }),
  'an unknown notification': ahead({ jsonrpc: '2.0', method: 'notifications/own' }),
  'a notification with params of null': ahead({ jsonrpc: '2.0', method: 'notifications/own', params: null }),
  'a notification with a list of params': ahead({ jsonrpc: '2.0', method: 'notifications/own', params: [] }),
  'progress of nothing': ahead({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 9, progress: 1 },
  }),
  'a cancellation of nothing': ahead({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'z' } }),
  'a log message without data': ahead({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info' } }),
  'a log message of an unknown level': ahead({
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level: 'fatal', data: 'x' },
  }),
  'an end at an unknown method': ({ method }, answer) => {
    const isKnown = String(method) in results || String(method).startsWith('notifications/');
    return isKnown ? answer : 'end';
  },
};

/** What the server writes at a message; nothing is written for `undefined`. */
export function written(does: string, text: string): string | undefined {
  const message = JSON.parse(text) as Json & { readonly method?: string };
  const { id, method } = message;
  // It takes no answers.
  if (method === undefined) return undefined;
  const result = results[method];
  const body = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result };
  return odd[does]?.(message, id === undefined ? undefined : line({ jsonrpc: '2.0', id, ...body }));
}

if (import.meta.main) {
  for await (const text of createInterface({ input: process.stdin })) {
    const said = written(process.argv[2] ?? '', text);
    if (said === 'end') process.exit(1);
    // In pieces: a reader may get any part of a line.
    if (said !== undefined) for (const piece of [said.slice(0, 7), said.slice(7)]) process.stdout.write(piece);
  }
}
