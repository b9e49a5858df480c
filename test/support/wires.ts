/** The ways in which a transcript reaches a server: raw messages there, raw messages back. */

import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { createParser } from 'eventsource-parser';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { methodOf } from '../../packages/parley/src/protocol/catalogue.ts';
import type { Revision } from '../../packages/parley/src/protocol/revision.ts';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import { serveStdio } from '../../packages/parley/src/transports/stdio/server/serve.ts';
import { listen } from '../../packages/parley/src/transports/node/server/http.ts';

/** What a wire brings in; messages of one stream come in order. */
export type Deliver = (stream: number, message: unknown) => void;

/** One client's connection. */
export interface Wire {
  /** Hands over a message; over HTTP gives its status, which for a request may come only with the answer. */
  send(value: unknown): Promise<number | undefined>;
  /** Opens the stream of messages that belong to no request, where there is one. */
  listen(): Promise<void>;
  close(): Promise<void>;
}

/** Serves over streams in this process, a line for each message. */
export function stdioWire(served: Servable, deliver: Deliver): Wire {
  const input = new PassThrough();
  const output = new PassThrough();
  const server = serveStdio(served, { input, output, guardStdout: false });
  createInterface({ input: output }).on('line', (line) => deliver(0, JSON.parse(line)));
  return {
    send: async (value) => {
      input.write(`${JSON.stringify(value)}\n`);
      return undefined;
    },
    listen: async () => undefined,
    close: () => server.close(),
  };
}

/** Serves over HTTP on loopback, with the headers that a client of the revision sends. */
export async function httpWire(served: Servable, revision: Revision, deliver: Deliver): Promise<Wire> {
  const server = await listen(served, { port: 0, drainTimeoutMs: 0 });
  const client = new AbortController();
  let session: string | undefined;
  let streams = 0;
  const call = async (method: string, headers: Record<string, string>, body?: string): Promise<Response> => {
    const own = session === undefined ? headers : { ...headers, 'mcp-session-id': session };
    const response = await fetch(server.url, {
      method,
      headers: own,
      signal: client.signal,
      ...(body === undefined ? {} : { body }),
    });
    session ??= response.headers.get('mcp-session-id') ?? undefined;
    return response;
  };
  return {
    send: async (value) => {
      const response = await call('POST', postHeaders(revision, value), JSON.stringify(value));
      void drain(response, streams++, deliver);
      return response.status;
    },
    listen: async () => {
      if (revision.era === 'stateless') return;
      const response = await call('GET', { accept: 'text/event-stream', ...versionHeader(revision, undefined) });
      if (response.ok) void drain(response, streams++, deliver);
    },
    close: async () => {
      client.abort();
      await server.close();
    },
  };
}

function postHeaders(revision: Revision, value: unknown): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const method = isObject(value) && typeof value['method'] === 'string' ? value['method'] : undefined;
  const named = { ...headers, ...versionHeader(revision, value) };
  if (revision.versionHeader !== 'always' || method === undefined) return named;
  const params = isObject(value) ? value['params'] : undefined;
  const key = methodOf(method)?.nameParam;
  const name = key !== undefined && isObject(params) ? params[key] : undefined;
  return { ...named, 'mcp-method': method, ...(typeof name === 'string' ? { 'mcp-name': name } : {}) };
}

function versionHeader(revision: Revision, value: unknown): Record<string, string> {
  if (revision.versionHeader === 'never') return {};
  const { method, params } = isObject(value) ? value : {};
  if (method === 'initialize') return {};
  const meta = isObject(params) && isObject(params['_meta']) ? params['_meta'] : {};
  const named = meta[metaKey.protocolVersion];
  return { 'mcp-protocol-version': typeof named === 'string' ? named : revision.date };
}

/** Reads the messages of a response, be it JSON or a stream of events; ends when the connection does. */
async function drain(response: Response, stream: number, deliver: Deliver): Promise<void> {
  try {
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
      const text = await response.text();
      if (text !== '') deliver(stream, JSON.parse(text));
      return;
    }
    const parser = createParser({ onEvent: ({ data }) => void (data !== '' && deliver(stream, JSON.parse(data))) });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  } catch {
    // The transcript is over and its connections are cut.
  }
}
