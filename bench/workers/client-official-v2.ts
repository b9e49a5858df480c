/** The client of the official second SDK. */
import type * as Clients from '@modelcontextprotocol/client';
import { peer } from '../harness/peers.ts';
import { offer, optionsOf, textOf } from './support.ts';

const { Client, StreamableHTTPClientTransport } = await peer<typeof Clients>('@modelcontextprotocol/client');

const { url, revision, legacy } = optionsOf();
const mode = legacy === true ? 'legacy' : { pin: String(revision) };
const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(String(url))));
const settled = client.getNegotiatedProtocolVersion();
if (settled !== revision) throw new Error(`connected at ${settled}`);
offer(async (number) => textOf(await client.callTool({ name: 'add', arguments: { a: number, b: 1 } })));
