/**
 * The same server at one revision alone, with a bridge before it that the suite drives at another:
 * `node test/conformance/bridge.ts --port 3000 --upstream-revision 2025-11-25`.
 */

import { parseArgs } from 'node:util';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { revisionOf } from '../../packages/parley/src/protocol.ts';
import { createHost } from './host.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '3000' }, 'upstream-revision': { type: 'string', default: '' } },
});
const upstream = revisionOf(values['upstream-revision']);
if (upstream === undefined) throw new TypeError('--upstream-revision names no revision');

const server = createHost({ revisions: [upstream.date] });
const behind = await listen(server, { port: 0 });
// The suite wants to see that the server refuses who cannot have a task, else the bridge would wait for it in their place; and that others have one.
const bridge = await createBridge({ upstream: behind.url, taskOnly: 'refuse', tasks: 'always' });
const http = await listen(bridge, { port: Number(values.port) });
console.log(http.url);

process.once('SIGTERM', () => {
  void http
    .close()
    .then(() => bridge.close())
    .then(() => behind.close())
    .then(() => server.close());
});
