/** Servers and clients that are nothing but text: numbers arrive as they were written. */

import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { createParser } from 'eventsource-parser';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import { toJson } from '../../packages/parley/src/jsonrpc/encode.ts';
import { parseExactJson } from '../../packages/parley/src/json/parse-exact.ts';
import { linkedTransport } from '../../packages/parley/src/jsonrpc/memory.ts';
import type { Message } from '../../packages/parley/src/jsonrpc/message.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { listen } from '../../packages/parley/src/transports/node/server/http.ts';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { serveStdio } from '../../packages/parley/src/transports/stdio/server/serve.ts';
import { streamTransport } from '../../packages/parley/src/transports/stdio/stream-transport.ts';

/** The ways on which text travels. */
export const textWays = ['memory', 'stdio', 'http'] as const;
export type TextWay = (typeof textWays)[number];

/** What a server says to one text: any number of texts, the response last. */
export type TextServer = (text: string) => readonly string[];

/** Makes the transport to a server of text; it is gone with the test. */
export async function textServer(t: TestContext, way: TextWay, serve: TextServer): Promise<Transport> {
  if (way === 'memory') {
    return linkedTransport('text', (link) => ({
      exactNumbers: true,
      receive: (value) => serve(toJson(value as Message)).forEach((text) => link.message(text)),
      close: () => undefined,
    }));
  }
  if (way === 'stdio')
    return { description: 'text', ownsProcess: true, open: (receiver) => overLines(serve).open(receiver) };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const texts = request.method === 'POST' ? serve(Buffer.concat(parts).toString()) : undefined;
      if (texts === undefined) return response.writeHead(405).end();
      if (texts.length === 0) return response.writeHead(202).end();
      if (texts.length === 1) return response.writeHead(200, { 'content-type': 'application/json' }).end(texts[0]);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.end(texts.map((text) => `data: ${text}\n\n`).join(''));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has such an address.
  return httpTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

function overLines(serve: TextServer): Transport {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  createInterface({ input: toServer }).on('line', (line) => {
    for (const text of serve(line)) toClient.write(`${text}\n`);
  });
  return streamTransport({ input: toClient, output: toServer });
}

/** A client of text. */
export interface TextClient {
  /** Everything that came, in order. */
  readonly heard: readonly string[];
  /** The request of a method, once the server sent it. */
  asked(method: string): Promise<string>;
  /** Sends a text; where it asks for something, resolves with the response. */
  send(text: string, headers?: Readonly<Record<string, string>>): Promise<string>;
}

/** Connects a client of text; it is gone with the test. */
export async function textClient(t: TestContext, way: TextWay, served: Servable): Promise<TextClient> {
  const heard: string[] = [];
  const waiting = new Map<unknown, (text: string) => void>();
  const hear = (text: string): void => {
    heard.push(text);
    const { id, method } = JSON.parse(text) as { readonly id?: unknown; readonly method?: unknown };
    waiting.get(method ?? id)?.(text);
  };
  const post = await sender(t, way, { served, hear });
  return {
    heard,
    asked: async (method) =>
      heard.find((text) => text.includes(`"method":"${method}"`)) ??
      (await new Promise<string>((resolve) => waiting.set(method, resolve))),
    async send(text, headers = {}) {
      const { id, method } = JSON.parse(text) as { readonly id?: unknown; readonly method?: unknown };
      const answer =
        id === undefined || method === undefined ? '' : new Promise<string>((resolve) => waiting.set(id, resolve));
      await post(text, headers);
      return await answer;
    },
  };
}

interface Hearing {
  readonly served: Servable;
  hear(text: string): void;
}

async function sender(
  t: TestContext,
  way: TextWay,
  { served, hear }: Hearing,
): Promise<(text: string, headers: Readonly<Record<string, string>>) => Promise<void>> {
  if (way === 'memory') {
    const channel = await memoryTransport(served).open({
      exactNumbers: true,
      message: (value) => hear(toJson(value as Message)),
      problem: (error) => assertNever(error),
      closed: () => undefined,
    });
    t.after(() => channel.close());
    // The texts of a test are messages.
    return async (text) => await channel.send(parseExactJson(text) as Message);
  }
  if (way === 'stdio') {
    const input = new PassThrough();
    const output = new PassThrough();
    const server = serveStdio(served, { input, output, guardStdout: false });
    t.after(() => server.close());
    createInterface({ input: output }).on('line', hear);
    return async (text) => void input.write(`${text}\n`);
  }
  const server = await listen(served, { port: 0, drainTimeoutMs: 0 });
  t.after(() => server.close());
  let session: string | undefined;
  return async (body, headers) => {
    const accept = 'application/json, text/event-stream';
    const own = { accept, 'content-type': 'application/json', ...headers };
    const response = await fetch(server.url, {
      method: 'POST',
      headers: session === undefined ? own : { ...own, 'mcp-session-id': session },
      body,
    });
    session ??= response.headers.get('mcp-session-id') ?? undefined;
    const text = await response.text();
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
      return void (text && hear(text));
    createParser({ onEvent: ({ data }) => void (data && hear(data)) }).feed(text);
  };
}

function assertNever(error: Error): never {
  throw error;
}
