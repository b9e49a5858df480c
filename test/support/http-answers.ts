/** What the tests of the HTTP client have in common: small servers that answer whatever a test wants. */

import type { Fetch } from '../../packages/parley/src/jsonrpc/fetch.ts';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Message } from '../../packages/parley/src/jsonrpc/message.ts';
import type { Channel, MessageOrigin } from '../../packages/parley/src/jsonrpc/transport.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import type { HttpTransportOptions } from '../../packages/parley/src/transports/http/client/request.ts';

export interface Opened {
  readonly url: string;
  readonly channel: Channel;
  readonly heard: { readonly value: unknown; readonly about: MessageOrigin | undefined }[];
  readonly problems: Error[];
  /** How much was heard before each gap. */
  readonly gaps: readonly number[];
}

/** What sends the requests of the tests in this process; the `fetch` of the runtime unless `sendBy` said otherwise. */
export const sending: { fetch?: Fetch } = {};

/** Makes the tests of this process send by another `fetch`; before they are imported. */
export function sendBy(fetch: Fetch): void {
  sending.fetch = fetch;
}

/** Listens on a free port until the test is over. */
export async function listen(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has the address of one.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** A channel to a server that answers as the listener does, and what it hears. */
export async function open(
  t: TestContext,
  listener: RequestListener,
  options: HttpTransportOptions = {},
): Promise<Opened> {
  const url = await listen(t, listener);
  const heard: Opened['heard'] = [];
  const problems: Error[] = [];
  const gaps: number[] = [];
  const channel = await httpTransport(url, { ...sending, ...options }).open({
    message: (value, about) => heard.push({ value, about }),
    problem: (error) => problems.push(error),
    gap: () => gaps.push(heard.length),
    closed: () => {},
  });
  return { url, channel, heard, problems, gaps };
}

export function answerJson(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

export function answerEvents(response: ServerResponse, ...events: readonly unknown[]): void {
  response
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}

export const request: Message = { jsonrpc: '2.0', id: 1, method: 'ping' };
export const response: Message = { jsonrpc: '2.0', id: 1, result: {} };
export const notification: Message = { jsonrpc: '2.0', method: 'notifications/x' };
export const initialize: Message = { jsonrpc: '2.0', id: 1, method: 'initialize' };
