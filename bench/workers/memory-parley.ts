/** Parley's client and server in one process, as tests connect them. */
import { revisionOf } from '../../packages/parley/src/protocol.ts';
import { connectInMemory } from '../../packages/parley/src/testing.ts';
import { build } from '../small/parley.ts';
import { offer, optionsOf, textOf } from './support.ts';

const revision = revisionOf(String(optionsOf()['revision']));
if (revision === undefined) throw new TypeError('there is no such revision');
const client = await connectInMemory(build(), { revision: revision.date });
offer(async (number) => textOf(await client.callTool('add', { a: number, b: 1 })));
