/** A server of the official first SDK, as its documentation has it: a server for each session over HTTP, `node official-v1.ts stdio|http`. */

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { McpServer, ResourceTemplate } from 'sdk-1.32.2/server/mcp.js';
import { StdioServerTransport } from 'sdk-1.32.2/server/stdio.js';
import { StreamableHTTPServerTransport } from 'sdk-1.32.2/server/streamableHttp.js';
import { z } from 'zod';
import { keepToLoopback } from './loopback.ts';

const named = { name: z.string() };
const transports = new Map<string, StreamableHTTPServerTransport>();

function build(): McpServer {
  const server = new McpServer({ name: 'official', version: '1.32.2' }, { capabilities: { logging: {} } });
  server.registerTool('greet', { description: 'Greets.', inputSchema: named }, ({ name }) => ({
    content: [{ type: 'text', text: `Hello, ${name}!` }],
  }));
  server.registerResource('memo', 'memo://one', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'remember the milk' }],
  }));
  const template = new ResourceTemplate('memo://by/{name}', { list: undefined });
  server.registerResource('memo-by', template, {}, ({ href }) => ({
    contents: [{ uri: href, text: 'and the bread' }],
  }));
  server.registerPrompt('welcome', { description: 'Welcomes.', argsSchema: named }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Please welcome ${name}.` } }],
  }));
  return server;
}

async function open(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  transport.onclose = () => void transports.delete(transport.sessionId ?? '');
  // Its own types disagree about fields that may be left out.
  await build().connect(transport as Parameters<McpServer['connect']>[0]);
  return transport;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const transport = transports.get(String(request.headers['mcp-session-id'])) ?? (await open());
  await transport.handleRequest(request, response);
}

if (process.argv[2] === 'stdio') await build().connect(new StdioServerTransport());
else {
  keepToLoopback();
  createServer((request, response) => void answer(request, response)).listen(0);
}
