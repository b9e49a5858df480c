/** HTTP of the server that judges its client: one endpoint for all revisions, and one for each. */

import type { JsonObject } from '../../protocol/features/common.ts';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { revisionOf, type Revision } from '../../protocol/revision.ts';
import type { HeardHead } from './client-rule.ts';
import type { JudgedClient, Line } from './judged-client.ts';
import type { Talk } from './talk.ts';

/** Limits: bytes of a body, streams that are open, connections. */
const most = { bytes: 4 * 1024 ** 2, streams: 100, connections: 200 };

/** Path that nobody should fetch. */
const farPath = '/far/schema.json';

/** An open door. */
export interface HttpDoor {
  /** Address of the server, without a path. */
  readonly origin: string;
  /** Address that nobody should fetch. */
  readonly remote: string;
  close(): Promise<void>;
}

/** Answer of a gate. */
export interface GateAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Guard before the door. */
export interface Gate {
  /** Answers what is asked beside the server; `undefined` for what is not there. */
  serves(head: HeardHead): GateAnswer | undefined;
  /** Refuses a request to the server. @param text Its body; empty where it has none. */
  refuses(head: HeardHead, text: string, socket: Socket): GateAnswer | undefined;
  /** Answers in the place of the door. @returns False for what is left to it. */
  serve?(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

/** Parts of a door. */
export interface DoorParts {
  judged(): JudgedClient;
  /** Makes its guard, once its address is known. */
  gate?(origin: string): Gate;
}

/** Opens it on this machine alone. @param port 0 for any that is free. */
export async function openHttpDoor(
  port: number,
  revisions: readonly Revision[],
  { judged, gate: guard }: DoorParts,
): Promise<HttpDoor> {
  const streams = new Set<ServerResponse>();
  const server = createServer();
  server.maxConnections = most.connections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  // A server that listens on a port has the address of one.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gate = guard?.(origin);
  server.on('request', (request, response) => {
    response.on('error', () => undefined);
    serve({ request, response, revisions, judged: judged(), streams, gate }).catch(() => response.destroy());
  });
  return { origin, remote: `${origin}${farPath}`, close: () => closed(server) };
}

/** Closes a server, and what is open at it. */
export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly revisions: readonly Revision[];
  readonly judged: JudgedClient;
  readonly streams: Set<ServerResponse>;
  readonly gate: Gate | undefined;
}

/**
 * Tells whether a request names this machine, and comes of no page of elsewhere: a page on the web reaches nothing here by a name
 * of its own. (Spec 2026-07-28, Streamable HTTP, Security & Endpoint.)
 */
export function comesFromHere(
  { headers }: IncomingMessage,
  { anyOrigin = false }: { readonly anyOrigin?: boolean } = {},
): boolean {
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/i.test(headers.host ?? '')) return false;
  return (
    anyOrigin || headers.origin === undefined || /^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/i.test(headers.origin)
  );
}

async function serve({ request, response, revisions, judged, streams, gate }: Visit): Promise<void> {
  const { method = '', url = '/' } = request;
  const path = url.split('?')[0] ?? '/';
  if (!comesFromHere(request)) return endResponse(response, 403);
  if ((await gate?.serve?.(request, response)) === true) return;
  if (path === farPath) {
    judged.fetches++;
    return endResponse(response, 200, { type: 'string' });
  }
  const served = servedAt(path, revisions);
  // What is asked in a query belongs there where a guard judges it.
  const head: HeardHead = { method, path: gate === undefined ? path : url, headers: flat(request.headers) };
  if (served === undefined) {
    const answer = gate?.serves(head);
    return endResponse(response, answer?.status ?? 404, answer?.body, answer?.headers);
  }
  if (method === 'POST') return await posted({ request, response, head, served, judged, gate });
  const refused = gate?.refuses(head, '', request.socket);
  if (refused !== undefined) return endResponse(response, refused.status, refused.body, refused.headers);
  const talk = method === 'GET' || method === 'DELETE' ? judged.head(head) : undefined;
  if (talk === undefined) return endResponse(response, 405);
  if (talk.isLost) return endResponse(response, 404);
  if (method === 'GET') return listen(response, streams);
  talk.isDeleted = true;
  endResponse(response, 200);
}

/** The revisions that are spoken at a path: all, or the one that it names. */
function servedAt(path: string, revisions: readonly Revision[]): readonly Revision[] | undefined {
  if (path === '/mcp') return revisions;
  const one = revisionOf(/^\/(\d{4}-\d{2}-\d{2})\/mcp$/.exec(path)?.[1]);
  return one !== undefined && revisions.includes(one) ? [one] : undefined;
}

function listen(response: ServerResponse, streams: Set<ServerResponse>): void {
  if (streams.size >= most.streams) return endResponse(response, 503);
  streams.add(response);
  response.on('close', () => streams.delete(response));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write(': this stream says nothing\n\n');
}

interface Posted extends Pick<Visit, 'request' | 'response' | 'judged' | 'gate'> {
  readonly head: HeardHead;
  readonly served: readonly Revision[];
}

async function posted({ request, response, head, served, judged, gate }: Posted): Promise<void> {
  const text = await bodyOf(request);
  if (text === undefined) {
    response.on('finish', () => request.destroy());
    return endResponse(response, 413, undefined, { connection: 'close' });
  }
  const refused = gate?.refuses(head, text, request.socket);
  if (refused !== undefined) return endResponse(response, refused.status, refused.body, refused.headers);
  let isStream = false;
  const open = (): void => {
    if (isStream) return;
    isStream = true;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    // Comments are part of streams, and no fault. (Spec 2026-07-28, Streamable HTTP, Keep-alive.)
    response.write(': what follows is the answer\n\n');
  };
  const line: Line = {
    send(message) {
      if (response.destroyed) return false;
      open();
      return response.write(event(message)) || !response.destroyed;
    },
  };
  const { talk, messages, isLost } = await judged.take({ text, http: head, served, line });
  if (isLost && !isStream)
    return endResponse(response, 404, {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_001, message: 'the session is gone' },
    });
  if (messages.length === 0 && !isStream) return endResponse(response, 202);
  // Calls are answered by a stream, all else by a body: a client has to take both.
  if (/"tools\/call"/.test(text)) open();
  if (isStream) {
    for (const message of messages) response.write(event(message));
    return void response.end();
  }
  const body = text.trimStart().startsWith('[') ? messages : messages[0];
  endResponse(response, statusOf(messages), body, sessionOf(talk, text));
}

function event(message: JsonObject): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

/** Spec 2026-07-28, Streamable HTTP: an error of the envelope has a status of its own; so has text that is no JSON. */
function statusOf([message]: readonly JsonObject[]): number {
  const { error } = message ?? {};
  if (error === undefined) return 200;
  const { code } = error as { readonly code: number };
  return code === -32_700 ? 400 : 200;
}

/** A session gets its id with the answer to initialize. */
function sessionOf(talk: Talk, text: string): Readonly<Record<string, string>> {
  if (talk.stage !== 'answered' || talk.session !== undefined || !text.includes('"initialize"')) return {};
  talk.session = crypto.randomUUID();
  return { 'mcp-session-id': talk.session };
}

/** Ends a response, with JSON where there is a body. */
export function endResponse(
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...type, ...headers });
  response.end(text);
}

/** Headers, each with one value. */
export function flat(headers: IncomingMessage['headers']): HeardHead['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

/** The body as a text; `undefined` where it is too large: what follows is read no more. */
export function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    request.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length <= most.bytes) return void pieces.push(piece);
      request.pause();
      resolve(undefined);
    });
    request.on('end', () => resolve(Buffer.concat(pieces).toString('utf8')));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client went away')));
  });
}
