import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { z } from 'zod';
import { createServer, type Server } from '../server/server.ts';
import { send } from './entries.test.ts';
import { listen } from './http.ts';

/** What the tests use of the official clients, whose types differ between their versions. */
interface OfficialClient {
  connect(transport: unknown): Promise<void>;
  callTool(params: { name: string; arguments?: unknown }, ...rest: unknown[]): Promise<{ content: { text: string }[] }>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  close(): Promise<void>;
}

interface Module {
  readonly Client: new (info: { name: string; version: string }, options?: unknown) => OfficialClient;
}

interface TransportModule {
  readonly StreamableHTTPClientTransport: new (url: URL) => { terminateSession(): Promise<void>; readonly sessionId?: string };
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
  const listening = await listen(server, { port: 0, drainMs: 100 });
  t.after(() => listening.close());
  return listening;
}

describe('an official client', () => {
  for (const version of ['1.12.0', '1.20.0', '1.32.2']) {
    test(`of version ${version} opens a session, calls a tool and ends the session`, async (t) => {
      // The packages are test dependencies; these two paths export these two classes.
      const { Client } = (await import(`sdk-${version}/client/index.js`)) as Module;
      const { StreamableHTTPClientTransport } = (await import(`sdk-${version}/client/streamableHttp.js`)) as TransportModule;
      const { url, port } = await serve(t);
      const client = new Client({ name: 'official', version });
      const transport = new StreamableHTTPClientTransport(new URL(url));
      await client.connect(transport);
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name), ['forecast']);
      const progress: unknown[] = [];
      const result = await client.callTool({ name: 'forecast', arguments: { city: 'Oslo' } }, undefined, { onprogress: (seen: unknown) => progress.push(seen) });
      assert.equal(result.content[0]?.text, 'sunny in Oslo');
      assert.equal(progress.length, 1);
      const id = transport.sessionId ?? '';
      await transport.terminateSession();
      assert.equal((await send(port, { headers: { 'Mcp-Session-Id': id }, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })).status, 404);
      await client.close();
    });
  }
});
