/** Bridges over HTTP and over standard streams, on either side. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { PassThrough } from 'node:stream';
import { bridgeTo, lineOver, pairs, serverAt, type QuietOptions } from '../../../../test/support/bridged.ts';
import { open, settle, statelessDate, withMeta } from '../../../../test/support/raw.ts';
import { streamTransport } from '../../../../test/support/stream-transport.ts';
import { connect } from '../client.ts';
import type { Client } from '../client/api/client.ts';
import { httpTransport } from '../transports/http/client/transport.ts';
import { createHandler } from '../transports/http/server/fetch.ts';
import type { HttpOptions } from '../transports/http/server/exchanges/options.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Servable } from '../server/runtime/request-handler.ts';
import { listen } from '../transports/node/server/http.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import type { JsonSchema } from '../schema/infer.ts';
import type { Server } from '../server/server.ts';
import { serveStdio } from '../transports/stdio/server/serve.ts';
import { createBridge, type Bridge } from '../bridge.ts';

/** Serves over HTTP without a network. */
function overHttp(
  served: Servable,
  options: HttpOptions = {},
): {
  readonly transport: Transport;
  readonly send: (request: Request) => Promise<Response>;
  readonly requests: Request[];
} {
  const handler = createHandler(served, options);
  const requests: Request[] = [];
  const send = async (request: Request): Promise<Response> => {
    requests.push(request.clone());
    return await handler(request);
  };
  const fetch = (url: string, init: object): Promise<Response> => send(new Request(url, init));
  return { transport: httpTransport('http://127.0.0.1/mcp', { fetch }), send, requests };
}

/** Serves over a pair of streams in this process, one client at a time. */
function overStreams(t: TestContext, served: Servable): Transport {
  return {
    description: 'streams',
    ownsProcess: true,
    open: async (receiver) => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      const server = serveStdio(served, { input, output, guardStdout: false });
      t.after(() => server.close());
      return await streamTransport(input, output).open(receiver);
    },
  };
}

type Wire = (t: TestContext, served: Servable) => Transport;

const wires: Readonly<Record<string, Wire>> = {
  HTTP: (_, served) => overHttp(served).transport,
  stdio: (t, served) => overStreams(t, served),
};

async function clientOver(t: TestContext, transport: Transport, revision: RevisionDate): Promise<Client> {
  const client = await connect(transport, { revisions: [revision] });
  t.after(() => client.close());
  return client;
}

function createWeather(up: RevisionDate): Server {
  const server = serverAt(up, { pageSize: 1 });
  server.tool(
    'forecast',
    { input: { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } } },
    ({ city }, ctx) => {
      ctx.progress(1, 2);
      ctx.log('warning', `asked for ${city}`);
      return `sunny in ${city}`;
    },
  );
  server.tool('other', {}, () => 'other');
  server.resource('memo:one', { name: 'one' }, () => 'first');
  return server;
}

for (const [downName, downWire] of Object.entries(wires)) {
  for (const [upName, upWire] of Object.entries(wires)) {
    for (const { down, up } of pairs) {
      // 2024-11-05 has another HTTP, with a pair of endpoints.
      if ((downName === 'HTTP' && down === '2024-11-05') || (upName === 'HTTP' && up === '2024-11-05')) continue;
      it(`a client at ${down} over ${downName} uses a server at ${up} over ${upName}`, async (t) => {
        const bridge = await bridgeTo(t, upWire(t, createWeather(up)));
        const client = await clientOver(t, downWire(t, bridge), down);
        assert.deepEqual(
          (await client.listTools()).map(({ name }) => name),
          ['forecast', 'other'],
        );
        const progress: unknown[] = [];
        const result = await client.callTool(
          'forecast',
          { city: 'Zürich' },
          { onProgress: (report) => progress.push(report) },
        );
        assert.deepEqual(result.content, [{ type: 'text', text: 'sunny in Zürich' }]);
        assert.deepEqual(progress, [{ progress: 1, total: 2 }]);
        assert.equal((await client.readResource('memo:one')).contents.length, 1);
        await assert.rejects(client.readResource('memo:two'), {
          name: 'McpError',
          message: 'no resource at "memo:two"',
        });
        assert.equal(bridge.upstream.revision, up);
      });
    }
  }
}

describe('over HTTP on both sides', () => {
  const call = (city: string, headers: Record<string, string>): Request =>
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': statelessDate,
        'mcp-method': 'tools/call',
        'mcp-name': 'forecast',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: withMeta({ name: 'forecast', arguments: { city } }),
      }),
    });

  it('arguments are mirrored in headers on both, and a mismatch is refused by the bridge', async (t) => {
    const upstream = overHttp(createWeather(statelessDate));
    const downstream = overHttp(await bridgeTo(t, upstream.transport));
    const answer = await downstream.send(call('Zürich', { 'mcp-param-city': '=?base64?WsO8cmljaA==?=' }));
    assert.equal(answer.status, 200);
    assert.equal(upstream.requests.at(-1)?.headers.get('mcp-param-city'), '=?base64?WsO8cmljaA==?=');
    const asked = upstream.requests.length;
    for (const headers of [{}, { 'mcp-param-city': 'Bern' }]) {
      const refused = await downstream.send(call('Zürich', headers));
      assert.equal(refused.status, 400);
      assert.equal(Object((await refused.json()) as object)['error'].code, -32020);
    }
    assert.equal(upstream.requests.length, asked);
  });

  it('a client of a session reaches a server that wants headers', async (t) => {
    const upstream = overHttp(createWeather(statelessDate));
    const client = await clientOver(t, memoryTransport(await bridgeTo(t, upstream.transport)), '2025-06-18');
    const before = upstream.requests.length;
    await client.callTool('forecast', { city: 'Bern' });
    // What the bridge knows of the tool is known on every connection.
    assert.deepEqual(
      upstream.requests.slice(before).map(({ headers }) => [headers.get('mcp-method'), headers.get('mcp-param-city')]),
      [['tools/call', 'Bern']],
    );
  });

  it('a tool that begins to mirror is called as it wants, once it says so', async (t) => {
    const server = serverAt(statelessDate);
    const cityOf = (schema: Readonly<Record<string, unknown>>): JsonSchema => ({
      type: 'object',
      properties: { city: schema },
    });
    const tool = server.tool('forecast', { input: cityOf({ type: 'string' }) }, () => 'sunny');
    const upstream = overHttp(server);
    const downstream = overHttp(await bridgeTo(t, upstream.transport));
    assert.equal((await downstream.send(call('Bern', {}))).status, 200);
    tool.update({ input: cityOf({ type: 'string', 'x-mcp-header': 'City' }) });
    while ((await downstream.send(call('Bern', {}))).status !== 400) await settle();
    assert.equal((await downstream.send(call('Bern', { 'mcp-param-city': 'Bern' }))).status, 200);
    assert.equal(upstream.requests.at(-1)?.headers.get('mcp-param-city'), 'Bern');
  });

  it('a server that is started again as another version of itself is asked for its tools anew', async (t) => {
    const input = (more: object): JsonSchema => ({ type: 'object', properties: { city: { type: 'string', ...more } } });
    const version = (schema: JsonSchema): Server => {
      const server = serverAt('2025-06-18');
      server.tool('forecast', { input: schema }, () => 'sunny');
      return server;
    };
    let running = memoryTransport(version(input({})));
    const line = lineOver({ ...running, open: (receiver) => running.open(receiver) });
    const downstream = overHttp(await bridgeTo(t, line.transport));
    assert.equal((await downstream.send(call('Bern', {}))).status, 200);
    running = memoryTransport(version(input({ 'x-mcp-header': 'City' })));
    line.cut();
    while ((await downstream.send(call('Bern', {}))).status !== 400) await settle();
    assert.equal((await downstream.send(call('Bern', { 'mcp-param-city': 'Bern' }))).status, 200);
  });

  for (const up of ['2025-06-18', statelessDate] as const) {
    it(`a response stream that is closed cancels at a server at ${up} [cancel-014]`, async (t) => {
      const { server, begun } = waiting(up);
      const downstream = overHttp(await bridgeTo(t, overHttp(server).transport));
      const leave = new AbortController();
      const client = await clientOver(t, downstream.transport, statelessDate);
      const result = client.callTool('wait', {}, { signal: leave.signal });
      const signal = await begun;
      leave.abort();
      await assert.rejects(result, { name: 'AbortError' });
      while (!signal.aborted) await settle();
    });

    it(`a session that is deleted cancels at a server at ${up}, and its connection ends`, async (t) => {
      const { server, begun } = waiting(up);
      const line = lineOver(overHttp(server).transport);
      const downstream = overHttp(await bridgeTo(t, line.transport));
      const client = await clientOver(t, downstream.transport, '2025-06-18');
      const result = client.callTool('wait');
      const signal = await begun;
      await Promise.all([client.close(), assert.rejects(result)]);
      while (!signal.aborted || line.open > 1) await settle();
    });
  }

  it('log messages of a call come on its own stream, also from a handshake server', async (t) => {
    for (const up of ['2025-06-18', statelessDate] as const) {
      const downstream = overHttp(await bridgeTo(t, overHttp(createWeather(up)).transport));
      for (const down of ['2025-06-18', statelessDate] as const) {
        const logs: unknown[] = [];
        const client = await connect(downstream.transport, { revisions: [down], onLog: ({ data }) => logs.push(data) });
        await client.setLogLevel('info');
        await client.callTool('forecast', { city: 'Bern' });
        await client.close();
        assert.deepEqual(logs, ['asked for Bern'], `${down} before ${up}`);
      }
    }
  });

  it('a server that forgot the session of a client is begun anew', async (t) => {
    const server = createWeather('2025-06-18');
    let handler = createHandler(server);
    const transport = httpTransport('http://127.0.0.1/mcp', { fetch: (url, init) => handler(new Request(url, init)) });
    const client = await clientOver(t, memoryTransport(await bridgeTo(t, transport)), '2025-11-25');
    await client.listTools();
    handler = createHandler(server);
    assert.equal((await client.listTools()).length, 2);
    handler = createHandler(server);
    await assert.rejects(client.callTool('other'), {
      code: -32603,
      message: /the upstream server failed: the server no longer knows the session/,
    });
    assert.deepEqual((await client.callTool('other')).content, [{ type: 'text', text: 'other' }]);
  });
});

it('a bridge stands before another bridge', async (t) => {
  const options: QuietOptions = {};
  const dates = ['2026-07-28', '2024-11-05', '2026-07-28', '2025-03-26'] as const;
  let behind: Servable = createWeather('2025-06-18');
  for (const date of dates) {
    const served: Servable = behind;
    const bridge: Bridge = await createBridge({
      upstream: memoryTransport(served),
      revisions: [date],
      onWarning: () => undefined,
      ...options,
    });
    t.after(() => bridge.close());
    behind = bridge;
  }
  const client = await clientOver(t, memoryTransport(behind), '2025-03-26');
  const progress: unknown[] = [];
  await client.callTool('forecast', { city: 'Bern' }, { onProgress: (report) => progress.push(report) });
  assert.deepEqual(progress, [{ progress: 1, total: 2 }]);
  await assert.rejects(client.readResource('memo:two'), { code: -32002, data: { uri: 'memo:two' } });
});

/** A server with a tool that ends when it is cancelled, and that tool's signal once it runs. */
function waiting(up: RevisionDate): { readonly server: Server; readonly begun: Promise<AbortSignal> } {
  const server = serverAt(up);
  const begun = new Promise<AbortSignal>((resolve) => {
    server.tool('wait', {}, async (_, ctx) => {
      ctx.progress(1);
      resolve(ctx.signal);
      await new Promise((ended) => ctx.signal.addEventListener('abort', ended, { once: true }));
      return 'too late';
    });
  });
  return { server, begun };
}

it('the capability that a call lacks is told over HTTP on both sides', async (t) => {
  const server = serverAt('2025-11-25');
  server.tool('ask', {}, async (_, ctx) => {
    const messages = [{ role: 'user', content: { type: 'text', text: '?' } }] as const;
    return JSON.stringify(await ctx.sample({ messages, maxTokens: 1 }));
  });
  const behind = await listen(server, { port: 0 });
  t.after(() => behind.close());
  const bridge = await createBridge({ upstream: behind.url });
  t.after(() => bridge.close());
  const raw = await open(bridge, '2026-07-28');
  const { code, data } = await raw.error('tools/call', { name: 'ask' });
  assert.deepEqual({ code, data }, { code: -32021, data: { requiredCapabilities: { sampling: {} } } });
});

for (const { down, up } of pairs) {
  if (down === '2024-11-05' || up === '2024-11-05') continue;
  it(`a client at ${down} hears by 503 that a server at ${up} has no room`, async (t) => {
    const { server, begun } = waiting(up);
    const bridge = await bridgeTo(t, overHttp(server, { maxRequests: 1 }).transport);
    // Progress would make a stream of the answer, which does not count.
    const quiet = await clientOver(t, overHttp(bridge).transport, down);
    const other = await clientOver(t, overHttp(bridge).transport, down);
    const giveUp = new AbortController();
    const first = quiet.callTool('wait', {}, { signal: giveUp.signal }).catch(() => undefined);
    await begun;
    await assert.rejects(other.callTool('wait'), {
      name: 'ConnectionError',
      reason: 'http',
      status: 503,
      retryAfterMs: 1000,
    });
    giveUp.abort();
    await first;
  });
}
