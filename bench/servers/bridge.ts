/** A bridge in front of the Parley server of `parley.ts`, which runs in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createBridge, httpTransport } from '../../packages/parley/src/bridge.ts';
import { listen, nodeFetch } from '../../packages/parley/src/node.ts';
import { scriptArguments } from '../harness/child.ts';
import { optionsOf, ready } from './support.ts';

const { upstreamRevisions } = optionsOf();
const child = spawn(process.execPath, scriptArguments('parley', {}), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
process.on('exit', () => child.kill('SIGKILL'));
// The first thing that the server tells is where it listens.
const [{ url: behind }] = (await once(child, 'message')) as [{ readonly url: string }];
const bridge = await createBridge({
  // As `parley bridge` does it.
  upstream: httpTransport(behind, { fetch: nodeFetch() }),
  ...(Array.isArray(upstreamRevisions) ? { upstreamRevisions } : {}),
});
const { url } = await listen(bridge, { port: 0 });
ready(url);
