/** A server of lines that answers a tool that it does not have with a wrong code. */

import { createInterface } from 'node:readline';

interface Asked {
  readonly id?: unknown;
  readonly method?: string;
}

const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'ill', version: '1.0.0' },
  },
  'tools/list': { tools: [{ name: 'add', inputSchema: { type: 'object' } }] },
  ping: {},
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method = '' } = JSON.parse(line) as Asked;
  if (id === undefined) return;
  const result = results[method];
  const outcome = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
});
