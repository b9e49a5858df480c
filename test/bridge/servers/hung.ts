/** A server that neither the end of its input nor SIGTERM ends. It says its process id to standard error. */

import { createInterface } from 'node:readline';

process.on('SIGTERM', () => undefined);
setInterval(() => undefined, 60_000);
process.stderr.write(`pid ${process.pid}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line) as { readonly id?: number; readonly method: string };
  const serverInfo = { name: 'hung', version: '1' };
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo };
  const answer = method === 'initialize' ? { result } : { error: { code: -32601, message: `no ${method}` } };
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
