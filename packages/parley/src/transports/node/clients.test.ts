import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { z } from 'zod';
import { createServer, type Server } from '../../server/server.ts';
import { send } from '../../../../../test/support/http-entries.ts';
import { listen } from './server/http.ts';

/** What the tests use of the official clients, whose types differ between their versions. */
interface OfficialClient {
  connect(transport: unknown): Promise<void>;
  callTool(params: { name: string; arguments?: unknown }, ...rest: unknown[]): Promise<{ content: { text: string }[] }>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  close(): Promise<void>;
  getNegotiatedProtocolVersion?(): string | undefined;
}

interface Module {
  readonly Client: new (info: { name: string; version: string }, options?: unknown) => OfficialClient;
}

interface TransportModule {
  readonly StreamableHTTPClientTransport: new (url: URL) => {
    terminateSession(): Promise<void>;
    readonly sessionId?: string;
  };
}

function weather(): Server {
  const server = createServer({ name: 'weather', version: '1.0.0' });
  server.tool('forecast', { input: z.object({ city: z.string() }) }, ({ city }, ctx) => {
    ctx.progress(1, 2);
    return `sunny in ${city}`;
  });
  return server;
}

async function serve(t: TestContext, server: Server = weather()): Promise<{ url: string; port: number }> {
  const listening = await listen(server, { port: 0, drainTimeoutMs: 100 });
  t.after(() => listening.close());
  return listening;
}

describe('an official client', () => {
  for (const version of ['1.12.0', '1.20.0', '1.32.2']) {
    test(`of version ${version} opens a session, calls a tool and ends the session`, async (t) => {
      // The packages are test dependencies; these two paths export these two classes.
      const { Client } = (await import(`sdk-${version}/client/index.js`)) as Module;
      const { StreamableHTTPClientTransport } = (await import(
        `sdk-${version}/client/streamableHttp.js`
      )) as TransportModule;
      const { url, port } = await serve(t);
      const client = new Client({ name: 'official', version });
      const transport = new StreamableHTTPClientTransport(new URL(url));
      await client.connect(transport);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['forecast'],
      );
      const progress: unknown[] = [];
      const result = await client.callTool({ name: 'forecast', arguments: { city: 'Oslo' } }, undefined, {
        onprogress: (seen: unknown) => progress.push(seen),
      });
      assert.equal(result.content[0]?.text, 'sunny in Oslo');
      assert.equal(progress.length, 1);
      const id = transport.sessionId ?? '';
      await transport.terminateSession();
      assert.equal(
        (await send(port, { headers: { 'Mcp-Session-Id': id }, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }))
          .status,
        404,
      );
      await client.close();
    });
  }

  for (const [mode, version] of [
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const) {
    test(`of version 2.4.0 speaks ${version} when its negotiation is ${mode}`, async (t) => {
      // The package exports both classes, with these parts of their interface.
      const { Client, StreamableHTTPClientTransport } =
        (await import('@modelcontextprotocol/client')) as unknown as Module & TransportModule;
      const { url } = await serve(t);
      const client = new Client({ name: 'official', version: '2' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      assert.equal(client.getNegotiatedProtocolVersion?.(), version);
      const progress: unknown[] = [];
      const result = await client.callTool(
        { name: 'forecast', arguments: { city: 'Oslo' } },
        { onprogress: (seen: unknown) => progress.push(seen) },
      );
      assert.equal(result.content[0]?.text, 'sunny in Oslo');
      assert.equal(progress.length, 1);
      await client.close();
    });
  }
});

describe('a server over HTTP', () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const call = (
    method: string,
    params: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Parameters<typeof send>[1] => ({
    headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'x', method, params: { _meta: meta, ...params } }),
  });
  const codeOf = (text: string): unknown => (JSON.parse(text) as { error?: { code: number } }).error?.code;

  for (const method of [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'unknown/method',
    '__proto__',
  ]) {
    test(`does not know ${method} under a stateless revision [http-068] [http-069]`, async (t) => {
      const { port } = await serve(t);
      const answer = await send(port, call(method));
      assert.deepEqual([answer.status, codeOf(answer.text)], [404, -32601], answer.text);
    });
  }

  test('serves a handshake session and stateless exchanges at one URL [http-001] [http-002]', async (t) => {
    const { port } = await serve(t);
    const opened = await send(port, {
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
      }),
    });
    const session = { 'Mcp-Session-Id': opened.headers['mcp-session-id'] ?? '' };
    const [old, fresh] = await Promise.all([
      send(port, { headers: session, body: '{"jsonrpc":"2.0","id":"x","method":"tools/list"}' }),
      send(port, call('tools/list', {}, session)),
    ]);
    assert.equal((JSON.parse(old.text) as { result: { resultType?: string } }).result.resultType, undefined);
    assert.equal((JSON.parse(fresh.text) as { result: { resultType?: string } }).result.resultType, 'complete');
  });

  test('answers a stateless request without capabilities as a bad request [meta-011]', async (t) => {
    const { port } = await serve(t);
    const answer = await send(
      port,
      call('server/discover', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }),
    );
    assert.deepEqual([answer.status, codeOf(answer.text)], [400, -32602]);
  });

  test('ends a subscription with a response when it closes', async (t) => {
    const server = weather();
    const { url } = await serve(t, server);
    const { headers, body } = call('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(headers as Record<string, string>) },
      body: String(body),
    });
    await server.close();
    const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('data: '));
    assert.match(events[0] ?? '', /acknowledged/);
    assert.match(events.at(-1) ?? '', /"id":"x".*"result"/);
  });
});
