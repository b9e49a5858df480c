/** A server over HTTP that is right but for what a test says, without a network. */

import type { Fetch } from './peers.ts';

type Json = Readonly<Record<string, unknown>>;

/** Answers a message in its own way, or not at all. */
export type Odd = (message: Json, request: Request) => Response | Json | undefined;

const revision = '2025-11-25';

/** What a plain server of sessions answers: it has one tool. */
const results: Readonly<Record<string, Json>> = {
  initialize: { protocolVersion: revision, capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '1' } },
  'tools/list': { tools: [{ name: 'odd', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
  ping: {},
};

/** Makes the server; what is no `Response` is the result of a request. */
export function oddFetch(odd: Odd): Fetch {
  return async (url, init) => {
    const request = new Request(url, init);
    if (request.method !== 'POST') return new Response(null, { status: request.method === 'DELETE' ? 200 : 405 });
    const message = (await request.json()) as Json;
    const given = odd(message, request);
    if (given instanceof Response) return given;
    if (message['id'] === undefined) return new Response(null, { status: 202 });
    const result = given ?? results[String(message['method'])];
    return result === undefined
      ? json(refusal(message['id'], -32601))
      : json({ jsonrpc: '2.0', id: message['id'], result });
  };
}

/** A response with JSON. */
export function json(body: unknown, status: number = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}

/** An error of JSON-RPC. */
export function refusal(id: unknown, code: number, message: string = 'no'): Json {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
