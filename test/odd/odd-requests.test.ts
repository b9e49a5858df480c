/** Odd requests of clients, and what the official servers and ours make of them. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport as OlderTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { createHandler } from '../../packages/parley/src/http.ts';
import { createServer } from '../../packages/parley/src/server.ts';

type Answering = (request: Request) => Promise<Response>;

const info = { name: 's', version: '1' };
const settings = { sessionIdGenerator: () => crypto.randomUUID(), enableJsonResponse: true };

async function older(): Promise<Answering> {
  const server = new OlderServer(info, { capabilities: { tools: {} } });
  server.registerTool('a', {}, () => ({ content: [] }));
  const transport = new OlderTransport(settings);
  await server.connect(transport);
  return (request) => transport.handleRequest(request);
}

async function newer(): Promise<Answering> {
  const server = new McpServer(info, { capabilities: { tools: {} } });
  server.registerTool('a', {}, () => ({ content: [] }));
  const transport = new WebStandardStreamableHTTPServerTransport(settings);
  await server.connect(transport);
  return (request) => transport.handleRequest(request);
}

function ours(warnings: string[], options: object = {}): Answering {
  const server = createServer(info, { onWarning: (message) => warnings.push(message) });
  server.tool('a', { input: { type: 'object' } }, () => 'x');
  const handler = createHandler(server, { allowedHosts: ['localhost'], ...options });
  return async (request) => handler(request);
}

const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};

function post(body: string, headers: Readonly<Record<string, string>> = {}): Request {
  const own = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return new Request('http://localhost/mcp', { method: 'POST', body, headers: { ...own, ...headers } });
}

/** An odd request: the first one, or one of a session. */
interface Row {
  readonly title: string;
  readonly body: unknown;
  readonly isMarked?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly inSession?: boolean;
  /** Whether it is answered with a result: by the official servers 1.32.2 and 2.4.0, and by ours. */
  readonly taken: readonly [older: boolean, newer: boolean, ours: boolean];
  readonly warning?: RegExp;
}

const all = [true, true, true] as const;
const none = [false, false, false] as const;

const rows: readonly Row[] = [
  {
    title: 'a byte order mark before the JSON',
    body: initialize,
    isMarked: true,
    taken: all,
    warning: /^a client sends JSON with a byte order mark; it is answered all the same$/,
  },
  {
    title: 'initialize with the id of a session that is over',
    body: initialize,
    headers: { 'mcp-session-id': 'stale' },
    taken: all,
    warning: /^a client sends initialize with the Mcp-Session-Id of a session that is over;/,
  },
  {
    title: 'initialize with a version header that nobody knows',
    body: initialize,
    headers: { 'mcp-protocol-version': '2027-01-01' },
    taken: all,
    warning: /^a client sends initialize with an MCP-Protocol-Version header that is not supported;/,
  },
  {
    title: 'an empty cursor',
    body: { jsonrpc: '2.0', id: 2, method: 'tools/list', params: { cursor: '' } },
    inSession: true,
    taken: all,
    warning: /^a client sends an empty cursor;/,
  },
  {
    title: 'a batch in a session of a version without batches',
    body: [ping],
    inSession: true,
    taken: all,
    warning: /^a client sends a batch in a protocol version without batches;/,
  },
  {
    title: 'a batch of initialize alone',
    body: [initialize],
    taken: all,
    warning: /^a client sends initialize in a batch;/,
  },
  {
    title: 'a batch with initialize and another request',
    body: [initialize, ping],
    taken: none,
  },
  // The session knows its version, and the header names another.
  {
    title: 'another message with a version header that nobody knows',
    body: ping,
    inSession: true,
    headers: { 'mcp-protocol-version': '2027-01-01' },
    taken: none,
  },
  { title: 'initialize in a session that lives', body: initialize, inSession: true, taken: none },
];

async function isTaken(
  answering: Answering,
  { body, isMarked = false, headers = {}, inSession = false }: Row,
): Promise<boolean> {
  const own: Record<string, string> = {};
  if (inSession) {
    const begun = await answering(post(JSON.stringify(initialize)));
    own['mcp-session-id'] = begun.headers.get('mcp-session-id') ?? '';
    own['mcp-protocol-version'] = '2025-06-18';
    await answering(post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), own));
  }
  const answer = await answering(post(`${isMarked ? '\ufeff' : ''}${JSON.stringify(body)}`, { ...own, ...headers }));
  return [JSON.parse(await answer.text())].flat().some((message: object) => 'result' in message);
}

describe('an odd request over HTTP', () => {
  for (const row of rows)
    test(`is taken by all or by none: ${row.title}`, async () => {
      const warnings: string[] = [];
      const answering = ours(warnings);
      const taken = [
        await isTaken(await older(), row),
        await isTaken(await newer(), row),
        await isTaken(answering, row),
      ];
      assert.deepEqual(taken, row.taken);
      if (row.warning === undefined) return assert.deepEqual(warnings, []);
      await isTaken(answering, row);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', row.warning);
    });

  for (const headers of [{ 'mcp-session-id': 'stale' }, { 'mcp-protocol-version': '2027-01-01' }])
    test(`begins without sessions too: ${Object.keys(headers).join()}`, async () => {
      const answering = ours([], { sessions: false });
      const row = { title: '', body: initialize, headers, taken: all };
      assert.equal(await isTaken(answering, row), true);
    });
});
