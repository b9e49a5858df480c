/** Servers with one planted fault each: a clean one of ours, whose requests and answers are altered on their way. */

import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import { createHandler } from '../../packages/parley/src/http.ts';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';

type Json = Record<string, unknown>;

/** A request on its way, to be altered. */
export interface Passing {
  method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Record<string, string>;
  /** What was sent, where it is an object. */
  readonly message: Json;
  /** What goes on to the server. */
  body: string;
}

/** An answer on its way, to be altered. */
export interface Returning {
  status: number;
  readonly headers: Record<string, string>;
  text: string;
  /** Bytes in the place of the text. */
  bytes?: Uint8Array;
  /** True for a stream that goes on after the text. */
  lasts?: true;
}

/** A fault: what it does to requests and answers. */
export interface Fault {
  /** Alters a request; an answer given here is sent in place of the server's. */
  request?(passing: Passing): Returning | undefined | void;
  /** Hears of a stream that lasts, and may write to it, or end it. */
  opened?(write: (text: string) => void, passing: Passing, end: () => void): void;
  /** Alters a piece of a stream that lasts. */
  piece?(text: string): string;
  /** Alters the answer. */
  response?(returning: Returning, passing: Passing): void | Promise<void>;
}

/** The clean server, which the faults are planted in. */
export function cleanServer(): Server {
  const server = createServer({ name: 'small', version: '1.0.0' }, { pageSize: 2 });
  for (const name of ['add', 'book', 'count', 'draw'])
    server.tool(
      name,
      { description: 'Does it.', input: { type: 'object', properties: { a: { type: 'string' } } } },
      () => 'done',
    );
  addCallables(server);
  server.resource('memo://one', { name: 'one' }, () => 'remember');
  server.resourceTemplate('note://{name}', { name: 'a note' }, () => 'a note');
  server.prompt('welcome', {}, () => 'hello');
  server.prompt('letter', { arguments: [{ name: 'to' }], complete: { to: () => ['Ada', 'Grace'] } }, () => 'Dear you');
  return server;
}

const confirmation = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] } as const;
const sum = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const;

/** Tools that are called where that is allowed: one with a structured result, one that asks, one that tells of progress and takes long, and one that must not be called. */
function addCallables(server: Server): void {
  server.tool(
    'sum',
    {
      input: { type: 'object', properties: { of: { type: 'array', items: { type: 'number' } } }, required: ['of'] },
      output: sum,
      annotations: { readOnlyHint: true },
    },
    ({ of }) => ({ sum: of.reduce((a, b) => a + b, 0) }),
  );
  server.tool('ask', {}, async (_, ctx) => {
    if (!ctx.client.supports('elicitation')) return 'nobody can be asked';
    return (await ctx.elicit({ message: 'Sure?', schema: confirmation })).action;
  });
  server.tool('run', {}, (_, ctx) => {
    for (const step of [1, 2, 3]) ctx.progress(step);
    return 'ran';
  });
  server.tool(
    'place',
    { input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } },
    ({ region = 'nowhere' }) => region,
  );
  server.tool('burn', { annotations: { destructiveHint: true } }, () => 'burnt');
}

/**
 * Serves it with a fault on a free port; it is gone with the test.
 *
 * @param guarded Puts a guard before it.
 */
export async function faulty(
  t: TestContext,
  fault: Fault,
  guarded: (server: Server, url: string) => Servable = (server) => server,
): Promise<string> {
  const { url, close } = await serveFaulty(fault, (at) => guarded(cleanServer(), at));
  t.after(close);
  return url;
}

/**
 * Serves what is made for its address with a fault, until it is closed.
 *
 * @param more.asks Tells which calls ask their client before they answer, and whether `tasks/result` does: those go on as they come.
 */
export async function serveFaulty(
  fault: Fault,
  made: (url: string) => Servable,
  more: Partial<Pick<Serving, 'asks'>> & { readonly host?: string } = {},
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { asks = (name) => name === 'ask', host = '127.0.0.1' } = more;
  const http = createHttp();
  await new Promise<void>((resolve) => void http.listen(0, host, resolve));
  // A server that listens on a port has such an address.
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const handler = createHandler(made(url), {
    onWarning: () => undefined,
    ssePair: { sse: '/sse', messages: '/messages' },
  });
  http.on('request', (incoming, outgoing) => {
    void answer(incoming, outgoing, { fault, url, asks, serve: handler }).catch((error: unknown) => {
      outgoing.destroy(error instanceof Error ? error : undefined);
    });
  });
  return {
    url,
    async close() {
      http.closeAllConnections();
      http.close();
      await handler.close();
    },
  };
}

interface Serving {
  readonly fault: Fault;
  readonly url: string;
  readonly asks: (name: string) => boolean;
  readonly serve: (request: Request) => Promise<Response>;
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { fault, url, asks, serve }: Serving,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks);
  const passing: Passing = {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    message: messageOf(text.toString()),
    body: text.toString(),
  };
  const own = fault.request?.(passing);
  if (own !== undefined) return void outgoing.writeHead(own.status, own.headers).end(own.text);
  const abort = new AbortController();
  outgoing.once('close', () => abort.abort());
  // What is no text goes on as it came.
  const body = passing.body === text.toString() ? text : passing.body;
  const response = await serve(
    new Request(new URL(passing.path, url), {
      method: passing.method,
      headers: passing.headers,
      signal: abort.signal,
      ...(passing.method === 'POST' ? { body } : {}),
    }),
  );
  const headers = Object.fromEntries(response.headers);
  // What may go on for ever goes on as it comes.
  const isLasting =
    (passing.method === 'GET' && !passing.path.startsWith('/.well-known/')) ||
    passing.message['method'] === 'subscriptions/listen' ||
    isAsking(passing.message, asks);
  if (isLasting && response.status === 200) {
    outgoing.writeHead(200, headers).flushHeaders();
    fault.opened?.(
      (text) => void outgoing.write(text),
      passing,
      () => void outgoing.end(),
    );
    for await (const chunk of response.body ?? [])
      outgoing.write(fault.piece?.(Buffer.from(chunk).toString()) ?? chunk);
    return void outgoing.end();
  }
  const returning: Returning = { status: response.status, headers, text: await response.text() };
  await fault.response?.(returning, passing);
  delete returning.headers['content-length'];
  if (returning.lasts === true)
    return void outgoing.writeHead(returning.status, returning.headers).write(returning.text);
  // With a text, Node would write the head in UTF-8 too.
  outgoing.writeHead(returning.status, returning.headers).end(returning.bytes ?? Buffer.from(returning.text));
}

/** A call whose question comes before its answer, on one stream. */
function isAsking({ method, params }: Json, asks: Serving['asks']): boolean {
  if (method === 'tasks/result') return asks(method);
  if (method !== 'tools/call' || !isObject(params)) return false;
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  return asks(String(params['name'])) && !(metaKey.protocolVersion in meta);
}

function messageOf(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Alters each message in an answer, be it JSON or events. */
export function eachMessage(returning: Returning, alter: (message: Json) => void): void {
  const altered = (text: string): string => {
    const value: unknown = JSON.parse(text);
    for (const message of [value].flat()) if (isObject(message)) alter(message);
    return JSON.stringify(value);
  };
  const isStream = returning.headers['content-type']?.startsWith('text/event-stream') === true;
  if (returning.text === '') return;
  returning.text = isStream
    ? returning.text.replaceAll(/^data: (\{.*)$/gm, (_, data: string) => `data: ${altered(data)}`)
    : altered(returning.text);
}

/** Alters the result of a method. */
export function result(method: string, alter: (result: Json, passing: Passing) => void): Fault {
  return {
    response(returning, passing) {
      if (passing.message['method'] === method)
        eachMessage(returning, (message) => {
          if (isObject(message['result'])) alter(message['result'], passing);
        });
    },
  };
}

/** An answer of JSON. */
export function json(status: number, value: unknown): Returning {
  return { status, headers: { 'content-type': 'application/json' }, text: JSON.stringify(value) };
}

/** Makes a stream of events of an answer with JSON. */
export function asStream(returning: Returning, id?: string): void {
  if (returning.status !== 200 || returning.headers['content-type']?.includes('json') !== true) return;
  returning.text = `${id === undefined ? '' : `id: ${id}\n`}data: ${returning.text}\n\n`;
  returning.headers['content-type'] = 'text/event-stream';
  returning.headers['x-accel-buffering'] = 'no';
}
