/** Parts of servers on this machine that a client speaks to. */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { HeardHead } from './client-rule.ts';

/** Limit of the bytes of a body. */
const maxBodyBytes = 4 * 1024 ** 2;

/** Closes a server and its open connections. */
export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
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

/** A body as a text, and whether its bytes were UTF-8. */
export interface HeardBody {
  readonly text: string;
  readonly isUtf8: boolean;
}

/** The body; `undefined` where it is too large: what follows is read no more. */
export function bodyOf(request: IncomingMessage): Promise<HeardBody | undefined> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    request.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length <= maxBodyBytes) return void pieces.push(piece);
      request.pause();
      resolve(undefined);
    });
    request.on('end', () => {
      const bytes = Buffer.concat(pieces);
      resolve({ text: bytes.toString('utf8'), isUtf8: isUtf8(bytes) });
    });
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client went away')));
  });
}
