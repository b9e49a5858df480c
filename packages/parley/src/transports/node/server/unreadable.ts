import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { after } from '../../../jsonrpc/timeout.ts';
import { unlessUnread } from './late-requests.ts';

/** Time for a peer to read the refusal. */
const lingerMs = 1000;

/** Node's own answer to such errors also looks for a running response here. */
type Served = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Code of Node for a request whose head or body has not arrived in time. */
const timedOut = 'ERR_HTTP_REQUEST_TIMEOUT';

/** The requests that have arrived as a whole, and are served. */
const begun = new WeakSet<IncomingMessage>();

/** The connections that brought invalid HTTP. */
const refused = new WeakSet<object>();

/**
 * Records that a request has arrived as a whole and is served now.
 *
 * @returns False if invalid HTTP followed it, such as the rest of a body that is longer than its `Content-Length`. The
 *   connection was answered then.
 */
export function beginRequest(request: IncomingMessage): boolean {
  if (refused.has(request.socket)) return false;
  begun.add(request);
  return true;
}

/**
 * Answers invalid HTTP, or a request that came too slowly, with JSON like every error. Then the connection ends in any
 * case. A request before it that is served gets its answer first. Other requests before it are not served.
 */
export function answerUnreadable(this: Server, error: NodeJS.ErrnoException, socket: Served): void {
  if (error.code === timedOut) unlessUnread(this, socket, () => answer(error, socket));
  else answer(error, socket);
}

function answer(error: NodeJS.ErrnoException, socket: Served): void {
  // What follows the first error on a connection is its rest.
  if (socket.writableEnded) return;
  const { code = '' } = error;
  const isRest = refused.has(socket) && code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE';
  if (isRest) return;
  const response = servedOn(socket);
  // Nothing can be written into a stream that has begun, and a peer that ended its side reads no more.
  const isOver = response !== undefined && ((response.headersSent && response.chunkedEncoding) || refused.has(socket));
  if (!socket.writable || isOver) return void socket.destroy();
  refused.add(socket);
  if (response === undefined) return refuse(code, socket);
  response.once('finish', () => refuseNext(code, socket));
}

/** Answers once all requests have their answers that are served. */
function refuseNext(code: string, socket: Served): void {
  if (socket.writableEnded || socket.destroyed) return;
  const response = servedOn(socket);
  if (response === undefined) refuse(code, socket);
  else response.once('finish', () => refuseNext(code, socket));
}

/** The answer that is due, if it has begun or its request is served: whatever is written would be taken for it. */
function servedOn({ _httpMessage: response }: Served): ServerResponse | undefined {
  return response && (response.headersSent || begun.has(response.req)) ? response : undefined;
}

function refuse(code: string, socket: Served): void {
  const [status, reason] = unreadable.get(code) ?? [400, 'Bad Request'];
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message: reason.toLowerCase() } });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  // To destroy it at once would reset the connection of a peer that still sends, and it would not read the answer.
  const cancel = after(lingerMs, () => socket.destroy());
  socket.once('close', cancel);
}

const unreadable: ReadonlyMap<string, readonly [number, string]> = new Map([
  [timedOut, [408, 'Request Timeout']],
  ['HPE_HEADER_OVERFLOW', [431, 'Request Header Fields Too Large']],
]);
