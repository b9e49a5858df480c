/** Parley's client over the connections that Node keeps. */
import { connect } from '../../packages/parley/src/client.ts';
import { nodeFetch } from '../../packages/parley/src/transports/node/client/fetch.ts';
import { offer, optionsOf, textOf } from './support.ts';

const { url, revision } = optionsOf();
const client = await connect(String(url), { revisions: [String(revision)], fetch: nodeFetch() });
offer(async (number) => textOf(await client.callTool('add', { a: number, b: 1 })));
