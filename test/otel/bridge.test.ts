import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import { SpanKind } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import { createHandler } from '../../packages/parley/src/transports/http/server/fetch.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { otel } from '../../packages/parley/src/otel.ts';
import { serveStdio } from '../../packages/parley/src/transports/stdio/server/serve.ts';
import { streamTransport } from '../../packages/parley/src/transports/stdio/stream-transport.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { connectInMemory } from '../../packages/parley/src/testing/pair.ts';
import { bridgeTo, clientOf, pairs, serverAt, shakesHands } from '../support/bridged.ts';
import { forgetContext, registerContext, telemetry, type Telemetry } from '../support/telemetry.ts';

before(registerContext);
after(forgetContext);

function overStreams(server: Servable): Transport {
  return {
    description: 'streams',
    network: 'pipe',
    open: async (receiver) => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      serveStdio(server, { input, output });
      return await streamTransport({ input: output, output: input }).open(receiver);
    },
  };
}

function overHttp(server: Servable): Transport {
  const handler = createHandler(server);
  return httpTransport('http://127.0.0.1/mcp', { fetch: (url, request) => handler(new Request(url, request)) });
}

function of({ spans }: Telemetry, kind: SpanKind, name: string): ReadableSpan {
  const found = spans().filter((span) => span.name === name && span.kind === kind);
  assert.equal(found.length, 1, `${found.length} spans ${name} of kind ${kind}`);
  return found[0] as ReadableSpan;
}

/** That each span has the one before as its parent, all in one trace. */
function assertChain(spans: readonly ReadableSpan[]): void {
  for (const [at, span] of spans.entries()) {
    assert.equal(span.spanContext().traceId, spans[0]?.spanContext().traceId);
    if (at > 0) assert.equal(span.parentSpanContext?.spanId, spans[at - 1]?.spanContext().spanId, `span ${at}`);
  }
}

for (const { down, up } of pairs) {
  test(`one trace leads from a client of ${down} through a bridge to two servers of ${up}, over stdio and HTTP on both hops`, async (t) => {
    const upstreams = (['pipes', 'web'] as const).map((name) => {
      const server = serverAt(up);
      const tells = telemetry();
      server.use(otel(tells.options));
      server.tool(name, {}, (_, ctx) => {
        ctx.progress(1, 2);
        return name;
      });
      return { name, tells, transport: name === 'pipes' ? overStreams(server) : overHttp(server) };
    });
    const [here, between] = [telemetry(), telemetry()];
    const bridge = await createBridge({
      upstreams: Object.fromEntries(upstreams.map(({ name, transport }) => [name, { upstream: transport }])),
      onWarning: () => undefined,
    });
    t.after(() => bridge.close());
    bridge.use(otel(between.options));
    const traces = new Set<string>();
    for (const { name, tells } of upstreams) {
      const call = `tools/call ${name}`;
      const way = name === 'pipes' ? overStreams(bridge) : overHttp(bridge);
      const client = await createConnect({ http: () => assert.fail() })(way, { revisions: [down] });
      t.after(() => client.close());
      client.use(otel(here.options));
      await client.callTool(name, {}, { onProgress: () => undefined });
      await tells.ended(call);
      await between.ended(call, SpanKind.SERVER);
      const chain = [
        of(here, SpanKind.CLIENT, call),
        of(between, SpanKind.SERVER, call),
        of(between, SpanKind.CLIENT, call),
        of(tells, SpanKind.SERVER, call),
      ];
      assertChain(chain);
      assert.deepEqual(
        chain.map((span) => span.attributes['mcp.protocol.version']),
        [down, down, up, up],
      );
      for (const span of chain) assert.equal(span.attributes['network.transport'], name === 'pipes' ? 'pipe' : 'tcp');
      traces.add(chain[0]?.spanContext().traceId ?? '');
      // The report of progress comes back through both hops, in the same trace.
      const report = 'notifications/progress';
      const traceId = chain[0]?.spanContext().traceId;
      const reports = [...here.spans(), ...between.spans(), ...tells.spans()].filter(
        (span) => span.name === report && span.spanContext().traceId === traceId,
      );
      assert.equal(reports.length, 4);
    }
    assert.equal(traces.size, 2);
  });

  test(`a question of a server of ${up} to a client of ${down} is in the trace of its call`, async (t) => {
    const [here, between, there] = [telemetry(), telemetry(), telemetry()];
    const server = serverAt(up);
    server.use(otel(there.options));
    server.tool('ask', {}, async (_, ctx) => String((await ctx.roots()).length));
    const bridge = await bridgeTo(t, memoryTransport(server));
    bridge.use(otel(between.options));
    const client = await connectInMemory(bridge, { revision: down, roots: [] });
    t.after(() => client.close());
    client.use(otel(here.options));
    await client.callTool('ask');
    const call = of(here, SpanKind.CLIENT, 'tools/call ask');
    const all = [...here.spans(), ...between.spans(), ...there.spans()].filter((span) =>
      /^(tools\/call ask|roots\/list)$/.test(span.name),
    );
    for (const span of all) assert.equal(span.spanContext().traceId, call.spanContext().traceId, span.name);
    const questions = all.filter(({ name }) => name === 'roots/list').length;
    // Each hop that asks by a request of its own has a span at both ends.
    assert.equal(questions, (shakesHands(down) ? 2 : 0) + (shakesHands(up) ? 2 : 0));
  });
}

test('a bridge without it passes the context of its client on as it came', async (t) => {
  const [here, there] = [telemetry(), telemetry()];
  const server = serverAt('2026-07-28');
  server.use(otel(there.options));
  server.tool('echo', {}, () => 'x');
  const bridge = await bridgeTo(t, memoryTransport(server));
  const client = await clientOf(t, bridge, '2024-11-05');
  client.use(otel(here.options));
  await client.callTool('echo');
  assertChain([of(here, SpanKind.CLIENT, 'tools/call echo'), of(there, SpanKind.SERVER, 'tools/call echo')]);
});

test('a bridge that links what its clients say goes on with what the server sends that it called itself', async (t) => {
  const [between, there] = [telemetry(), telemetry()];
  const server = serverAt('2025-11-25');
  server.use(otel(there.options));
  server.tool('ask', {}, async (_, ctx) => {
    ctx.progress(1, 2);
    await ctx.elicit({ message: 'Sure?', schema: { type: 'object', properties: {} } });
    return 'done';
  });
  const bridge = await bridgeTo(t, overStreams(server));
  bridge.use(otel({ ...between.options, trust: 'link' }));
  const client = await connectInMemory(bridge, { revision: '2025-11-25', onElicit: () => ({ action: 'accept' }) });
  t.after(() => client.close());
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const meta = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  await client.callTool('ask', {}, { meta, onProgress: () => undefined });
  const call = of(between, SpanKind.SERVER, 'tools/call ask');
  assert.notEqual(call.spanContext().traceId, traceId);
  assert.deepEqual(
    call.links.map(({ context }) => context.traceId),
    [traceId],
  );
  assertChain([
    call,
    of(between, SpanKind.CLIENT, 'tools/call ask'),
    of(there, SpanKind.SERVER, 'tools/call ask'),
    of(there, SpanKind.CLIENT, 'elicitation/create'),
    of(between, SpanKind.SERVER, 'elicitation/create'),
    of(between, SpanKind.CLIENT, 'elicitation/create'),
  ]);
  const { traceId: own } = call.spanContext();
  const told = between.spans().filter(({ name }) => name === 'notifications/progress');
  assert.deepEqual(new Set(told.map((span) => span.spanContext().traceId)), new Set([own]));
});
