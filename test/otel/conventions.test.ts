/** What is sent is held against the names in the text of the conventions, written down here by hand. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SpanKind } from '@opentelemetry/api';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import { createHandler } from '../../packages/parley/src/transports/http/server/fetch.ts';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import { otel, type OtelOptions } from '../../packages/parley/src/otel.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import { createServer } from '../../packages/parley/src/server/server.ts';
import { forgetContext, registerContext, telemetry, type Telemetry } from '../support/telemetry.ts';

before(registerContext);
after(forgetContext);

/** Names of both spans. (docs/gen-ai/mcp.md of open-telemetry/semantic-conventions-genai, at 0393513: Spans, Client and Server.) */
const ofSpans = [
  'mcp.method.name',
  'error.type',
  'gen_ai.prompt.name',
  'gen_ai.tool.name',
  'jsonrpc.request.id',
  'mcp.resource.uri',
  'rpc.response.status_code',
  'gen_ai.operation.name',
  'jsonrpc.protocol.version',
  'mcp.protocol.version',
  'mcp.session.id',
  'network.protocol.name',
  'network.protocol.version',
  'network.transport',
];
const optIn = ['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result'];
const spans: Readonly<Record<number, readonly string[]>> = {
  [SpanKind.CLIENT]: [...ofSpans, 'server.address', 'server.port'],
  [SpanKind.SERVER]: [...ofSpans, 'client.address', 'client.port'],
};

/** The same, Metrics. */
const ofOperations = [
  'mcp.method.name',
  'error.type',
  'gen_ai.prompt.name',
  'gen_ai.tool.name',
  'rpc.response.status_code',
  'gen_ai.operation.name',
  'jsonrpc.protocol.version',
  'mcp.protocol.version',
  'network.protocol.name',
  'network.protocol.version',
  'network.transport',
];
const ofSessions = [
  'error.type',
  'jsonrpc.protocol.version',
  'mcp.protocol.version',
  'network.protocol.name',
  'network.protocol.version',
  'network.transport',
];
const metrics: Readonly<Record<string, readonly string[]>> = {
  'mcp.client.operation.duration': [...ofOperations, 'server.address', 'server.port'],
  'mcp.server.operation.duration': ofOperations,
  'mcp.client.session.duration': [...ofSessions, 'server.address', 'server.port'],
  'mcp.server.session.duration': ofSessions,
};

/** Explicit boundaries of all four. */
const boundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Does a bit of everything, in every revision. */
async function everything(options: Omit<OtelOptions, 'tracerProvider' | 'meterProvider'> = {}): Promise<Telemetry[]> {
  const [here, there] = [telemetry(), telemetry()];
  for (const { date } of revisions) {
    const server = createServer({ name: 's', version: '1' }, { onError: () => undefined });
    server.use(otel({ ...there.options, ...options }));
    server.tool('ask', {}, async (_, ctx) => {
      ctx.progress(1, 2);
      return String((await ctx.roots()).length);
    });
    server.tool('fail', {}, () => assert.fail('broken'));
    server.prompt('greet', {}, () => 'hello');
    server.resource('a://ada:hunter2@host/b?key=hunter2', { name: 'b' }, () => 'x');
    const handler = createHandler(server);
    const transport = httpTransport('https://127.0.0.1/mcp', {
      fetch: (url, request) => handler(new Request(url, request)),
    });
    const client = await createConnect({ http: () => assert.fail() })(transport, { revisions: [date], roots: [] });
    client.use(otel({ ...here.options, ...options }));
    await client.listTools({ cache: 'refresh' });
    await client.callTool('ask', {}, { onProgress: () => undefined });
    await client.callTool('fail');
    await client.callTool('none').catch(() => undefined);
    await client.getPrompt('greet');
    await client.readResource('a://ada:hunter2@host/b?key=hunter2');
    await client.request('com.example/none').catch(() => undefined);
    await client.close();
    await server.close();
  }
  await Promise.all([here.ended('resources/read'), there.ended('resources/read')]);
  return [here, there];
}

test('spans have attributes that the conventions name for their kind, and no others', async () => {
  const seen = new Set<string>();
  for (const { spans: all } of await everything())
    for (const { kind, attributes, name } of all())
      for (const key of Object.keys(attributes)) {
        assert.ok(spans[kind]?.includes(key), `${key} of ${name}`);
        seen.add(key);
      }
  for (const key of [...ofSpans, 'server.address', 'server.port'])
    // The version of HTTP is not known to who is given a request and a fetch; JSON-RPC is always 2.0.
    if (!key.endsWith('protocol.version') || key.startsWith('mcp.')) assert.ok(seen.has(key), `${key} is nowhere`);
});

test('metrics have the names, units, buckets and attributes of the conventions, and no ids', async () => {
  const seen = new Set<string>();
  for (const { points } of await everything())
    for (const { metric, unit, attributes, boundaries: given } of await points()) {
      seen.add(metric);
      assert.equal(unit, 's');
      assert.deepEqual(given, boundaries);
      for (const key of Object.keys(attributes)) assert.ok(metrics[metric]?.includes(key), `${key} of ${metric}`);
    }
  assert.deepEqual([...seen].toSorted(), Object.keys(metrics).toSorted());
});

test('arguments and results of tools are in spans where that is chosen, and in no metric', async () => {
  const [here, there] = await everything({ toolArguments: true, toolResults: true });
  assert.ok(here && there);
  for (const { spans: all, points } of [here, there]) {
    const call = all().find(({ name }) => name === 'tools/call ask');
    for (const key of optIn) assert.equal(typeof JSON.parse(String(call?.attributes[key])), 'object');
    for (const { attributes } of await points()) for (const key of optIn) assert.equal(attributes[key], undefined);
  }
});

test('what a URI keeps secret is in no span', async () => {
  for (const { spans: all } of await everything()) {
    const reads = all().filter(({ name }) => name === 'resources/read');
    assert.ok(reads.length > 0);
    for (const { attributes } of reads) assert.equal(attributes['mcp.resource.uri'], 'a://host/b');
    assert.doesNotMatch(JSON.stringify(all().map(({ attributes, status }) => [attributes, status])), /hunter2/);
  }
});
