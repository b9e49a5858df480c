import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { context, propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import { createHandler } from '../../packages/parley/src/transports/http/server/fetch.ts';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import { otel } from '../../packages/parley/src/otel.ts';
import { createServer } from '../../packages/parley/src/server/server.ts';
import { connectInMemory } from '../../packages/parley/src/testing/pair.ts';
import { bridgeBefore, clientOf, serverAt } from '../support/bridged.ts';
import { forgetContext, registerContext, telemetry } from '../support/telemetry.ts';

before(registerContext);
after(forgetContext);

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const meta = { traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'a=1', baggage: 'who=ada' };

test('the parent is what the message says, and what goes on around it is linked', async (t) => {
  const there = telemetry();
  const server = createServer({ name: 's', version: '1' });
  server.use(otel(there.options));
  let baggage: string | undefined;
  server.tool('echo', {}, () => {
    baggage = propagation.getActiveBaggage()?.getEntry('who')?.value;
    return 'x';
  });
  const client = await connectInMemory(server);
  t.after(() => client.close());
  const around = there.options.tracerProvider?.getTracer('http').startSpan('POST', { kind: SpanKind.SERVER });
  assert.ok(around);
  await context.with(trace.setSpan(ROOT_CONTEXT, around), () => client.callTool('echo', {}, { meta }));
  await client.callTool('echo', {}, { meta });
  const [linked, alone] = there.spans().filter(({ name }) => name === 'tools/call echo');
  for (const span of [linked, alone]) {
    assert.deepEqual([span?.spanContext().traceId, span?.parentSpanContext?.spanId], [traceId, spanId]);
    assert.equal(span?.spanContext().traceState?.get('a'), '1');
  }
  assert.deepEqual(
    linked?.links.map((link) => link.context.spanId),
    [around.spanContext().spanId],
  );
  assert.deepEqual(alone?.links, []);
  assert.equal(baggage, 'ada');
});

test('without a context in the message, the parent is what goes on around it', async (t) => {
  const there = telemetry();
  const server = createServer({ name: 's', version: '1' });
  server.use(otel(there.options));
  server.tool('echo', {}, () => 'x');
  const client = await connectInMemory(server);
  t.after(() => client.close());
  const around = there.options.tracerProvider?.getTracer('http').startSpan('POST');
  assert.ok(around);
  await context.with(trace.setSpan(ROOT_CONTEXT, around), () => client.callTool('echo'));
  const [span] = there.spans().filter(({ name }) => name === 'tools/call echo');
  assert.equal(span?.parentSpanContext?.spanId, around.spanContext().spanId);
  assert.deepEqual(span?.links, []);
});

test('who trusts nobody links what the message says, begins a trace of its own and takes no baggage', async (t) => {
  const there = telemetry();
  const server = createServer({ name: 's', version: '1' });
  server.use(otel({ ...there.options, trust: 'link' }));
  let baggage: unknown = 'none yet';
  server.tool('echo', {}, () => {
    baggage = propagation.getActiveBaggage();
    return 'x';
  });
  const client = await connectInMemory(server);
  t.after(() => client.close());
  await client.callTool('echo', {}, { meta });
  const [span] = there.spans().filter(({ name }) => name === 'tools/call echo');
  assert.ok(span);
  assert.notEqual(span.spanContext().traceId, traceId);
  assert.equal(span.parentSpanContext, undefined);
  assert.deepEqual(
    span.links.map((link) => [link.context.traceId, link.context.spanId]),
    [[traceId, spanId]],
  );
  assert.equal(baggage, undefined);
});

test('a context that is none begins nothing wrong', async (t) => {
  const there = telemetry();
  const server = createServer({ name: 's', version: '1' });
  server.use(otel(there.options));
  server.tool('echo', {}, () => 'x');
  const client = await connectInMemory(server);
  t.after(() => client.close());
  const wrong = [
    '',
    'x',
    `ff${meta.traceparent.slice(2)}`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    5,
    {},
    'a'.repeat(9000),
  ];
  for (const traceparent of wrong) await client.callTool('echo', {}, { meta: { traceparent, baggage: traceparent } });
  const spans = there.spans().filter(({ name }) => name === 'tools/call echo');
  assert.equal(spans.length, wrong.length);
  for (const span of spans) assert.deepEqual([span.parentSpanContext, span.links], [undefined, []]);
});

test('names that clients make up are in no metric and no name of a span: there are as many series as before', async (t) => {
  const [there, between, plain] = [telemetry(), telemetry(), telemetry()];
  const server = serverAt('2026-07-28');
  server.use(otel(there.options));
  server.tool('echo', {}, () => 'x');
  const bridge = await bridgeBefore(t, server);
  bridge.use(otel(between.options));
  const client = await clientOf(t, bridge, '2026-07-28');
  const direct = await connectInMemory(server, { revision: '2026-07-28' });
  t.after(() => direct.close());
  direct.use(otel(plain.options));
  for (let made = 0; made < 300; made++) {
    await client.callTool(`made-up-${made}`).catch(() => undefined);
    await client.getPrompt(`made-up-${made}`).catch(() => undefined);
    await client.request(`made.up/${made}`).catch(() => undefined);
    await client.notify(`notifications/made-up-${made}`).catch(() => undefined);
  }
  await client.callTool('echo');
  await direct.callTool('echo');
  for (const one of [there, between]) {
    const points = await one.points();
    assert.ok(points.length <= 50, `${points.length} series`);
    assert.doesNotMatch(JSON.stringify(points), /made.up/);
    assert.match(JSON.stringify(points), /"gen_ai.tool.name":"echo"/);
    assert.doesNotMatch(JSON.stringify(one.spans().map(({ name }) => name)), /made.up/);
    assert.ok(one.spans().some(({ name }) => name === 'tools/call echo'));
  }
});

test('names of tools that were listed are known before one is called', async (t) => {
  const here = telemetry();
  const server = createServer({ name: 's', version: '1' }, { onError: () => undefined });
  server.tool('fail', {}, () => assert.fail('broken'));
  const client = await connectInMemory(server);
  t.after(() => client.close());
  client.use(otel(here.options));
  await client.callTool('fail');
  await client.listTools({ cache: 'refresh' });
  await client.callTool('fail');
  const points = (await here.points()).filter(({ attributes }) => attributes['mcp.method.name'] === 'tools/call');
  assert.deepEqual(
    points.map(({ attributes }) => attributes['gen_ai.tool.name']),
    ['_OTHER', 'fail'],
  );
});

test('the id of a session is in spans as a hash alone, and nowhere else', async () => {
  const there = telemetry();
  const server = createServer({ name: 's', version: '1' });
  server.use(otel(there.options));
  const handler = createHandler(server);
  let id: string | null | undefined;
  const transport = httpTransport('http://127.0.0.1/mcp', {
    fetch: async (url, request) => {
      const response = await handler(new Request(url, request));
      id = response.headers.get('mcp-session-id') ?? id;
      return response;
    },
  });
  const client = await createConnect({ http: () => assert.fail() })(transport, { revisions: ['2025-11-25'] });
  await client.ping();
  await client.close();
  await there.ended('ping');
  assert.ok(id);
  const spans = there.spans();
  assert.equal(new Set(spans.map(({ attributes }) => attributes['mcp.session.id'])).size, 1);
  assert.match(String(spans[0]?.attributes['mcp.session.id']), /^[\da-f]{32}$/);
  assert.doesNotMatch(JSON.stringify(spans.map(({ attributes }) => attributes)), new RegExp(id));
  assert.doesNotMatch(JSON.stringify(await there.points()), new RegExp(id));
});

test('without an SDK nothing is added to a message, and everything works', async (t) => {
  forgetContext();
  t.after(registerContext);
  const seen: unknown[] = [];
  const server = createServer({ name: 's', version: '1' });
  server.use(otel());
  server.tool('echo', {}, (_, ctx) => {
    seen.push(ctx.meta['traceparent'], ctx.meta['com.example/a']);
    return 'x';
  });
  const client = await connectInMemory(server);
  t.after(() => client.close());
  client.use(otel());
  await client.callTool('echo', {}, { meta: { 'com.example/a': 1 } });
  await client.callTool('echo', {}, { meta });
  assert.deepEqual(seen, [undefined, 1, meta.traceparent, undefined]);
});

test('options that do not exist or make no sense are refused at once', () => {
  assert.throws(() => otel({ trusts: 'link' } as never), /otel has no option "trusts"; the nearest is trust/);
  assert.throws(() => otel({ trust: 'all' } as never), /trust must be "parent" or "link"/);
  assert.throws(() => otel({ toolResults: 1 } as never), /toolResults must be true or false/);
});
