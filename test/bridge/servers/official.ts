/** A server of the official second SDK that speaks 2026-07-28 alone: `node official.ts stdio|http`. */

import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  inputResponse,
  McpServer,
  type CallToolResult,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { breath, serveFetch } from './loopback.ts';

const named = z.object({ name: z.string() });
const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
const greeting = (name: string): Parameters<typeof inputRequired.createMessage>[0] => ({
  messages: [{ role: 'user', content: { type: 'text', text: `greet ${name}` } }],
  maxTokens: 20,
});

let grown = false;
/** Over stdio there is one server for all requests, which tells of what it is given; over HTTP there is one for each. */
let announce: (server: McpServer) => void = addGrown;

function addGrown(server: McpServer): void {
  server.registerTool('grown', { description: 'Was added.' }, () => text('here'));
}

function create(): McpServer {
  const server = new McpServer(
    { name: 'official', version: '2.4.0' },
    {
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, logging: {} },
      cacheHints: { 'tools/list': { ttlMs: 60_000, cacheScope: 'public' } },
    },
  );
  addPlain(server);
  addAsking(server);
  server.registerTool('grow', { description: 'Adds a tool.' }, () => {
    grown = true;
    announce(server);
    return text('grown');
  });
  if (grown) addGrown(server);
  return server;
}

function addPlain(server: McpServer): void {
  server.registerTool('greet', { description: 'Greets.', inputSchema: named }, ({ name }) => text(`Hello, ${name}!`));
  server.registerTool('count', { description: 'Counts to three.' }, async ({ mcpReq: { _meta: meta, notify } }) => {
    const progressToken = meta?.progressToken;
    if (progressToken !== undefined) {
      for (const progress of [1, 2, 3]) {
        await notify({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
        await breath();
      }
    }
    return text('counted');
  });
  server.registerResource('memo', 'memo://one', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'remember the milk' }],
  }));
  server.registerPrompt('welcome', { description: 'Welcomes.', argsSchema: named }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Please welcome ${name}.` } }],
  }));
}

function addAsking(server: McpServer): void {
  const askName = inputRequired.elicit({ message: 'Your name?', requestedSchema: named });
  server.registerTool('book', { description: 'Asks for a name.' }, ({ mcpReq: { inputResponses } }) => {
    const answer = inputResponse(inputResponses, 'name');
    if (answer.kind !== 'elicit') return inputRequired({ inputRequests: { name: askName } });
    return text(answer.action === 'accept' ? `a table for ${String(answer.content?.['name'])}` : answer.action);
  });
  server.registerTool('think', { description: 'Asks the model.' }, ({ mcpReq: { inputResponses } }) => {
    const answer = inputResponse(inputResponses, 'words');
    if (answer.kind === 'sampling') return text(`the model said ${JSON.stringify(answer.result.content)}`);
    return inputRequired({ inputRequests: { words: inputRequired.createMessage(greeting('Ann')) } });
  });
  server.registerTool('look', { description: 'Asks for the roots.' }, ({ mcpReq: { inputResponses } }) => {
    const answer = inputResponse(inputResponses, 'roots');
    if (answer.kind === 'roots') return text(`roots: ${answer.roots.map(({ uri }) => uri).join(' ')}`);
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
  server.registerTool('rounds', { description: 'Asks twice, one after the other.' }, ({ mcpReq }) => {
    const { inputResponses } = mcpReq;
    const name = acceptedContent(inputResponses, 'name', named)?.name ?? mcpReq.requestState<string>();
    if (name === undefined) return inputRequired({ inputRequests: { name: askName } });
    const answer = inputResponse(inputResponses, 'words');
    if (answer.kind === 'sampling') return text(`${name}: ${JSON.stringify(answer.result.content)}`);
    const words = inputRequired.createMessage(greeting(name));
    return inputRequired({ inputRequests: { words }, requestState: name });
  });
}

if (process.argv[2] === 'http') {
  const { fetch, notify } = createMcpHandler(create, { legacy: 'reject' });
  announce = () => notify.toolsChanged();
  serveFetch(fetch);
} else {
  serveStdio(create, { legacy: 'reject' });
}
