/** A server of the official second SDK that offers whatever that SDK has, over HTTP at 2026-07-28. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  completable,
  createMcpHandler,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type CallToolResult,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Endable } from './inspected.ts';
import { originOf } from './listening.ts';

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });

/** Serves it for the time of a test. @returns Its address. */
export async function servedOfficialUses(t: Endable): Promise<string> {
  let updated: (uri: string) => void = () => {};
  const { fetch, notify } = createMcpHandler(() => create((uri) => updated(uri)), { legacy: 'reject' });
  updated = (uri) => notify.resourceUpdated(uri);
  const handle = toNodeHandler({ fetch });
  // Node's own types say `undefined` where the handler's leave a field out.
  const serve = handle as (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  const http = createServer((request, response) => void serve(request, response));
  return `${await originOf(t, http)}/mcp`;
}

function create(updated: (uri: string) => void): McpServer {
  const server = new McpServer(
    { name: 'official-uses', version: '2.4.0' },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} } },
  );
  addPlain(server);
  addMedia(server);
  addAsking(server);
  addResources(server, updated);
  return server;
}

function addPlain(server: McpServer): void {
  const named = z.object({ name: z.string() });
  server.registerTool('greet', { inputSchema: named }, ({ name }) => text(`Hello, ${name}!`));
  server.registerTool('fail', {}, () => ({ ...text('nothing works'), isError: true }));
  server.registerTool(
    'measure',
    { inputSchema: z.object({ of: z.enum(['air', 'sea']) }), outputSchema: z.object({ degrees: z.number() }) },
    () => ({ ...text('seven'), structuredContent: { degrees: 7 } }),
  );
  server.registerTool('slow', {}, async ({ mcpReq: { _meta: meta, notify, signal } }) => {
    const progressToken = meta?.progressToken;
    if (progressToken !== undefined)
      await notify({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 4 } });
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return text('never');
  });
  server.registerTool('note', {}, async ({ mcpReq }) => {
    await mcpReq.log('warning', 'it is late');
    return text('noted');
  });
}

function addMedia(server: McpServer): void {
  server.registerTool('media', {}, () => ({
    content: [
      { type: 'image', data: dot, mimeType: 'image/png' },
      { type: 'audio', data: silence, mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'memo://one', name: 'the memo' },
      { type: 'resource', resource: { uri: 'memo://two', mimeType: 'text/plain', text: 'enclosed words' } },
    ],
  }));
}

function addAsking(server: McpServer): void {
  const asks = {
    book: inputRequired.elicit({ message: 'Your name?', requestedSchema: z.object({ name: z.string() }) }),
    visit: inputRequired.elicitUrl({ message: 'Look here.', url: 'https://example.com/path' }),
    think: inputRequired.createMessage({
      messages: [{ role: 'user', content: { type: 'text', text: 'What is seven?' } }],
      maxTokens: 20,
    }),
    look: inputRequired.listRoots(),
  };
  for (const [name, question] of Object.entries(asks))
    server.registerTool(name, {}, ({ mcpReq: { inputResponses } }) => {
      const answer = inputResponse(inputResponses, 'it');
      if (answer.kind === 'missing') return inputRequired({ inputRequests: { it: question } });
      return text(`got ${JSON.stringify(answer)}`);
    });
}

function addResources(server: McpServer, updated: (uri: string) => void): void {
  server.registerResource('memo', 'memo://one', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'remember the milk' }],
  }));
  const complete = { day: (typed: string) => ['monday', 'sunday'].filter((day) => day.startsWith(typed)) };
  server.registerResource(
    'plan',
    new ResourceTemplate('plan://{day}', { list: undefined, complete }),
    {},
    ({ href }) => ({ contents: [{ uri: href, text: `planned: ${href}` }] }),
  );
  const tone = completable(z.string(), (typed) => ['formal', 'friendly'].filter((one) => one.startsWith(typed)));
  server.registerPrompt('welcome', { argsSchema: z.object({ tone }) }, ({ tone: chosen }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Be ${chosen}.` } }],
  }));
  server.registerTool('touch', {}, () => {
    updated('memo://one');
    return text('touched');
  });
}
