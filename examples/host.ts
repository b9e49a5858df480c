import { connect, ConnectionError, McpError } from 'parley-mcp/client';
import { spawn } from 'parley-mcp/stdio';

const [command = 'node', ...args] = process.argv.slice(2);
const controller = new AbortController();

const client = await connect(spawn(command, args), {
  info: { name: 'my-host', version: '1.0.0' },
  timeoutMs: 30_000,
  // What is answered here is declared to the server; what is not, it cannot ask.
  onElicit: ({ message, requestedSchema }) => {
    console.log('it asks:', message, Object.keys(requestedSchema.properties));
    return { action: 'decline' };
  },
  onSample: () => {
    throw new McpError(-1, 'User rejected sampling request');
  },
  roots: [{ uri: 'file:///srv/notes', name: 'notes' }],
  onLog: ({ level, data }) => console.log('log', level, data),
  onWarning: (message, cause) => console.error('warning:', message, cause ?? ''),
  onReconnect: ({ reason }) => console.error('connected again, after', reason),
});
console.log(client.server?.name, client.revision, client.instructions);

// In 2026-07-28 nothing is logged before a level is set; in older revisions a server may log at once.
if (client.supports('logging')) await client.setLogLevel('info');

const tools = client.supports('tools') ? await client.listTools() : [];
console.log(tools.map(({ name, title }) => title ?? name));

// Lists that change and resources that are watched come the same way in every revision.
const watched = await client.subscribe({ tools: true, prompts: true, resources: true }, (event) => {
  console.log('changed:', event.type === 'list' ? event.list : event.type);
});

try {
  const options = { signal: controller.signal, timeoutMs: 5000, maxTotalTimeoutMs: 60_000 };
  const result = await client.callTool(tools[0]?.name ?? 'none', {}, options);
  // A tool that failed is a result: the model reads it, and may try again.
  console.log(result.isError === true ? 'failed' : 'answered', result.content);
} catch (error) {
  // An error of the server has a `kind`, one of the way to it a `reason`; a call that was aborted rejects with the reason of its signal.
  if (error instanceof McpError) console.error(`refused (${error.kind ?? error.code}): ${error.message}`);
  else if (error instanceof ConnectionError) console.error(`no answer (${error.reason}): ${error.message}`);
  else throw error;
}

await watched.close();
await client.close();
