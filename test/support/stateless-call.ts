import { fakeEndpoint, type Fake } from './fake-endpoint.ts';
import type { FakeVisit, Sent } from './fake-http.ts';
import { createHttpHandler, type HttpHandler } from '../../packages/parley/src/transports/http/server/handler.ts';

export const newest = '2026-07-28';

export function meta(version: unknown = newest): Record<string, unknown> {
  return { 'io.modelcontextprotocol/protocolVersion': version, 'io.modelcontextprotocol/clientCapabilities': {} };
}

export interface Wish {
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly claimed?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly id?: number | string;
}

/** A request as a correct client of 2026-07-28 sends it, but for what a test changes. */
export function call({ method = 'echo', params = {}, claimed = newest, headers = {}, id = 7 }: Wish = {}): Sent {
  const body = { jsonrpc: '2.0', id, method, params: claimed === null ? params : { ...params, _meta: meta(claimed) } };
  const name = params['name'] ?? params['uri'];
  return {
    headers: {
      'MCP-Protocol-Version': newest,
      'Mcp-Method': method,
      ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
      ...headers,
    },
    body: JSON.stringify(body),
  };
}

export function problem(answer: FakeVisit): { status: number | undefined; code: unknown; id: unknown; data: unknown } {
  const { error, id } = answer.json as { error: { code: number; data?: unknown }; id: unknown };
  return { status: answer.status, code: error.code, id, data: error.data };
}

export const served: Fake = fakeEndpoint({
  headerParameters: [
    { name: 'Region', path: ['region'] },
    { name: 'Count', path: ['page', 'count'] },
    { name: 'Deep', path: ['__proto__', 'x'] },
    { name: 'Dry', path: ['dry'] },
  ],
});
export const handler: HttpHandler = createHttpHandler(served);
