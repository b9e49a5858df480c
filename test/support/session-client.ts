import { fakeEndpoint, type Fake } from './fake-endpoint.ts';
import { begin, visit, type FakeVisit } from './fake-http.ts';
import { createHttpHandler, type HttpHandler } from '../../packages/parley/src/transports/http/server/handler.ts';
import type { HttpOptions } from '../../packages/parley/src/transports/http/server/exchanges/options.ts';

/** A client with a session. */
export interface Client {
  readonly fake: Fake;
  readonly handler: HttpHandler;
  readonly id: string;
  readonly errors: Error[];
  post(body: unknown, headers?: Record<string, string>): FakeVisit;
  get(headers?: Record<string, string>): FakeVisit;
}

export function initializing(version: string, id: number | string = 1): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  });
}

export async function connect(
  version: string = '2025-11-25',
  options: HttpOptions = {},
  headers: Record<string, string> = {},
): Promise<Client> {
  const fake = fakeEndpoint();
  const errors: Error[] = [];
  const handler = createHttpHandler(fake, { onError: (error) => errors.push(error), ...options });
  const answer = await visit(handler, { headers, body: initializing(version) });
  const id = answer.headers['mcp-session-id'] ?? '';
  const own = { 'Mcp-Session-Id': id, ...headers };
  return {
    fake,
    handler,
    id,
    errors,
    post: (body, more = {}) => begin(handler, { headers: { ...own, ...more }, body: JSON.stringify(body) }),
    get: (more = {}) => begin(handler, { headers: { ...own, ...more } }),
  };
}

export function request(method: string, id: number | string = 2): Record<string, unknown> {
  return { jsonrpc: '2.0', id, method };
}

export const broadcast = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;
