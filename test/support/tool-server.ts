/** Servers whose tools are called as raw JSON. */

import assert from 'node:assert/strict';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../packages/parley/src/server/server.ts';
import { open, type Json } from './raw.ts';

/** A server without anything. */
export function empty(onError: (error: unknown, where: string) => void = () => undefined): Server {
  return createServer({ name: 'tested', version: '1.0.0' }, { onError });
}

/** The result of one call of a tool at a revision. */
export async function called(server: Server, date: RevisionDate, name: string, args?: Json): Promise<Json> {
  const raw = await open(server, date);
  return raw.result('tools/call', { name, ...(args === undefined ? {} : { arguments: args }) });
}

/** The tools as a client of a revision is told of them. */
export async function listed(server: Server, date: RevisionDate): Promise<readonly Json[]> {
  const raw = await open(server, date);
  const { tools } = await raw.result('tools/list');
  assert.ok(Array.isArray(tools));
  return tools;
}
