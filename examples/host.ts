import { connect, ConnectionError, McpError } from 'parley-mcp/client';
import { spawn } from 'parley-mcp/stdio';

const [command = 'node', ...args] = process.argv.slice(2);
const controller = new AbortController();

const client = await connect(spawn(command, args), {
  info: { name: 'my-host', version: '1.0.0' },
  timeoutMs: 30_000,
  // Each handler declares a capability. Without it, the server cannot ask.
  onElicit: ({ message, requestedSchema }) => {
    console.log('question:', message, Object.keys(requestedSchema.properties));
    return { action: 'decline' };
  },
  onSample: () => {
    throw new McpError(-1, 'User rejected sampling request');
  },
  roots: [{ uri: 'file:///srv/notes', name: 'notes' }],
  onLog: ({ level, data }) => console.log('log', level, data),
  onWarning: (message, cause) => console.error('warning:', message, cause ?? ''),
  onReconnect: ({ reason }) => console.error('reconnected after', reason),
});
console.log(client.server?.name, client.revision, client.instructions);

// In 2026-07-28, a server sends no logs until the client sets a level. Older servers may log at once.
if (client.supports('logging')) await client.setLogLevel('info');

const tools = client.supports('tools') ? await client.listTools() : [];
console.log(tools.map(({ name, title }) => title ?? name));

// Changes of lists and resources arrive the same way in every version.
const watched = await client.subscribe({ tools: true, prompts: true, resources: true }, (event) => {
  console.log('changed:', event.type === 'list' ? event.list : event.type);
});

try {
  const options = { signal: controller.signal, timeoutMs: 5000, maxTotalTimeoutMs: 60_000 };
  const result = await client.callTool(tools[0]?.name ?? 'none', {}, options);
  // A failed tool returns a result. The model reads it and can try again.
  console.log(result.isError === true ? 'failed' : 'answered', result.content);
} catch (error) {
  // An error of the server has a `kind`, and an error of the connection has a `reason`.
  if (error instanceof McpError) console.error(`refused (${error.kind ?? error.code}): ${error.message}`);
  else if (error instanceof ConnectionError) console.error(`no answer (${error.reason}): ${error.message}`);
  else throw error;
}

await watched.close();
await client.close();
