/** Client and server of the official first SDK, over its own pair of transports. */
import type * as Clients from 'sdk-1.32.2/client/index.js';
import type * as Memory from 'sdk-1.32.2/inMemory.js';
import { peer } from '../harness/peers.ts';
import { build } from '../small/official-v1.ts';
import { offer, textOf } from './support.ts';

const { Client } = await peer<typeof Clients>('@modelcontextprotocol/sdk/client/index.js');
const { InMemoryTransport } = await peer<typeof Memory>('@modelcontextprotocol/sdk/inMemory.js');

const [near, far] = InMemoryTransport.createLinkedPair();
await build().connect(far);
const client = new Client({ name: 'bench', version: '1.0.0' });
await client.connect(near);
offer(async (number) => textOf(await client.callTool({ name: 'add', arguments: { a: number, b: 1 } })));
