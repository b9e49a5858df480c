/** Client and server of the official second SDK, over its own pair of transports. */
import type * as Clients from '@modelcontextprotocol/client';
import type * as Servers from '@modelcontextprotocol/server';
import type * as Stdio from '@modelcontextprotocol/server/stdio';
import { peer } from '../harness/peers.ts';
import { build } from '../small/official-v2.ts';
import { offer, optionsOf, textOf } from './support.ts';

const { Client } = await peer<typeof Clients>('@modelcontextprotocol/client');
const { InMemoryTransport } = await peer<typeof Servers>('@modelcontextprotocol/server');
const { serveStdio } = await peer<typeof Stdio>('@modelcontextprotocol/server/stdio');

const { revision, legacy } = optionsOf();
const [near, far] = InMemoryTransport.createLinkedPair();
// What serves either era over a transport of one's own.
if (legacy === true) await build().connect(far);
else serveStdio(build, { transport: far });
const mode = legacy === true ? 'legacy' : { pin: String(revision) };
const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode } });
await client.connect(near);
const settled = client.getNegotiatedProtocolVersion();
if (settled !== revision) throw new Error(`connected at ${settled}`);
offer(async (number) => textOf(await client.callTool({ name: 'add', arguments: { a: number, b: 1 } })));
