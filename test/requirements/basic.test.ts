/** What the base protocol, its versions and its metadata ask of a server, where no one module shows it alone. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createTcpServer, connect as connectTcp, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { MessageChannel } from 'node:worker_threads';
import { test } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { isObject, type Message } from '../../packages/parley/src/jsonrpc/message.ts';
import { errorToWire, McpError, type ErrorName } from '../../packages/parley/src/protocol/error.ts';
import { isMetaKey, metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, ToolError, type Server, type ServerOptions } from '../../packages/parley/src/server.ts';
import { serveStdio } from '../../packages/parley/src/stdio.ts';
import { dates, handshakeDates, open, statelessDate, type Json } from '../support/raw.ts';
import { until } from '../support/turns.ts';

function create(options: ServerOptions = {}): Server {
  return createServer({ name: 'tested', version: '1.0.0' }, { onError: () => undefined, ...options });
}

const errorNames: readonly ErrorName[] = [
  'parseError',
  'invalidRequest',
  'methodNotFound',
  'invalidParams',
  'internalError',
  'resourceNotFound',
  'headerMismatch',
  'missingRequiredClientCapability',
  'unsupportedProtocolVersion',
  'urlElicitationRequired',
];

for (const date of handshakeDates) {
  test(`a server that offers nothing is a whole server at ${date} [basic-003]`, async () => {
    const raw = await open(create({ logging: false }), date);
    assert.deepEqual(await raw.result('ping'), {});
    assert.equal((await raw.error('tools/list')).code, -32601);
  });
}

test(`a server that offers nothing is a whole server at ${statelessDate} [basic-004]`, async () => {
  const raw = await open(create({ logging: false }), statelessDate);
  assert.deepEqual((await raw.result('server/discover'))['capabilities'], {});
  assert.equal((await raw.error('tools/list')).code, -32601);
});

for (const date of dates) {
  test(`errors are one short line each at ${date} [basic-016]`, async () => {
    const server = create();
    server.tool('add', { input: { type: 'object', properties: { n: { type: 'number' } } } }, () => 'x');
    const raw = await open(server, date);
    const errors = [
      await raw.error('nobody/knows'),
      await raw.error('x'.repeat(10_000)),
      await raw.error('tools/call', { name: 'y\n'.repeat(10_000) }),
      await raw.error('tools/call', { name: 'add', arguments: 7 }),
      await raw.error('tools/list', { cursor: 'z'.repeat(10_000) }),
      await raw.error('tools/call', {}),
    ];
    for (const { message } of errors) {
      assert.match(message, /^[^\n]{1,300}$/);
      assert.doesNotMatch(message, /\bat .*:\d+:\d+/);
    }
  });
}

test('no error of ours has a code that the specification did not give it [basic-025, basic-026, basic-028]', () => {
  for (const revision of revisions) {
    for (const name of errorNames) {
      const { code } = errorToWire(revision, new McpError(name, 'x'));
      const earlier = revision.era === 'handshake' ? [-32002, -32042] : [];
      const defined = [-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022, ...earlier];
      assert.ok(defined.includes(code), `${name} is ${code} at ${revision.date}`);
    }
  }
});

test('a reserved code that a handler made up is not sent to a stateless client [basic-028]', async () => {
  const server = create();
  let chosen = 0;
  server.tool('fail', {}, () => {
    throw new McpError(chosen, 'made up', { data: { why: 1 } });
  });
  const raw = await open(server, statelessDate);
  for (const [own, sent] of [
    [-32050, -32603],
    [-32023, -32603],
    [-32099, -32603],
    [-32042, -32602],
    [-32002, -32602],
    [-32603, -32603],
    [4711, 4711],
    [-1, -1],
  ] as const) {
    chosen = own;
    assert.deepEqual(await raw.error('tools/call', { name: 'fail' }), {
      code: sent,
      message: 'made up',
      data: { why: 1 },
    });
  }
});

test('a stateless client may send each request over a connection of its own [basic-034]', async () => {
  const server = create({ pageSize: 1 });
  server.tool('a', {}, () => 'x');
  server.tool(
    'ask',
    {},
    async (_, ctx) =>
      (await ctx.elicit({ message: 'm', schema: { type: 'object', properties: { n: { type: 'number' } } } })).action,
  );
  const fresh = async (method: string, params: Json = {}): Promise<Json> => {
    const raw = await open(server, statelessDate, { lasting: false, capabilities: { elicitation: {} } });
    const result = await raw.result(method, params);
    raw.conversation.close();
    return result;
  };
  const first = await fresh('tools/list');
  assert.partialDeepStrictEqual(await fresh('tools/list', { cursor: first['nextCursor'] }), {
    tools: [{ name: 'ask' }],
  });
  const { inputRequests, requestState } = await fresh('tools/call', { name: 'ask' });
  assert.ok(isObject(inputRequests));
  const [key = ''] = Object.keys(inputRequests);
  const answered = { name: 'ask', requestState, inputResponses: { [key]: { action: 'decline' } } };
  assert.partialDeepStrictEqual(await fresh('tools/call', answered), { content: [{ text: 'decline' }] });
});

test('what one request began is known to the next by its state alone, not by the connection [basic-036]', async () => {
  const server = create();
  server.tool(
    'ask',
    {},
    async (_, ctx) =>
      (
        await ctx.elicit(
          { message: 'm', schema: { type: 'object', properties: { n: { type: 'number' } } } },
          { key: 'k' },
        )
      ).action,
  );
  const raw = await open(server, statelessDate, { capabilities: { elicitation: {} } });
  assert.equal((await raw.result('tools/call', { name: 'ask' }))['resultType'], 'input_required');
  const again = await raw.result('tools/call', { name: 'ask' });
  assert.equal(again['resultType'], 'input_required');
  const done = await raw.result('tools/call', {
    name: 'ask',
    requestState: again['requestState'],
    inputResponses: { k: { action: 'cancel' } },
  });
  assert.partialDeepStrictEqual(done, { resultType: 'complete', content: [{ text: 'cancel' }] });
});

/** A transport that a user of Parley could write: two ports of a MessageChannel, and nothing else. */
function portTransport(server: Server, seen: Message[]): Transport {
  return {
    description: 'two ports',
    open: async (receiver) => {
      const { port1, port2 } = new MessageChannel();
      const conversation = server.endpoint.openConnection({
        lasting: true,
        send: (message) => port2.postMessage(message),
      });
      port2.on('message', (value: Message) => {
        seen.push(value);
        void conversation.receive(value).then((response) => response && port2.postMessage(response));
      });
      port1.on('message', (value: unknown) => receiver.message(value));
      return {
        send: async (message) => port1.postMessage(message),
        close: async () => {
          conversation.close();
          port1.close();
        },
      };
    },
  };
}

for (const date of dates) {
  test(`a transport of one's own carries requests, responses and notifications both ways at ${date} [basic-042, basic-043, basic-046]`, async () => {
    const server = create();
    server.tool('work', {}, (_, ctx) => {
      ctx.progress(1);
      return 'done';
    });
    const seen: Message[] = [];
    const client = await connect(portTransport(server, seen), { revisions: [date] });
    const progress: number[] = [];
    const result = await client.callTool('work', {}, { onProgress: ({ progress: done }) => progress.push(done) });
    assert.partialDeepStrictEqual(result, { content: [{ text: 'done' }] });
    assert.deepEqual(progress, [1]);
    await client.close();
    const methods = seen.map((message) => ('method' in message ? message.method : ''));
    for (const message of seen) assert.equal(message.jsonrpc, '2.0');
    if (date !== statelessDate) {
      assert.deepEqual(methods.slice(0, 2), ['initialize', 'notifications/initialized']);
    } else {
      for (const message of seen) {
        if (!('method' in message) || !('id' in message)) continue;
        assert.partialDeepStrictEqual(message.params, { _meta: { [metaKey.protocolVersion]: date } });
      }
    }
  });
}

test('the framing of stdio serves any byte stream, such as a socket [basic-045]', async (t) => {
  const server = create();
  const listener = createTcpServer((socket) => {
    const served = serveStdio(server, { input: socket, output: socket, guardStdout: false });
    t.after(() => served.close());
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  // A listener on a port has an address of this form.
  const socket = connectTcp((listener.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => {
    socket.destroy();
    listener.close();
  });
  socket.write('{"jsonrpc":"2.0","id":"a","method":"ping"}\n{"jsonrpc":"2.0","id":"b","method":"ping"}\n');
  const answers: unknown[] = [];
  for await (const line of createInterface({ input: socket })) {
    answers.push(JSON.parse(line));
    if (answers.length === 2) break;
  }
  assert.deepEqual(
    answers,
    ['a', 'b'].map((id) => ({ jsonrpc: '2.0', id, result: {} })),
  );
});

test('what can be foreseen to fail is answered, and the conversation lives on [lifecycle-023]', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const server = create({ rounds: { requestTimeoutMs: 1000 } });
  server.tool('roots', {}, async (_, ctx) => String((await ctx.roots()).length));
  for (const date of handshakeDates) {
    const poor = await open(server, date);
    assert.match((await poor.error('tools/call', { name: 'roots' })).message, /did not declare/);
    assert.deepEqual(await poor.result('ping'), {});
    const silent = await open(server, date, { capabilities: { roots: {} } });
    const answer = silent.error('tools/call', { name: 'roots' });
    await until(() => silent.heard.length > 0, 'something is sent');
    t.mock.timers.tick(1000);
    assert.match((await answer).message, /did not answer roots\/list within 1000 ms/);
    assert.deepEqual(await silent.result('ping'), {});
  }
  const other = await open(server, statelessDate);
  const { code } = await other.error('tools/call', {
    name: 'roots',
    _meta: { [metaKey.protocolVersion]: '2027-01-01' },
  });
  assert.equal(code, -32022);
  assert.ok('tools' in (await other.result('tools/list')));
});

test('an extension needs an identifier with a prefix [versioning-012]', () => {
  for (const id of ['name', '/name', 'com.example/', 'com example/x', '1com/x', 'com.-a/x', 'com..a/x', 'a/b/c', '']) {
    assert.throws(() => create({ capabilities: { extensions: { [id]: {} } } }), TypeError, id);
  }
  for (const id of ['com.example/x', 'io.modelcontextprotocol/tasks', 'a-1.b/x_y.z'])
    create({ capabilities: { extensions: { [id]: {} } } });
});

test('neither side declares an extension that nobody asked for [versioning-015]', async () => {
  const server = create();
  server.tool('declared', {}, (_, ctx) => JSON.stringify(ctx.client.capabilities.extensions ?? 'none'));
  for (const date of dates) {
    const client = await connect(portTransport(server, []), {
      revisions: [date],
      onElicit: () => ({ action: 'cancel' }),
      roots: [],
    });
    assert.equal(client.capabilities.extensions, undefined);
    assert.partialDeepStrictEqual(await client.callTool('declared', {}), { content: [{ text: '"none"' }] });
    await client.close();
  }
});

test('a handler asks whether its client has an extension, and does without or refuses [versioning-013, versioning-018]', async () => {
  const server = create({ capabilities: { extensions: { 'com.example/charts': {} } } });
  server.tool('chart', {}, (_, ctx) => (ctx.client.supports('com.example/charts') ? 'a chart' : 'a table'));
  server.tool('only', {}, (_, ctx) => {
    const requiredCapabilities = { extensions: { 'com.example/charts': {} } };
    if (!ctx.client.supports('com.example/charts'))
      throw new McpError('missingRequiredClientCapability', 'no charts', { data: { requiredCapabilities } });
    return 'a chart';
  });
  const plain = await open(server, statelessDate);
  const rich = await open(server, statelessDate, { capabilities: { extensions: { 'com.example/charts': {} } } });
  assert.partialDeepStrictEqual(await plain.result('tools/call', { name: 'chart' }), {
    content: [{ text: 'a table' }],
  });
  assert.partialDeepStrictEqual(await rich.result('tools/call', { name: 'chart' }), { content: [{ text: 'a chart' }] });
  assert.equal((await plain.error('tools/call', { name: 'only' })).code, -32021);
  assert.partialDeepStrictEqual(await rich.result('tools/call', { name: 'only' }), { content: [{ text: 'a chart' }] });
});

for (const [key, expected] of [
  ['com.example/trace', true],
  ['a/b', true],
  ['a1-b.c/d', true],
  ['com.example/', true],
  ['trace', true],
  ['a_b-c.d1', true],
  ['com example/x', false],
  ['.com/x', false],
  ['com./x', false],
  ['1com/x', false],
  ['com.1a/x', false],
  ['com-/x', false],
  ['com.a-/x', false],
  ['-com/x', false],
  ['co_m/x', false],
  ['/x', false],
  ['com/x/y', false],
  ['-x', false],
  ['x-', false],
  ['com/.x', false],
  ['com/x.', false],
  ['com/x y', false],
  ['é', false],
] as const) {
  test(`a definition ${expected ? 'may' : 'cannot'} have ${JSON.stringify(key)} in its meta [meta-002, meta-003, meta-004]`, () => {
    assert.equal(isMetaKey(key), expected);
    const definitions: readonly ((server: Server) => unknown)[] = [
      (server) => server.tool('t', { meta: { [key]: 1 } }, () => 'x'),
      (server) => server.prompt('p', { meta: { [key]: 1 } }, () => 'x'),
      (server) => server.resource('a://b', { name: 'b', meta: { [key]: 1 } }, () => 'x'),
      (server) => server.resourceTemplate('a://{b}', { name: 'b', meta: { [key]: 1 } }, () => 'x'),
    ];
    for (const define of definitions) {
      if (expected) define(create());
      else assert.throws(() => define(create()), TypeError);
    }
  });
}

test('a key under a prefix of MCP that MCP does not define is warned of [meta-006]', () => {
  const warned = (key: string): boolean => {
    const warnings: string[] = [];
    const server = create({ onWarning: (message) => warnings.push(message) });
    const meta = { [key]: 1 };
    server.tool('t', { meta }, () => 'x');
    server.prompt('p', { meta }, () => 'x');
    server.resource('a://b', { name: 'b', meta }, () => 'x');
    server.resourceTemplate('a://{b}', { name: 'b', meta }, () => 'x');
    assert.ok(warnings.length === 0 || warnings.length === 4);
    return warnings.length > 0;
  };
  for (const key of [
    'io.modelcontextprotocol/x',
    'dev.mcp/',
    'com.mcp.tools/x',
    'mcp.dev/x',
    'api.modelcontextprotocol.org/x',
  ])
    assert.ok(warned(key), key);
  for (const key of ['com.example.mcp/x', 'mcp', 'com.example/mcp', metaKey.modelImmediateResponse])
    assert.ok(!warned(key), key);
});

test('who a client says it is changes no answer [meta-017]', async () => {
  const server = create();
  server.tool('t', { input: { type: 'object', required: ['a'] } }, () => {
    throw new ToolError('always');
  });
  const names = [{ name: 'one', version: '1' }, { name: 'Claude', version: '99.0', title: 'x' }, undefined];
  const heard: unknown[] = [];
  for (const clientInfo of names) {
    const raw = await open(server, statelessDate, { meta: { [metaKey.clientInfo]: clientInfo } });
    const params = { name: 't', arguments: { a: 1 } };
    heard.push([
      await raw.result('server/discover'),
      await raw.result('tools/list'),
      await raw.result('tools/call', params),
      await raw.error('nobody/knows'),
    ]);
  }
  assert.deepEqual(heard[0], heard[1]);
  assert.deepEqual(heard[0], heard[2]);
});
