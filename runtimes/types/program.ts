/** What a compiler must understand of the public types, whichever way it finds modules. */
import { createServer, connect, createBridge, createHandler, McpError, ToolError } from 'parley-mcp';
import { connect as connectClient, type Client } from 'parley-mcp/client';
import { inputRequired } from 'parley-mcp/server';
import { httpTransport } from 'parley-mcp/http';
import { listen, nodeFetch, toNodeHandler } from 'parley-mcp/node';
import { revisions } from 'parley-mcp/protocol';
import { serveStdio, spawn } from 'parley-mcp/stdio';
import { connectInMemory } from 'parley-mcp/testing';
import { createBridge as bridge } from 'parley-mcp/bridge';
import { z } from 'zod';

const server = createServer({ name: 'typed', version: '1.0.0' });
server.tool(
  'forecast',
  { input: z.object({ city: z.string() }), output: z.object({ degrees: z.number() }) },
  ({ city }) => ({ degrees: city.length }),
);
server.tool('ask', {}, async (_, ctx) => {
  const answer = await ctx.elicit({ message: 'How many?', schema: z.object({ guests: z.int() }) });
  const guests: number | undefined = answer.content?.guests;
  if (guests === undefined) throw new ToolError('nobody comes');
  return `for ${guests}`;
});
// @ts-expect-error a city is a string
server.tool('wrong', { input: z.object({ city: z.string() }) }, ({ city }: { city: number }) => `${city}`);

const { url, close } = await listen(server, { port: 0 });
const client: Client = await connectClient(url, { fetch: nodeFetch() });
const { structuredContent } = await client.callTool('forecast', { city: 'Oslo' });
console.log(structuredContent, revisions.length, toNodeHandler(server), createHandler(server));
await client.close();
await close();
serveStdio(server);
const upstream = spawn('node', ['server.js']);
await connectInMemory(await createBridge({ upstream }));
await connect(httpTransport(new URL(url)));
export { bridge, inputRequired, McpError };
