/** MCP Apps through a bridge: the official host and an official Apps server, at every version before every other. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge';
import {
  EXTENSION_ID,
  getUiCapability,
  registerAppResource,
  registerAppTool,
  RESOURCE_MIME_TYPE,
} from '@modelcontextprotocol/ext-apps/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { Client as Client32 } from 'sdk-1.32.2/client/index.js';
import { StreamableHTTPClientTransport as Transport32 } from 'sdk-1.32.2/client/streamableHttp.js';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { revisions, type Revision } from '../../packages/parley/src/protocol/revision.ts';

const page = 'ui://weather/view.html';

/** A server whose tool says whether its client shows pages. */
function appsServer(versions: readonly string[]): McpServer {
  const server = new McpServer({ name: 'weather', version: '1.0.0' }, { supportedProtocolVersions: [...versions] });
  const config = { description: 'Tells the weather.', _meta: { ui: { resourceUri: page } } };
  registerAppTool(server, 'weather', config, () => {
    const { mimeTypes = [] } = getUiCapability(server.server.getClientCapabilities()) ?? {};
    return { content: [{ type: 'text', text: mimeTypes.includes(RESOURCE_MIME_TYPE) ? 'a page' : 'text alone' }] };
  });
  registerAppResource(server, 'Weather view', page, {}, () => ({
    contents: [{ uri: page, mimeType: RESOURCE_MIME_TYPE, text: '<p>Sunny</p>' }],
  }));
  return server;
}

/** Serves it over HTTP at one version: in sessions where the version has them. */
async function served(t: TestContext, { date, era }: Revision): Promise<string> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  async function fetchInSession(request: Request): Promise<Response> {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known !== undefined) return await known.handleRequest(request);
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await appsServer([date]).connect(transport);
    return await transport.handleRequest(request);
  }
  const handler =
    era === 'handshake' ? { fetch: fetchInSession } : createMcpHandler(() => appsServer([date]), { legacy: 'reject' });
  // Node's own types say `undefined` where the handler's leave a field out.
  const listener = toNodeHandler(handler) as (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  const http = createHttp((request, response) => void listener(request, response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => http.once('listening', resolve));
  t.after(() => {
    http.close();
    http.closeAllConnections();
  });
  // A server that listens on a port has such an address.
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

/** Connects the official host at one version. */
async function host(t: TestContext, url: string, { date, era }: Revision, extensions: object): Promise<Client> {
  const client = new Client(
    { name: 'host', version: '1.0.0' },
    {
      capabilities: extensions,
      ...(era === 'handshake'
        ? { supportedProtocolVersions: [date], versionNegotiation: { mode: 'legacy' } }
        : { versionNegotiation: { mode: { pin: date } } }),
    },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  t.after(() => client.close());
  return client;
}

async function bridged(t: TestContext, up: Revision): Promise<string> {
  const bridge = await createBridge({ upstream: await served(t, up), upstreamRevisions: [up.date] });
  const door = await listen(bridge, { port: 0 });
  t.after(async () => {
    await door.close();
    await bridge.close();
  });
  return door.url;
}

const shown = { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } };

for (const down of revisions)
  describe(`the official host at ${down.date}`, { concurrency: 5 }, () => {
    for (const up of revisions)
      test(`gets the page of an Apps server at ${up.date} through the bridge`, async (t) => {
        const client = await host(t, await bridged(t, up), down, shown);
        const [tool] = (await client.listTools()).tools;
        assert.ok(tool !== undefined);
        assert.equal(getToolUiResourceUri(tool), page);
        const { content } = await client.callTool({ name: 'weather', arguments: {} });
        assert.deepEqual(content, [{ type: 'text', text: 'a page' }]);
        const { contents } = await client.readResource({ uri: page });
        assert.deepEqual(
          contents.map((one) => [one.uri, one.mimeType, 'text' in one ? one.text : undefined]),
          [[page, RESOURCE_MIME_TYPE, '<p>Sunny</p>']],
        );
      });

    test('that shows no pages is told in text', async (t) => {
      const [up] = revisions;
      assert.ok(up !== undefined);
      const client = await host(t, await bridged(t, up), down, {});
      const { content } = await client.callTool({ name: 'weather', arguments: {} });
      assert.deepEqual(content, [{ type: 'text', text: 'text alone' }]);
    });
  });

for (const up of revisions)
  test(`the official host 1.32.2 gets the page of an Apps server at ${up.date} through the bridge`, async (t) => {
    const client = new Client32({ name: 'host', version: '1.0.0' }, { capabilities: shown });
    // The types of that version give its transport one optional field that its interface leaves out.
    await client.connect(new Transport32(new URL(await bridged(t, up))) as Parameters<Client32['connect']>[0]);
    t.after(() => client.close());
    const [tool] = (await client.listTools()).tools;
    assert.deepEqual(tool?._meta?.['ui'], { resourceUri: page });
    const { content } = await client.callTool({ name: 'weather', arguments: {} });
    assert.deepEqual(content, [{ type: 'text', text: 'a page' }]);
    const { contents } = await client.readResource({ uri: page });
    assert.deepEqual(contents, [{ uri: page, mimeType: RESOURCE_MIME_TYPE, text: '<p>Sunny</p>' }]);
  });
