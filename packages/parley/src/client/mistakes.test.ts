import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../client.ts';
import { createServer } from '../server/server.ts';
import { ssePairTransport } from '../transports/http/client/sse-pair.ts';
import { httpTransport } from '../transports/http/client/transport.ts';
import { nodeFetch } from '../node.ts';
import { connectInMemory } from '../testing.ts';
import { spawn, streamTransport } from '../stdio.ts';

/** A program that no compiler checked. */
type Loose<F> = F extends (...args: never[]) => infer Result ? (...args: unknown[]) => Result : never;

const server = createServer({ name: 's', version: '1' });
server.tool('add', {}, () => '3');

for (const [what, options, words] of [
  ['an unknown option', { onElicitation: () => 'accept' }, /no option "onElicitation".* onElicit\b/],
  ['a handler that is none', { onElicit: 'accept' }, /onElicit must be a function, not "accept"/],
] as const) {
  test(`connect refuses ${what} at once`, async () => {
    const loose = connect as unknown as Loose<typeof connect>;
    await assert.rejects(loose('http://127.0.0.1:1/mcp', options), { name: 'TypeError', message: words });
  });

  test(`a test in memory refuses ${what} at once`, async () => {
    const loose = connectInMemory as unknown as Loose<typeof connectInMemory>;
    await assert.rejects(loose(server, options), { name: 'TypeError', message: words });
  });
}

for (const [what, target] of Object.entries({
  'a server of this process': server,
  nothing: undefined,
  null: null,
  'a number': 3000,
})) {
  test(`connect to ${what} says how a server is reached`, async () => {
    const loose = connect as unknown as Loose<typeof connect>;
    await assert.rejects(loose(target), { name: 'TypeError', message: /its URL or over a transport.*connectInMemory/ });
  });
}

test('arguments of a tool that have no names are refused before anything is sent', async (t) => {
  const client = await connectInMemory(server);
  t.after(() => client.close());
  const loose = client.callTool.bind(client) as unknown as Loose<typeof client.callTool>;
  for (const [value, words] of [
    [['x'], 'a list'],
    ['x', '"x"'],
    [7, '7'],
  ] as const)
    await assert.rejects(loose('add', value), {
      name: 'TypeError',
      message: `arguments of a tool are an object, as in { a: 1 }, not ${words}`,
    });
  assert.throws(() => client.use('tools/cal', async (_, next) => await next()), /it is called tools\/call/);
});

test('an argument of a prompt that is no text is refused before it is sent', async (t) => {
  const client = await connectInMemory(server);
  t.after(() => client.close());
  const loose = client.getPrompt.bind(client) as unknown as Loose<typeof client.getPrompt>;
  for (const [value, words] of [
    [1, '1'],
    [{}, 'an object'],
    [null, 'null'],
  ] as const)
    await assert.rejects(loose('plan', { city: 'Rome', days: value }), {
      name: 'TypeError',
      message: `arguments of a prompt are texts; "days" is ${words}`,
    });
  // The server is asked, and has no such prompt.
  await assert.rejects(loose('plan', { city: 'Rome', days: undefined }), { name: 'McpError' });
});

test('the one object of other clients is refused with an example', async () => {
  const client = await connectInMemory(server);
  const { callTool, readResource, getPrompt } = Object.fromEntries(
    (['callTool', 'readResource', 'getPrompt'] as const).map((name) => [name, client[name].bind(client)]),
  ) as unknown as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;
  for (const [call, words] of [
    [callTool, /client\.callTool\('add', \{ a: 1 \}\)/],
    [readResource, /client\.readResource\(/],
    [getPrompt, /client\.getPrompt\(/],
  ] as const)
    await assert.rejects(call?.({ name: 'add', uri: 'a:b' }) ?? Promise.resolve(), {
      name: 'TypeError',
      message: words,
    });
  await client.close();
});

test('nothing served is refused by name in memory', () => {
  const loose = connectInMemory as unknown as (...args: unknown[]) => unknown;
  for (const served of [undefined, {}, server.endpoint])
    assert.throws(() => loose(served), { name: 'TypeError', message: /must come from createServer or createBridge/ });
});

test('a command that is not split is refused with an example', () => {
  const loose = spawn as unknown as (...args: unknown[]) => unknown;
  for (const args of [[], [['node', 'server.js']], ['node', 'server.js'], ['node', { env: {} }], ['node', [3]]])
    assert.throws(() => loose(...args), { name: 'TypeError', message: /as in spawn\('node', \['server\.js'\]\)/ });
});

test('an option that no request has is refused by name, and so is a level that is none', async () => {
  const client = await connectInMemory(server);
  const { callTool, listTools, setLogLevel } = client as unknown as Readonly<
    Record<string, (...args: unknown[]) => Promise<unknown>>
  >;
  const words = /a request has no option "timeOutMs"; the nearest is timeoutMs/;
  const slow = { timeOutMs: 5 };
  await assert.rejects(callTool?.call(client, 'add', {}, slow) ?? Promise.resolve(), { message: words });
  await assert.rejects(listTools?.call(client, slow) ?? Promise.resolve(), { message: words });
  await assert.rejects(setLogLevel?.call(client, 'verbose') ?? Promise.resolve(), {
    message: /a log level is one of debug, .*, not "verbose"/,
  });
  await client.close();
});

test('an option that nodeFetch does not have is refused by name', () => {
  const loose = nodeFetch as unknown as (...args: unknown[]) => unknown;
  assert.throws(() => loose({ maxConnection: 1 }), { name: 'TypeError', message: /nearest is maxConnections/ });
});

const url = 'http://127.0.0.1:1/mcp';

for (const [where, give, names] of [
  [
    'connect',
    (options) => connect(url, options),
    [
      'maxRounds',
      'probeTimeoutMs',
      'timeoutMs',
      'maxTotalTimeoutMs',
      'maxPages',
      'maxItems',
      'maxReconnects',
      'maxReopens',
      'closeTimeoutMs',
    ],
  ],
  ['httpTransport', (options) => httpTransport(url, options), ['maxMessageBytes', 'closeTimeoutMs']],
  ['ssePairTransport', (options) => ssePairTransport(url, options), ['maxMessageBytes', 'closeTimeoutMs']],
  ['spawn', (options) => spawn('node', [], options), ['killTimeoutMs', 'maxLineBytes', 'maxPendingBytes']],
  ['streamTransport', (options) => streamTransport({} as never, options), ['maxLineBytes', 'maxPendingBytes']],
  ['nodeFetch', (options) => nodeFetch(options), ['maxConnections', 'idleTimeoutMs', 'connectTimeoutMs']],
] as readonly (readonly [string, (options: object) => unknown, readonly string[]])[]) {
  test(`a limit of ${where} that is no number is refused by name`, async () => {
    for (const name of names)
      for (const value of [Number.NaN, -1, '5'])
        await assert.rejects(async () => give({ [name]: value }), {
          name: 'TypeError',
          message: new RegExp(`^${name} must be a number of at least 0, not`),
        });
  });
}

test('a switch that is neither true nor false is refused by name', async () => {
  const loose = connect as unknown as Loose<typeof connect>;
  for (const name of ['advertise', 'validateOutput', 'exactNumbers', 'reconnect', 'trustToolHints'])
    await assert.rejects(loose(url, { [name]: 'false' }), {
      name: 'TypeError',
      message: `${name} must be true or false, not "false"`,
    });
});

test('a nodeFetch without room for a connection is refused, since it would send nothing', () => {
  assert.throws(() => nodeFetch({ maxConnections: 0 }), { name: 'TypeError', message: /at least 1, not 0/ });
});

test('a subscription without a listener is refused', async () => {
  const client = await connectInMemory(server);
  const subscribe = client.subscribe.bind(client) as unknown as Loose<typeof client.subscribe>;
  await assert.rejects(subscribe({ tools: true }), { name: 'TypeError', message: /must be a function/ });
  await client.close();
});
