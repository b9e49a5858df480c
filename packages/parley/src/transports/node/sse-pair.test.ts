import assert from 'node:assert/strict';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { describe, test, type TestContext } from 'node:test';
import { z } from 'zod';
import { connect } from '../../client.ts';
import { httpTransport } from '../http/client/transport.ts';
import { ssePairTransport } from '../http/client/sse-pair.ts';
import { createServer, type Server } from '../../server/server.ts';
import { portOf } from '../../../../../test/support/http-entries.ts';
import { listen } from './server/http.ts';

const versions = ['1.0.4', '1.7.0', '1.12.0', '1.20.0'] as const;

/** What the tests use of the official client, whose types differ between their versions. */
interface OfficialClient {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments?: unknown }, ...rest: unknown[]): Promise<{ content: { text: string }[] }>;
  close(): Promise<void>;
}

/** What they use of the official server. */
interface OfficialServer {
  connect(transport: object): Promise<void>;
  setRequestHandler(
    schema: unknown,
    handler: (request: { params: { name: string; arguments: unknown } }) => unknown,
  ): void;
}

interface OldTransport {
  readonly sessionId: string;
  handlePostMessage(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Loads an official module. The packages are test dependencies; these paths export what the callers say. */
async function load<T>(version: string, path: string): Promise<T> {
  return (await import(`sdk-${version}/${path}`)) as T;
}

/** The oldest clients expect the global that browsers have; later ones brought it along. */
function withEventSource(t: TestContext): void {
  const required = createRequire(import.meta.resolve('sdk-1.12.0/client/sse.js'))('eventsource') as {
    EventSource: unknown;
  };
  Object.assign(globalThis, { EventSource: required.EventSource });
  t.after(() => Reflect.deleteProperty(globalThis, 'EventSource'));
}

/** @param heard When the tool goes on after its progress: the oldest clients drop progress that comes with the result. */
function weather(heard: Promise<unknown> = Promise.resolve()): Server {
  const server = createServer({ name: 'weather', version: '1.0.0' });
  server.tool('forecast', { input: z.object({ city: z.string() }) }, async ({ city }, ctx) => {
    ctx.progress(1, 2);
    await heard;
    return `sunny in ${city}`;
  });
  return server;
}

describe('an official client of HTTP+SSE', () => {
  for (const version of versions) {
    test(`of version ${version} connects at the old paths and calls a tool [sse-011]`, async (t) => {
      withEventSource(t);
      const { Client } = await load<{ Client: new (info: object, options: object) => OfficialClient }>(
        version,
        'client/index.js',
      );
      const { SSEClientTransport } = await load<{ SSEClientTransport: new (url: URL) => object }>(
        version,
        'client/sse.js',
      );
      let hear = (_seen: unknown): void => undefined;
      const heard = new Promise((resolve) => (hear = resolve));
      const ssePair = { sse: '/sse', messages: '/messages' };
      const listening = await listen(weather(heard), { port: 0, drainTimeoutMs: 100, ssePair });
      t.after(() => listening.close());
      const client = new Client({ name: 'official', version }, { capabilities: {} });
      await client.connect(new SSEClientTransport(new URL('/sse', listening.url)));
      assert.deepEqual(
        (await client.listTools()).tools.map(({ name }) => name),
        ['forecast'],
      );
      const call = { name: 'forecast', arguments: { city: 'Oslo' } };
      const result = await client.callTool(call, undefined, { onprogress: hear });
      assert.equal(result.content[0]?.text, 'sunny in Oslo');
      assert.deepEqual(await heard, { progress: 1, total: 2 });
      await client.close();
    });
  }
});

/** An official server that serves the older transport alone, as its documentation had it. */
async function oldServer(
  t: TestContext,
  version: string,
): Promise<{ readonly url: string; readonly requests: string[] }> {
  const { Server: Official } = await load<{ Server: new (info: object, options: object) => OfficialServer }>(
    version,
    'server/index.js',
  );
  const { SSEServerTransport } = await load<{
    SSEServerTransport: new (path: string, response: ServerResponse) => OldTransport;
  }>(version, 'server/sse.js');
  const { CallToolRequestSchema, ListToolsRequestSchema } = await load<Record<string, unknown>>(version, 'types.js');
  const transports = new Map<string, OldTransport>();
  const requests: string[] = [];
  const open = async (response: ServerResponse): Promise<void> => {
    const transport = new SSEServerTransport('/messages', response);
    const server = new Official({ name: 'old', version }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
      content: [{ type: 'text', text: JSON.stringify(params.arguments) }],
    }));
    transports.set(transport.sessionId, transport);
    await server.connect(transport);
  };
  const http = createHttpServer((incoming, outgoing) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
    requests.push(`${incoming.method} ${pathname}`);
    const transport = transports.get(searchParams.get('sessionId') ?? '');
    if (incoming.method === 'GET' && pathname === '/sse') void open(outgoing);
    else if (incoming.method === 'POST' && pathname === '/messages' && transport !== undefined)
      void transport.handlePostMessage(incoming, outgoing);
    else
      outgoing.writeHead(404, { 'content-type': 'text/html' }).end(`<pre>Cannot ${incoming.method} ${pathname}</pre>`);
  });
  const port = await portOf(http);
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${port}/sse`, requests };
}

describe('our client', () => {
  for (const version of versions) {
    for (const [title, transport] of [
      ['finds', httpTransport],
      ['is told of', ssePairTransport],
    ] as const) {
      test(`${title} the HTTP+SSE of an official server of version ${version} [sse-003] [sse-010]`, async (t) => {
        const { url, requests } = await oldServer(t, version);
        const client = await connect(transport(url));
        assert.deepEqual(
          (await client.listTools()).map(({ name }) => name),
          ['echo'],
        );
        const result = await client.callTool('echo', { city: 'Oslo' });
        assert.deepEqual(result.content, [{ type: 'text', text: '{"city":"Oslo"}' }]);
        assert.equal(requests.filter((request) => request === 'GET /sse').length, 1);
        await client.close();
      });
    }
  }

  test('speaks to our own server over the pair', async (t) => {
    const ssePair = { sse: '/old/sse', messages: '/old/messages' };
    const listening = await listen(weather(), { port: 0, drainTimeoutMs: 100, ssePair });
    t.after(() => listening.close());
    const client = await connect(ssePairTransport(new URL('/old/sse', listening.url)), { revisions: ['2024-11-05'] });
    assert.equal(client.revision, '2024-11-05');
    const result = await client.callTool('forecast', { city: 'Oslo' });
    assert.deepEqual(result.content, [{ type: 'text', text: 'sunny in Oslo' }]);
    await client.close();
  });
});
