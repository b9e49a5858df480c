import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { after } from '../../../jsonrpc/timeout.ts';

/** Time for a peer to read the refusal. */
const lingerMs = 1000;

/** Node's own answer to such errors also looks for a running response here. */
type Served = Duplex & { readonly _httpMessage?: ServerResponse | null };

/**
 * Answers invalid HTTP, or a request that came too slowly, with JSON like every error. Then the connection ends in any
 * case.
 */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Served): void {
  // What follows the first error on a connection is its rest.
  if (socket.writableEnded) return;
  if (!socket.writable || isAnswering(socket)) return void socket.destroy();
  const [status, reason] = unreadable.get(error.code ?? '') ?? [400, 'Bad Request'];
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message: reason.toLowerCase() } });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  // To destroy it at once would reset the connection of a peer that still sends, and it would not read the answer.
  const cancel = after(lingerMs, () => socket.destroy());
  socket.once('close', cancel);
}

/** Tells whether data written now would land inside an answer, or be taken for the answer to a fully read request. */
function isAnswering({ _httpMessage: response }: Served): boolean {
  return response !== undefined && response !== null && (response.headersSent || response.req.complete);
}

const unreadable: ReadonlyMap<string, readonly [number, string]> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'Request Timeout']],
  ['HPE_HEADER_OVERFLOW', [431, 'Request Header Fields Too Large']],
]);
