/** The client of the official first SDK, which speaks the handshake revisions. */
import type * as Clients from 'sdk-1.32.2/client/index.js';
import type * as Http from 'sdk-1.32.2/client/streamableHttp.js';
import { peer } from '../harness/peers.ts';
import { offer, optionsOf, textOf } from './support.ts';

const { Client } = await peer<typeof Clients>('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = await peer<typeof Http>('@modelcontextprotocol/sdk/client/streamableHttp.js');

const client = new Client({ name: 'bench', version: '1.0.0' });
const transport = new StreamableHTTPClientTransport(new URL(String(optionsOf()['url'])));
// Its own types disagree about fields that may be left out.
await client.connect(transport as Parameters<typeof client.connect>[0]);
offer(async (number) => textOf(await client.callTool({ name: 'add', arguments: { a: number, b: 1 } })));
