import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'trips', version: '1.0.0' }, { capabilities: { logging: {} } });

server.registerTool(
  'book',
  { description: 'Books a trip.', inputSchema: { city: z.string() }, outputSchema: { number: z.int() } },
  async ({ city }, extra) => {
    await server.sendLoggingMessage({ level: 'info', data: `asking about ${city}` }, extra.sessionId);
    const answer = await server.server.elicitInput({
      message: `How many go to ${city}?`,
      requestedSchema: { type: 'object', properties: { people: { type: 'integer' } }, required: ['people'] },
    });
    if (answer.action !== 'accept') return { content: [{ type: 'text', text: 'nobody goes' }], isError: true };
    const structuredContent = { number: 100 + Number(answer.content?.['people']) };
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  },
);

server.registerResource('cities', 'trips://cities', { mimeType: 'text/plain' }, (uri) => ({
  contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'Lisbon, Oslo' }],
}));

server.registerResource(
  'city',
  new ResourceTemplate('trips://cities/{city}', { list: undefined, complete: { city: () => ['Lisbon', 'Oslo'] } }),
  {},
  (uri, { city }) => ({ contents: [{ uri: uri.href, text: `${String(city)} is nice` }] }),
);

server.registerPrompt('plan', { argsSchema: { city: z.string() } }, ({ city }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Plan a day in ${city}.` } }],
}));

await server.connect(new StdioServerTransport());
