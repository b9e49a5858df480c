import { connect, ConnectionError, McpError } from 'parley-mcp/client';
import { createServer, ToolError } from 'parley-mcp/server';
import { memoryTransport } from 'parley-mcp/testing';

const server = createServer({ name: 'bank', version: '1.0.0' });
server.tool('withdraw', {}, () => {
  throw new ToolError('The account is empty.');
});
server.tool('transfer', {}, () => {
  throw new McpError('invalidParams', 'There is no such account.');
});
const client = await connect(memoryTransport(server));

// A failed tool is a result, which the model reads.
const { isError, content } = await client.callTool('withdraw');
console.log(isError, content);

for (const call of [
  () => client.callTool('transfer'),
  () => connect('http://127.0.0.1:9/mcp'),
  () => client.callTool('withdraw', {}, { signal: AbortSignal.abort(new Error('the user pressed Cancel')) }),
])
  await call().catch((error: unknown) => {
    // The server rejected the request.
    if (error instanceof McpError) console.log('rejected:', error.kind, error.code, error.message);
    // No valid answer arrived. `reason` says why.
    else if (error instanceof ConnectionError) console.log('no answer:', error.reason);
    // Your signal aborted the request, or the program has a mistake.
    else console.log('other:', String(error));
  });
await client.close();
