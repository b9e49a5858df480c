/** A guarded server over every entry, as tests of protection open it. */
import type { TestContext } from 'node:test';
import { parseChallenges } from '../../packages/parley/src/auth/common/challenge.ts';
import type { HttpOptions } from '../../packages/parley/src/transports/http/server/exchanges/options.ts';
import type { Entrance, Entry, Received, Wire } from './http-entries.ts';
import { createServer, type Server } from '../../packages/parley/src/server/server.ts';
import { testIssuer, type TestIssuer, type TestIssuerOptions } from '../../packages/parley/src/testing/issuer.ts';
import { protect, type Guarded } from '../../packages/parley/src/auth/server/protect.ts';
import type { ProtectOptions } from '../../packages/parley/src/auth/server/options.ts';
import { meta } from './stateless-call.ts';

export const resource = 'https://mcp.example.com/mcp';

export interface GuardedEntrance extends Entrance {
  readonly server: Server;
  readonly guarded: Guarded;
  readonly issuer: TestIssuer;
}

export interface Wishes {
  readonly protect?: Partial<ProtectOptions>;
  readonly issuer?: TestIssuerOptions;
  readonly http?: HttpOptions;
  readonly define?: (server: Server) => void;
}

/** Opens a server with a tool `who`, which says whom it sees, and whatever a test defines. */
export async function open(t: TestContext, entry: Entry, wishes: Wishes = {}): Promise<GuardedEntrance> {
  const issuer = testIssuer({ audience: resource, ...wishes.issuer });
  const server = createServer({ name: 's', version: '1' }, { onError: () => undefined });
  server.tool('who', {}, (_, { auth }) => JSON.stringify([auth?.subject, auth?.scopes]));
  wishes.define?.(server);
  const guarded = protect(server, { resource, ...issuer.options, onError: () => undefined, ...wishes.protect });
  const entrance = await entry(guarded, wishes.http);
  t.after(() => entrance.close());
  return { ...entrance, server, guarded, issuer };
}

let lastId = 0;

/** A request of 2026-07-28, with the credentials that a test wants. */
export function call(
  method: string,
  params: Record<string, unknown> = {},
  headers: Readonly<Record<string, string | undefined>> = {},
): Wire {
  const name = params['name'] ?? params['uri'];
  return {
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params: { ...params, _meta: meta() } }),
  };
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** What a tool said. */
export function said({ text }: Received): string {
  const [, words = ''] = /"text":("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
  return words === '' ? '' : String(JSON.parse(words));
}

/** The reason that a challenge gives. */
export function reasonOf({ headers }: Received): string | undefined {
  return parseChallenges(headers['www-authenticate'])[0]?.parameters['error_description'];
}

/** A clock that a test moves. */
export function clock(): { now: () => number; pass(ms: number): void } {
  let time = Date.now();
  return { now: () => time, pass: (ms) => void (time += ms) };
}
