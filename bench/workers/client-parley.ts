/** Parley's client over `fetch`, as `connect` has it with a URL. */
import { connect } from '../../packages/parley/src/client.ts';
import { offer, optionsOf, textOf } from './support.ts';

const { url, revision } = optionsOf();
const client = await connect(String(url), { revisions: [String(revision)] });
offer(async (number) => textOf(await client.callTool('add', { a: number, b: 1 })));
