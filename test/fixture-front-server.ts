/** A small server on stdio for tests of several servers; it starts a process of its own when it is asked to say which. */

import { spawn } from 'node:child_process';
import { createServer } from '../packages/parley/src/server/server.ts';
import { serveStdio } from '../packages/parley/src/transports/stdio/server/serve.ts';

const { WORD = '', PIDS } = process.env;

if (PIDS !== undefined) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  process.stderr.write(`[server ${PIDS}: ${process.pid} ${child.pid}]\n`);
}

const server = createServer({ name: 'small', version: '1.0.0' }, { revisions: ['2025-06-18'] });
server.tool(
  'echo',
  { input: { type: 'object', properties: { message: { type: 'string' } } } },
  ({ message }) => `${WORD} ${message}`,
);
await serveStdio(server).closed;
