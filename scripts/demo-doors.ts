/** Opens the servers of the demo, each with a way in over HTTP and one over stdio. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBridge } from '../packages/parley/src/bridge.ts';
import { createExampleServer } from '../packages/cli/src/commands/example/server.ts';
import { listen } from '../packages/parley/src/node.ts';
import { spawn } from '../packages/parley/src/stdio.ts';
import type { Door } from './demo-clients.ts';
import { everything, example, type Plan } from './demo-plans.ts';

/** A server that is open for visits. */
export interface Open {
  readonly title: string;
  readonly door: Door;
  readonly plan: Plan;
  close(): Promise<void>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const main = join(root, 'packages/cli/src/main.ts');
const upstream = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

/** The bridge, in front of the official example server on stdio. */
export async function openBridge(): Promise<Open> {
  const bridge = await createBridge({
    upstream: spawn(process.execPath, [upstream, 'stdio'], { stderr: 'ignore' }),
    onWarning: () => {},
  });
  const http = await listen(bridge, { port: 0 });
  const { server, revision } = bridge.upstream;
  return {
    title: `parley bridge, in front of ${server?.name} ${server?.version}, which speaks ${revision} over stdio`,
    door: {
      url: http.url,
      command: [process.execPath, main, 'bridge', '--stdio', '--', process.execPath, upstream, 'stdio'],
    },
    plan: everything,
    close: async () => {
      await http.close();
      await bridge.close();
    },
  };
}

/** A server of Parley. */
export async function openExample(): Promise<Open> {
  const server = createExampleServer();
  const http = await listen(server, { port: 0 });
  return {
    title: 'a Parley server (parley example)',
    door: { url: http.url, command: [process.execPath, main, 'example'] },
    plan: example,
    close: async () => {
      await http.close();
      await server.close();
    },
  };
}
