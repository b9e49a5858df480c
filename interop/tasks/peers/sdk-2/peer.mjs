/** The client of the official SDK of TypeScript, version 2, which has no tasks: `peer.mjs client` does what the plan on its standard input says. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const client = new Client(
  { name: 'sdk-2', version: '1.0.0' },
  { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
);
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ann' } }));

async function told(step, doing) {
  let came;
  try {
    came = { result: await doing() };
  } catch (error) {
    const { code, message } = error;
    came = typeof code === 'number' ? { error: { code, message } } : { failed: String(error) };
  }
  console.log(JSON.stringify({ step, ...came, heard: [] }));
}

let line = '';
for await (const part of process.stdin) line += part;
const { target, steps } = JSON.parse(line);
const [command, ...args] = target.command ?? [];
const transport =
  target.transport === 'stdio'
    ? new StdioClientTransport({ command, args })
    : new StreamableHTTPClientTransport(new URL(target.url));
await told('connect', async () => {
  await client.connect(transport);
  return { revision: client.getNegotiatedProtocolVersion() };
});
for (const { id, name, arguments: given } of steps) await told(id, () => client.callTool({ name, arguments: given }));
await client.close();
process.exit(0);
