/** A server of Temporal, which is built of its module of Go and keeps what it knows in memory. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { userCache } from '../../scripts/made-folder.ts';
import { buildGo } from '../../scripts/toolchains/go.ts';
import type { EngineServer } from '../engine.ts';

/** @throws Unavailable where it cannot be built. */
export async function serveTemporal(): Promise<EngineServer> {
  const sources = join(import.meta.dirname, 'server');
  const program = { name: 'temporal-server', sources, cache: userCache('parley-executors') };
  const { command } = await buildGo(program, 'go.temporal.io/server');
  // What it logs is of no interest, unless it does not start.
  const server = spawn(command[0] ?? '', [], { stdio: ['pipe', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: server.stdout })) {
    const [address, namespace] = line.split(' ');
    return {
      where: `${address}/${namespace}`,
      async stop() {
        const ended = once(server, 'close');
        server.stdin.end();
        server.stdout.resume();
        await ended;
      },
    };
  }
  throw new Error('the server of Temporal ended before it said where it is');
}
