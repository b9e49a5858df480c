/** A server of `tmcp`, called through its own transport in memory, which is a client for tests. */
import type { McpServer } from 'tmcp';
import type { ZodType } from 'zod';
import { peer } from '../harness/peers.ts';
import { build } from '../small/tmcp.ts';
import { offer, optionsOf, textOf } from './support.ts';

interface Caller {
  callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<{ readonly content?: unknown }>;
}

interface Session extends Caller {
  initialize(
    protocolVersion: string,
    capabilities: object,
    clientInfo: object,
  ): Promise<{ readonly protocolVersion: string }>;
}

interface Memory {
  readonly InMemoryTransport: new (server: McpServer<ZodType>) => {
    session(): Session;
    stateless(options: { readonly protocolVersion: string; readonly clientInfo: object }): Caller;
  };
}

const { InMemoryTransport } = await peer<Memory>('@tmcp/transport-in-memory');

const { revision, legacy } = optionsOf();
const clientInfo = { name: 'bench', version: '1.0.0' };
const transport = new InMemoryTransport(build());
const client =
  legacy === true ? await opened() : transport.stateless({ protocolVersion: String(revision), clientInfo });
offer(async (number) => textOf(await client.callTool('add', { a: number, b: 1 })));

async function opened(): Promise<Caller> {
  const session = transport.session();
  const { protocolVersion } = await session.initialize(String(revision), {}, clientInfo);
  if (protocolVersion !== revision) throw new Error(`connected at ${protocolVersion}`);
  return session;
}
