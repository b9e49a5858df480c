import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpanStatusCode } from '@opentelemetry/api';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import { otel } from '../../packages/parley/src/otel.ts';
import { McpError } from '../../packages/parley/src/protocol/error.ts';
import { createServer, type Server } from '../../packages/parley/src/server/server.ts';
import { ToolError } from '../../packages/parley/src/server/definition/tool-result.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { connectInMemory, type PairOptions } from '../../packages/parley/src/testing/pair.ts';
import type { Client } from '../../packages/parley/src/client/api/client.ts';
import { lineOver } from '../support/bridged.ts';
import { telemetry, type Telemetry } from '../support/telemetry.ts';

interface Scene {
  readonly here: Telemetry;
  readonly there: Telemetry;
  readonly server: Server;
  readonly client: Client;
}

async function scene(options: PairOptions = {}): Promise<Scene> {
  const [here, there] = [telemetry(), telemetry()];
  const capabilities = { tools: {}, resources: {} };
  const server = createServer({ name: 's', version: '1' }, { onError: () => undefined, capabilities });
  server.use(otel(there.options));
  const client = await connectInMemory(server, options);
  client.use(otel(here.options));
  return { here, there, server, client };
}

/** How the spans of a name ended, and what the metric says of it. */
async function outcomes(of: Telemetry, name: string): Promise<unknown[]> {
  await of.ended(name);
  const spans = of.spans().filter((span) => span.name === name);
  const points = (await of.points()).filter(
    ({ metric, attributes }) => metric.endsWith('operation.duration') && attributes['mcp.method.name'] === 'tools/call',
  );
  return [
    ...spans.map(({ status, attributes }) => [
      status.code === SpanStatusCode.ERROR ? `ERROR ${status.message ?? ''}`.trim() : 'UNSET',
      attributes['error.type'],
      attributes['rpc.response.status_code'],
    ]),
    ...points.map(({ attributes }) => [attributes['error.type'], attributes['rpc.response.status_code']]),
  ];
}

test('a tool that fails is a tool_error on both sides, and no JSON-RPC error', async (t) => {
  const { here, there, server, client } = await scene();
  t.after(() => client.close());
  server.tool('fail', {}, () => {
    throw new ToolError('secret words');
  });
  await client.callTool('fail');
  const wanted = [
    ['ERROR', 'tool_error', undefined],
    ['tool_error', undefined],
  ];
  assert.deepEqual(await outcomes(there, 'tools/call fail'), wanted);
  assert.deepEqual(await outcomes(here, 'tools/call fail'), wanted);
});

test('a ToolError of middleware is a tool_error too', async (t) => {
  const { there, server, client } = await scene();
  t.after(() => client.close());
  server.tool('fail', {}, () => 'fine');
  server.use('tools/call', () => {
    throw new ToolError('not now');
  });
  await client.callTool('fail');
  assert.deepEqual((await outcomes(there, 'tools/call fail'))[0], ['ERROR', 'tool_error', undefined]);
});

test('an error that is the answer has its code and its message, on both sides', async (t) => {
  const { here, there, server, client } = await scene();
  t.after(() => client.close());
  server.use('tools/call', () => {
    throw new McpError('invalidParams', 'not like this');
  });
  server.tool('echo', {}, () => 'x');
  await assert.rejects(client.callTool('echo'));
  const wanted = [
    ['ERROR not like this', '-32602', '-32602'],
    ['-32602', '-32602'],
  ];
  assert.deepEqual(await outcomes(there, 'tools/call echo'), wanted);
  assert.deepEqual(await outcomes(here, 'tools/call echo'), wanted);
});

test('the words of an error that stays in the server are in no span', async (t) => {
  const { there, server, client } = await scene();
  t.after(() => client.close());
  server.use('tools/call', () => {
    throw new Error('password hunter2');
  });
  server.tool('echo', {}, () => 'x');
  await assert.rejects(client.callTool('echo'));
  const [first] = await outcomes(there, 'tools/call echo');
  assert.deepEqual(first, ['ERROR internal error', '-32603', '-32603']);
});

test('the code is the one of the revision', async (t) => {
  for (const [revision, code] of [
    ['2025-11-25', '-32002'],
    ['2026-07-28', '-32602'],
  ] as const) {
    const { there, server, client } = await scene({ revision });
    t.after(() => client.close());
    server.resource('a:b', { name: 'b' }, () => 'x');
    await assert.rejects(client.readResource('a:c'));
    await there.ended('resources/read');
    const [span] = there.spans().filter(({ name }) => name === 'resources/read');
    assert.equal(span?.attributes['rpc.response.status_code'], code);
    assert.equal(span?.attributes['mcp.resource.uri'], 'a:c');
  }
});

for (const [how, type, give] of [
  ['gives up', 'cancelled', { signal: true }],
  ['waits no longer for', 'timeout', { timeoutMs: 20 }],
] as const) {
  for (const revision of ['2024-11-05', '2026-07-28'] as const)
    test(`a call that its client ${how} ends on both sides at ${revision}, though its handler never does`, async (t) => {
      const { here, there, server, client } = await scene({ revision });
      t.after(() => client.close());
      let begin = (): void => undefined;
      const begun = new Promise<void>((resolve) => (begin = resolve));
      server.tool('hang', {}, () => {
        begin();
        return new Promise<string>(() => undefined);
      });
      const control = new AbortController();
      const call = client.callTool('hang', {}, 'signal' in give ? { signal: control.signal } : give);
      call.catch(() => undefined);
      await begun;
      control.abort();
      await assert.rejects(call);
      assert.deepEqual(await outcomes(here, 'tools/call hang'), [
        ['ERROR', type, undefined],
        [type, undefined],
      ]);
      assert.deepEqual(await outcomes(there, 'tools/call hang'), [
        ['ERROR', 'cancelled', undefined],
        ['cancelled', undefined],
      ]);
    });
}

test('a session whose server went away ended with an error at its client', async (t) => {
  const here = telemetry();
  const line = lineOver(memoryTransport(createServer({ name: 's', version: '1' })));
  const client = await createConnect({ http: () => assert.fail() })(line.transport, { revisions: ['2025-11-25'] });
  t.after(() => client.close());
  client.use(otel(here.options));
  await client.ping();
  line.cut();
  const sessions = (await here.points()).filter(({ metric }) => metric === 'mcp.client.session.duration');
  assert.deepEqual(
    sessions.map(({ attributes }) => attributes['error.type']),
    ['exited'],
  );
});

test('a URI with a user or a password of any length keeps both out of spans', async (t) => {
  const { there, client } = await scene();
  t.after(() => client.close());
  await assert.rejects(client.readResource(`https://user:${'secret'.repeat(400)}@host/b?c`));
  await there.ended('resources/read');
  const [span] = there.spans().filter(({ name }) => name === 'resources/read');
  assert.equal(span?.attributes['mcp.resource.uri'], 'https://host/b');
});

test('a notification that has the name of what all objects have is none of a tool', async (t) => {
  const { there, client } = await scene({ revision: '2025-06-18' });
  t.after(() => client.close());
  await client.notify('constructor', { name: 'x' });
  await client.ping();
  await there.ended('ping');
  for (const { attributes } of there.spans()) assert.equal(Object.hasOwn(attributes, 'undefined'), false);
  for (const { attributes } of await there.points()) assert.equal(Object.hasOwn(attributes, 'undefined'), false);
});
