/** Every way into a server over HTTP, opened alike, so that one table of tests walks them all. */
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHandler } from '../../packages/parley/src/transports/http/server/fetch.ts';
import { createHttpHandler } from '../../packages/parley/src/transports/http/server/handler.ts';
import type { HttpOptions } from '../../packages/parley/src/transports/http/server/exchanges/options.ts';
import { begin, visit, type Sent } from './fake-http.ts';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import { listen, toNodeHandler } from '../../packages/parley/src/transports/node/server/http.ts';

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

export interface Wire extends Sent {
  /** Sends the body without saying its length first. */
  readonly chunked?: boolean;
}

/** An event stream that has begun. */
export interface OpenStream {
  readonly status: number;
  /** The text that came first. */
  readonly first: string;
  /** All that came so far, once something is true of it; or when the stream has ended. */
  until(holds: (text: string) => boolean): Promise<string>;
  leave(): void;
}

export interface Entrance {
  send(wire: Wire): Promise<Received>;
  /** Sends what is answered with an event stream. */
  stream(wire: Wire): Promise<OpenStream>;
  close(): Promise<void>;
}

export type Entry = (served: Servable, options?: HttpOptions) => Promise<Entrance>;

const quiet: HttpOptions = { onWarning: () => undefined };

/** By the name of the exported function. */
export const entries: Readonly<Record<string, Entry>> = {
  createHttpHandler: async (served, options) => {
    const handler = createHttpHandler(served, { path: '/mcp', ...quiet, ...options });
    return {
      send: async (wire) => {
        const { status = 0, headers, body, written } = await visit(handler, wire);
        return { status, headers, text: body ?? written };
      },
      stream: async (wire) => {
        const answer = await begin(handler, wire).until((so) => so.ended || so.written.includes('\n\n'));
        return {
          status: answer.status ?? 0,
          first: answer.written,
          until: async (holds) => (await answer.until((so) => so.ended || holds(so.written))).written,
          leave: () => answer.leave(),
        };
      },
      close: () => handler.close(),
    };
  },
  createHandler: async (served, options) => {
    const handler = createHandler(served, { path: '/mcp', ...quiet, ...options });
    return {
      send: async (wire) => {
        const response = await handler(requestOf(wire));
        return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
      },
      stream: async (wire) => {
        const { status, body } = await handler(requestOf(wire));
        const reader = body?.getReader();
        const { value } = (await reader?.read()) ?? {};
        const first = new TextDecoder().decode(value);
        let text = first;
        const until: OpenStream['until'] = async (holds) => {
          while (!holds(text)) {
            const next = await reader?.read();
            if (next?.done !== false) break;
            text += new TextDecoder().decode(next.value);
          }
          return text;
        };
        return { status, first, until, leave: () => void reader?.cancel() };
      },
      close: () => handler.close(),
    };
  },
  toNodeHandler: async (served, options) => {
    const handler = toNodeHandler(served, { path: '/mcp', ...quiet, ...options });
    const server = createServer(handler);
    const port = await portOf(server);
    return {
      send: (wire) => send(port, wire),
      stream: (wire) => stream(port, wire),
      close: async () => {
        await handler.close();
        server.closeAllConnections();
        server.close();
      },
    };
  },
  listen: async (served, options) => {
    const { path: _, ...rest } = options ?? {};
    const listening = await listen(served, { port: 0, ...quiet, ...rest });
    const { port } = listening;
    return { send: (wire) => send(port, wire), stream: (wire) => stream(port, wire), close: () => listening.close() };
  },
};

/** Sends one request over the network, with exactly the headers that a test wants. */
export async function send(port: number, wire: Wire): Promise<Received> {
  return collect(await answerTo(port, wire));
}

async function stream(port: number, wire: Wire): Promise<OpenStream> {
  const incoming = await answerTo(port, wire);
  let text = '';
  let over = false;
  let wake = (): void => undefined;
  incoming.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    wake();
  });
  incoming.on('error', () => undefined);
  incoming.on('close', () => {
    over = true;
    wake();
  });
  const until: OpenStream['until'] = async (holds) => {
    while (!holds(text) && !over) await new Promise<void>((resolve) => (wake = resolve));
    return text;
  };
  const first = await until((so) => so !== '');
  return { status: incoming.statusCode ?? 0, first, until, leave: () => incoming.destroy() };
}

function answerTo(
  port: number,
  { method, path = '/mcp', headers = {}, body, chunked = false }: Wire,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const usual = {
      host: `localhost:${port}`,
      accept: 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const length = chunked
      ? { 'transfer-encoding': 'chunked' }
      : body === undefined
        ? {}
        : { 'content-length': String(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength) };
    const outgoing = httpRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: defined({ ...usual, ...length, ...lower(headers) }),
        agent: false,
        setHost: false,
      },
      resolve,
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function requestOf({ method, path = '/mcp', headers = {}, body, chunked }: Wire): Request {
  const all = {
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...lower(headers),
  };
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const length = bytes === undefined || chunked === true ? {} : { 'content-length': String(bytes.byteLength) };
  return new Request(`http://localhost${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: defined({ ...all, ...length }),
    ...(bytes === undefined ? {} : { body: new Blob([new Uint8Array(bytes)]).stream(), duplex: 'half' }),
  });
}

async function collect(incoming: IncomingMessage): Promise<Received> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += String(chunk);
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  return { status: incoming.statusCode ?? 0, headers, text };
}

export async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server on a port has an address that is an object.
  return (server.address() as AddressInfo).port;
}

function lower(headers: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function defined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
