/** Counts the servers that stay behind when a client starts a bridge with one that hangs, and closes it. */

import { spawn as spawnProcess } from 'node:child_process';
import { connect } from '../../packages/parley/src/client.ts';
import { parley } from './cli-process.ts';
import { isGone } from './is-gone.ts';
import { spawnNode } from './programs.ts';

/** A server that never answers a call, and that neither the end of its input nor SIGTERM ends. */
export const stubborn: readonly [string, ...string[]] = [
  process.execPath,
  '-e',
  `process.stderr.write('[pid ' + process.pid + ']');
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const serverInfo = { name: 'stubborn', version: '1' };
    const results = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo },
      'tools/list': { tools: [{ name: 'slow', inputSchema: { type: 'object' } }] },
    };
    if (method === 'tools/call') process.stderr.write('[called]');
    else if (id !== undefined) {
      const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'no' } };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    }
  });`,
];

/** What a series of starts left behind. */
export interface Orphans {
  /** Servers that were started. */
  readonly started: number;
  /** Servers that live on. They are ended when they were counted. */
  readonly left: number;
}

/** Starts and closes a bridge as many times, some of them at once, while other programs keep so many processors busy. */
export async function orphans(times: number, atOnce: number, busy: number): Promise<Orphans> {
  const loops = Array.from({ length: busy }, () =>
    spawnProcess(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  const pids: number[] = [];
  let begun = 0;
  const one = async (): Promise<void> => {
    while (begun++ < times) {
      const host = spawnNode([parley, 'bridge', '--stdio', '--', ...stubborn], {
        onStderr: (text) => {
          for (const [, pid] of text.matchAll(/\[pid (\d+)\]/g)) pids.push(Number(pid));
        },
      });
      const client = await connect(host, { onWarning: () => undefined });
      await client.listTools();
      await client.close();
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, one));
    const gone = await Promise.all(pids.map(isGone));
    const left = pids.filter((_, at) => gone[at] === false);
    for (const pid of left) process.kill(pid, 'SIGKILL');
    return { started: pids.length, left: left.length };
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
  }
}
