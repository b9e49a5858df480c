/** HTTP of the server that judges its client: one endpoint for all revisions, and one for each. */

import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { monotonicNow } from '../../../../../parley/src/jsonrpc/timeout.ts';
import { revisionOf, type Revision } from '../../../../../parley/src/protocol/revision.ts';
import type { HeardHead } from '../client-rule.ts';
import { bodyOf, closed, comesFromHere, endResponse, flat } from '../http-parts.ts';
import { ForeignDoor, foreignPath } from './foreign-door.ts';
import type { JudgedClient } from './judged-client.ts';
import type { SideChannel, ServedEvent } from '../piece.ts';
import { appFarPath } from '../catalogue/app.ts';
import { iconPath, pagePath } from '../catalogue/tools.ts';
import { PairDoor, pairPaths } from './pair-door.ts';
import type { ClientSession } from '../client-session.ts';

/** Limits: streams that are open, connections. */
const most = { streams: 100, connections: 200 };

/** Path that a client should not fetch. */
const farPath = '/far/schema.json';

/** An open door. */
export interface HttpDoor {
  /** Address of the server, without a path. */
  readonly origin: string;
  /** Address that a client should not fetch. */
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
  /** Answers requests outside of the MCP endpoint; `undefined` for an unknown path. */
  serves(head: HeardHead): GateAnswer | undefined;
  /** Refuses a request to the server. @param text Its body; empty where it has none. */
  refuses(head: HeardHead, text: string, socket: Socket): GateAnswer | undefined;
  /** Answers a request in place of this server. @returns False to leave it to this server. */
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
  const pairRevision = revisions.find(({ http }) => http === 'sse-pair');
  const pair = pairRevision === undefined || gate !== undefined ? undefined : new PairDoor(pairRevision);
  const foreign = gate === undefined ? new ForeignDoor(revisions) : undefined;
  server.on('request', (request, response) => {
    response.on('error', () => undefined);
    const visited = judged();
    serve({ request, response, revisions, judged: visited, streams, gate, pair, foreign }).catch((error: unknown) => {
      // Who goes away while it is read is no failure.
      if (!request.destroyed) visited.failure ??= { error };
      response.destroy();
    });
  });
  return { origin, remote: `${origin}${farPath}`, close: () => closed(server) };
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly revisions: readonly Revision[];
  readonly judged: JudgedClient;
  readonly streams: Set<ServerResponse>;
  readonly gate: Gate | undefined;
  readonly pair: PairDoor | undefined;
  readonly foreign: ForeignDoor | undefined;
}

async function serve({ request, response, revisions, judged, streams, gate, pair, foreign }: Visit): Promise<void> {
  const { method = '', url = '/' } = request;
  const path = url.split('?')[0] ?? '/';
  // A sandboxed page has an opaque origin, and no other page knows such an address.
  if (path.startsWith(`${appFarPath}/`)) {
    if (judged.apps.size < most.streams) judged.apps.add(path.slice(appFarPath.length + 1));
    return endResponse(response, 204);
  }
  if (!comesFromHere(request)) return endResponse(response, 403);
  if ((await gate?.serve?.(request, response)) === true) return;
  if (path === iconPath) {
    judged.icons++;
    return endResponse(response, 404);
  }
  if (path.startsWith(`${pagePath}/`)) {
    if (judged.pages.length < most.streams) judged.pages.push({ path, at: monotonicNow() });
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
    return void response.end('There is nothing to do here: this page sees who comes.');
  }
  if (path === farPath) {
    judged.fetches++;
    return endResponse(response, 200, { type: 'string' });
  }
  if (pair !== undefined && (path === pairPaths.stream || path === pairPaths.messages))
    return await pair.serve(request, response, { method, path: url, headers: flat(request.headers) }, judged);
  if (foreign !== undefined && path === foreignPath)
    return await foreign.serve(request, response, { method, path, headers: flat(request.headers) }, judged);
  const served = servedAt(path, revisions);
  // If there is an authorization check, the query belongs to the recorded request.
  const head: HeardHead = { method, path: gate === undefined ? path : url, headers: flat(request.headers) };
  if (served === undefined) {
    const answer = gate?.serves(head);
    return endResponse(response, answer?.status ?? 404, answer?.body, answer?.headers);
  }
  if (method === 'POST') return await posted({ request, response, head, served, judged, gate });
  const refused = gate?.refuses(head, '', request.socket);
  if (refused !== undefined) {
    // Who lost its token with its rights wants the session to end all the same.
    const ended = method === 'DELETE' ? judged.ofSession(head.headers['mcp-session-id']) : undefined;
    if (ended !== undefined) ended.isDeleted = true;
    return endResponse(response, refused.status, refused.body, refused.headers);
  }
  const clientSession = method === 'GET' || method === 'DELETE' ? judged.head(head) : undefined;
  if (clientSession === undefined) {
    const isOfUnknown = head.headers['mcp-session-id'] !== undefined && (method === 'GET' || method === 'DELETE');
    return endResponse(response, isOfUnknown ? 404 : 405);
  }
  if (clientSession.isLost) return endResponse(response, 404);
  if (method === 'GET') {
    const isResumed = judged.resumes(clientSession, head.headers['last-event-id'], lineOf(response));
    return isResumed ? undefined : listen(response, streams);
  }
  clientSession.isDeleted = true;
  for (const call of clientSession.dropped) call.passed();
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
  const body = await bodyOf(request);
  if (body === undefined) {
    response.on('finish', () => request.destroy());
    return endResponse(response, 413, undefined, { connection: 'close' });
  }
  const { text, isUtf8 } = body;
  const refused = gate?.refuses(head, text, request.socket);
  if (refused !== undefined) return endResponse(response, refused.status, refused.body, refused.headers);
  const line = lineOf(response);
  const { clientSession, messages, isLost } = await judged.take({ text, http: { ...head, isUtf8 }, served, line });
  if (isLost && !response.headersSent)
    return endResponse(response, 404, {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_001, message: 'the session is gone' },
    });
  // A stream that broke off has its end.
  if (response.writableEnded) return;
  if (messages.length === 0 && !response.headersSent) return endResponse(response, 202);
  // Calls are answered with a stream, other requests with a body: a client must support both. A refusal has its own
  // status.
  if (/"tools\/call"/.test(text) && statusOf(messages, clientSession) === 200) line.open?.();
  if (response.headersSent) {
    for (const message of messages) response.write(event(message));
    return void response.end();
  }
  const answer = text.trimStart().startsWith('[') ? messages : messages[0];
  endResponse(response, statusOf(messages, clientSession), answer, sessionOf(clientSession, text));
}

/** Sends messages on the stream of a response, which begins with the first message. */
function lineOf(response: ServerResponse): SideChannel {
  const open = (): void => {
    if (response.headersSent) return;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    // Comments are part of streams, and no fault. (Spec 2026-07-28, Streamable HTTP, Keep-alive.)
    response.write(': what follows is the answer\n\n');
  };
  const send = (messages: JsonObject | readonly JsonObject[]): boolean => {
    if (response.destroyed) return false;
    open();
    return response.write(event(messages)) || !response.destroyed;
  };
  return {
    open,
    over: new Promise((resolve) => response.once('close', resolve)),
    send,
    sendBatch: send,
    breakOff(last) {
      open();
      response.end(eventText(last));
    },
  };
}

/** An event in the words of a stream; one without a message has an id alone. */
function eventText({ id, message, retryMs }: ServedEvent): string {
  const retry = retryMs === undefined ? '' : `retry: ${retryMs}\n\n`;
  if (id === undefined) return retry;
  return `id: ${id}\n${message === undefined ? 'data: \n\n' : event(message)}${retry}`;
}

function event(message: JsonObject | readonly JsonObject[]): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

/**
 * Statuses of envelope errors. (Spec 2026-07-28, Streamable HTTP: an error of the envelope has a status of its own.)
 */
const ofEnvelope: ReadonlyMap<number, number> = new Map([
  [-32_601, 404],
  [-32_020, 400],
  [-32_021, 400],
]);

/** Text that is not JSON has its own status in every revision. */
function statusOf([message]: readonly JsonObject[], { revision }: ClientSession): number {
  const { error } = message ?? {};
  if (error === undefined) return 200;
  const { code } = error as { readonly code: number };
  if (code === -32_700) return 400;
  return revision?.sessions === false ? (ofEnvelope.get(code) ?? 200) : 200;
}

/** A session gets its id with the answer to initialize. */
function sessionOf(clientSession: ClientSession, text: string): Readonly<Record<string, string>> {
  if (clientSession.stage !== 'answered' || clientSession.session !== undefined || !text.includes('"initialize"'))
    return {};
  clientSession.session = crypto.randomUUID();
  return { 'mcp-session-id': clientSession.session };
}
