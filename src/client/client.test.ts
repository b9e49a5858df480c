import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { ConnectionError, type TransportKind } from '../jsonrpc/transport.ts';
import { scriptedTransport, type Script, type ScriptedPeer, type ScriptedTransport } from '../testing/scripted.ts';
import type { Client } from './client.ts';
import { createConnect } from './connect.ts';
import { InputRequiredError, OutputValidationError } from './errors.ts';
import type { ConnectOptions } from './options.ts';

const stateless = '2026-07-28';
const handshake = '2025-11-25';
const everything = { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} };

interface Connected {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  readonly warnings: string[];
  /** The server end of the latest conversation. */
  readonly peer: ScriptedPeer;
}

interface Settings {
  readonly revision?: string;
  readonly kind?: TransportKind;
  readonly capabilities?: object;
  readonly options?: ConnectOptions;
}

/** Connects to a server that settles on one revision and then follows the script. */
async function connected(
  script: Script = () => {},
  { revision = stateless, kind = 'stdio', capabilities = everything, options = {} }: Settings = {},
): Promise<Connected> {
  const transport = scriptedTransport(kind, (sent, peer) => {
    const { method } = sent.message;
    if (method === 'server/discover' && revision === stateless)
      return peer.reply(sent, { supportedVersions: [stateless], capabilities, ttlMs: 0, cacheScope: 'private' });
    if (method === 'server/discover') return peer.refuse(sent, { code: -32601, message: 'no' });
    if (method === 'initialize')
      return peer.reply(sent, { protocolVersion: revision, capabilities, serverInfo: { name: 's', version: '1' } });
    if (method === 'notifications/initialized') return;
    return script(sent, peer);
  });
  const warnings: string[] = [];
  const connect = createConnect({ http: () => transport });
  const client = await connect(transport, { ...options, onWarning: (message) => void warnings.push(message) });
  const peer = transport.peers.at(-1);
  assert.ok(peer);
  return { client, transport, warnings, peer };
}

const replying =
  (result: Readonly<Record<string, unknown>>): Script =>
  (sent, peer) =>
    peer.reply(sent, result);

function lastOf({ transport }: Connected) {
  const sent = transport.sent.at(-1);
  assert.ok(sent);
  // Every request of these tests has params.
  return { ...sent, params: sent.message['params'] as Readonly<Record<string, unknown>> };
}

async function turns(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

const text = { content: [{ type: 'text', text: 'hi' }] };
const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });

describe('what a client knows of its server', () => {
  it('is there once it is connected [C23] [C48] [C55] [C57]', async () => {
    const { client } = await connected(undefined, { revision: handshake });
    assert.deepEqual(
      [client.revision, client.server, client.capabilities, client.description],
      [handshake, { name: 's', version: '1' }, everything, 'scripted stdio'],
    );
    assert.equal(client.instructions, undefined);
  });

  it('may come later with any stateless result [C56]', async () => {
    const one = await connected(
      replying({ ...text, _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'late', version: '1' } } }),
    );
    assert.ok(!('name' in (one.client.server ?? {})));
    await one.client.callTool('x');
    assert.equal(one.client.server?.name, 'late');
  });
});

describe('a stateless request', () => {
  it('describes the client each time [C30] [meta-007] [meta-008]', async () => {
    const one = await connected(replying(text), {
      options: { info: { name: 'me', version: '9' }, capabilities: { elicitation: {} } },
    });
    await one.client.callTool(
      'x',
      { a: 1 },
      { meta: { mine: 1, 'io.modelcontextprotocol/protocolVersion': 'forged' } },
    );
    assert.deepEqual(lastOf(one).params, {
      name: 'x',
      arguments: { a: 1 },
      _meta: {
        mine: 1,
        'io.modelcontextprotocol/protocolVersion': stateless,
        'io.modelcontextprotocol/clientInfo': { name: 'me', version: '9' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      },
    });
    assert.deepEqual(lastOf(one).headers, {});
  });

  it('may speak for somebody else', async () => {
    const one = await connected(replying(text));
    await one.client.callTool('x', undefined, {
      clientInfo: { name: 'other', version: '0' },
      capabilities: { roots: { listChanged: true } },
      logLevel: 'error',
    });
    const meta = lastOf(one).params['_meta'] as Record<string, unknown>;
    assert.deepEqual(meta['io.modelcontextprotocol/clientInfo'], { name: 'other', version: '0' });
    assert.deepEqual(meta['io.modelcontextprotocol/clientCapabilities'], { roots: {} });
    assert.equal(meta['io.modelcontextprotocol/logLevel'], 'error');
  });

  it('asks for the log level that was set, until it is unset [C60]', async () => {
    const one = await connected(replying(text));
    const level = async () => {
      await one.client.callTool('x');
      return (lastOf(one).params['_meta'] as Record<string, unknown>)['io.modelcontextprotocol/logLevel'];
    };
    assert.equal(await level(), undefined);
    await one.client.setLogLevel('warning');
    assert.equal(await level(), 'warning');
    await one.client.setLogLevel(undefined);
    assert.equal(await level(), undefined);
    assert.ok(!one.transport.methods.includes('logging/setLevel'));
  });

  it('over HTTP is mirrored in headers [C33] [http-071] [http-072] [http-073]', async () => {
    const one = await connected(replying({ contents: [], messages: [], ...text }), { kind: 'http' });
    await one.client.callTool('x', undefined, { headers: { 'X-Mine': '1', 'Mcp-Method': 'forged' } });
    assert.deepEqual(lastOf(one).headers, {
      'X-Mine': '1',
      'MCP-Protocol-Version': stateless,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'x',
    });
    await one.client.readResource('file:///a');
    assert.equal(lastOf(one).headers['Mcp-Name'], 'file:///a');
    await one.client.getPrompt('ä');
    assert.equal(lastOf(one).headers['Mcp-Name'], '=?base64?w6Q=?=');
  });

  it('that is answered with another resultType is an invalid response [basic-023] [basic-024]', async () => {
    const one = await connected(replying({ ...text, resultType: 'surprise' }));
    await assert.rejects(one.client.callTool('x'), { reason: 'invalid-message', message: /surprise/ });
    assert.equal(
      (await one.client.request('tools/call', { name: 'x' }, { resultTypes: ['surprise'] }))['resultType'],
      'surprise',
    );
  });

  it('that is answered without a resultType is complete [basic-022]', async () => {
    const one = await connected(replying(text));
    assert.deepEqual((await one.client.callTool('x')).content, text.content);
  });

  it('that needs input first is an error with what is asked; a raw one gives it [C89]', async () => {
    const result = { resultType: 'input_required', inputRequests: { r: { method: 'roots/list' } }, requestState: '' };
    const one = await connected(replying(result));
    await assert.rejects(
      one.client.callTool('x'),
      (error: unknown) => error instanceof InputRequiredError && error.step.requestState === '',
    );
    assert.deepEqual(await one.client.request('tools/call', { name: 'x' }), result);
    await assert.rejects(one.client.listTools(), { reason: 'invalid-message' });
  });
});

describe('a request of a handshake revision', () => {
  it('has no metadata of its own and no headers but the version [C34]', async () => {
    const one = await connected(replying(text), { revision: handshake, kind: 'http' });
    await one.client.callTool('x', undefined, { logLevel: 'error' });
    assert.deepEqual([lastOf(one).params, lastOf(one).headers], [{ name: 'x' }, {}]);
    assert.deepEqual(one.transport.headers, { 'MCP-Protocol-Version': handshake });
  });

  it('leaves out what the revision does not know [C16]', async () => {
    const one = await connected(replying({ completion: { values: ['a'] } }), { revision: '2025-03-26' });
    const result = await one.client.complete(
      { type: 'ref/prompt', name: 'p', title: 'P' },
      { name: 'a', value: '' },
      { context: { arguments: { b: 'c' } } },
    );
    assert.deepEqual(result.completion.values, ['a']);
    assert.deepEqual(lastOf(one).params, {
      ref: { type: 'ref/prompt', name: 'p' },
      argument: { name: 'a', value: '' },
    });
  });

  it('sets the log level of the session [C60]', async () => {
    const one = await connected(replying({}), { revision: handshake });
    await one.client.setLogLevel('debug');
    assert.deepEqual([lastOf(one).message['method'], lastOf(one).params], ['logging/setLevel', { level: 'debug' }]);
    await assert.rejects(one.client.setLogLevel(undefined), TypeError);
  });

  it('is refused here when the server lacks the capability [lifecycle-009]', async () => {
    const one = await connected(replying(text), { revision: handshake, capabilities: {} });
    const before = one.transport.sent.length;
    await assert.rejects(one.client.callTool('x'), { kind: 'methodNotFound' });
    await assert.rejects(one.client.setLogLevel('debug'), { kind: 'methodNotFound' });
    assert.equal(one.transport.sent.length, before);
  });

  it('completes without a declared capability only where that is older [C15]', async () => {
    const settings = { capabilities: {} };
    const old = await connected(replying({ completion: { values: [] } }), { ...settings, revision: '2024-11-05' });
    await old.client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' });
    const newer = await connected(replying({}), { ...settings, revision: '2025-03-26' });
    await assert.rejects(newer.client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' }), {
      kind: 'methodNotFound',
    });
  });

  it('with a malformed result is an error that names the place', async () => {
    const one = await connected(replying({ content: [{ type: 'text' }] }), { revision: handshake });
    await assert.rejects(one.client.callTool('x'), {
      name: 'ConnectionError',
      reason: 'invalid-message',
      message: /tools\/call.*content/,
    });
  });
});

describe('ping', () => {
  for (const [revision, method] of [
    [handshake, 'ping'],
    [stateless, 'server/discover'],
  ] as const) {
    it(`of ${revision} is ${method} [C47]`, async () => {
      const one = await connected(replying({}), { revision });
      await one.client.ping();
      assert.equal(lastOf(one).message['method'], method);
    });
  }
});

describe('lists', () => {
  const paged =
    (pages: readonly object[]): Script =>
    (sent, peer) => {
      const { cursor } = sent.message['params'] as { cursor?: string };
      const index = cursor === undefined ? 0 : Number(cursor.length) + 1;
      peer.reply(sent, { ...pages[index] });
    };

  it('follow cursors to the end; an empty cursor is one [C44] [page-001] [page-004] [page-007]', async () => {
    const one = await connected(
      paged([
        { tools: [tool('a')], nextCursor: '' },
        { tools: [], nextCursor: 'x' },
        { tools: [tool('b')], nextCursor: null },
      ]),
    );
    assert.deepEqual(
      (await one.client.listTools()).map(({ name }) => name),
      ['a', 'b'],
    );
  });

  for (const [method, key, list] of [
    ['resources/list', 'resources', (client: Client) => client.listResources()],
    ['resources/templates/list', 'resourceTemplates', (client: Client) => client.listResourceTemplates()],
    ['prompts/list', 'prompts', (client: Client) => client.listPrompts()],
  ] as const) {
    it(`of ${method} gather their pages [C41] [C42] [C43] [prompts-012]`, async () => {
      const item = (name: string) => ({ name, uri: `x:${name}`, uriTemplate: `x:{${name}}` });
      const one = await connected(paged([{ [key]: [item('a')], nextCursor: '' }, { [key]: [item('b')] }]));
      const items: readonly { readonly name: string }[] = await list(one.client);
      assert.deepEqual(
        items.map(({ name }) => name),
        ['a', 'b'],
      );
      assert.equal(one.transport.methods.at(-1), method);
    });
  }

  it('are empty where the server has no such feature, and nothing is asked', async () => {
    const one = await connected(undefined, { capabilities: {} });
    const before = one.transport.sent.length;
    assert.deepEqual(
      [
        await one.client.listTools(),
        await one.client.listResources(),
        await one.client.listResourceTemplates(),
        await one.client.listPrompts(),
      ],
      [[], [], [], []],
    );
    assert.equal(one.transport.sent.length, before);
  });

  it('that repeat a cursor end with an error', async () => {
    const one = await connected(replying({ tools: [], nextCursor: 'again' }));
    await assert.rejects(one.client.listTools(), { reason: 'invalid-message', message: /repeats a cursor/ });
  });

  it('that never end are bounded in pages and items', async () => {
    let cursor = 0;
    const endless: Script = (sent, peer) =>
      peer.reply(sent, { tools: [tool('a'), tool('b')], nextCursor: String(cursor++) });
    const byPages = await connected(endless, { options: { maxPages: 3 } });
    await assert.rejects(byPages.client.listTools(), { reason: 'too-large', message: /3 pages/ });
    assert.equal(cursor, 3);
    const byItems = await connected(endless, { options: { maxItems: 5 } });
    await assert.rejects(byItems.client.listTools(), { reason: 'too-large', message: /5 items/ });
  });

  it('can be walked page by page with their hints [C45] [caching-008]', async () => {
    const pages = [
      { prompts: [{ name: 'a' }], nextCursor: '', ttlMs: 500, cacheScope: 'public' },
      { prompts: [{ name: 'b' }], ttlMs: -1 },
    ];
    const one = await connected(paged(pages));
    const seen: unknown[] = [];
    for await (const { items, ttlMs, cacheScope } of one.client.pages('prompts/list'))
      seen.push([items.map(({ name }) => name), ttlMs, cacheScope]);
    assert.deepEqual(seen, [
      [['a'], 500, 'public'],
      [['b'], 0, 'private'],
    ]);
  });
});

describe('arguments that travel in headers', () => {
  const region = tool('sql', {
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, n: { type: 'integer', 'x-mcp-header': 'N' } },
    },
  });
  const renamed = tool('sql', {
    inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Place' } } },
  });
  const broken = tool('broken', {
    inputSchema: { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } },
  });
  const serving =
    (tools: readonly object[]): Script =>
    (sent, peer) =>
      peer.reply(sent, sent.message['method'] === 'tools/list' ? { tools } : text);

  it('are mirrored once the tool is known [C03] [http-080] [http-081] [http-096]', async () => {
    const one = await connected(serving([region]), { kind: 'http' });
    await one.client.callTool('sql', { region: 'eu' });
    assert.equal(lastOf(one).headers['Mcp-Param-Region'], undefined);
    await one.client.listTools();
    await one.client.callTool('sql', { region: 'eu', n: null });
    assert.deepEqual(lastOf(one).headers, {
      'MCP-Protocol-Version': stateless,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'sql',
      'Mcp-Param-Region': 'eu',
    });
  });

  it('are mirrored for tools that were listed elsewhere [C03]', async () => {
    const one = await connected(serving([]), { kind: 'http' });
    one.client.learnTools([region as never]);
    await one.client.request('tools/call', { name: 'sql', arguments: { region: 'ä', n: 5 } });
    assert.equal(lastOf(one).headers['Mcp-Param-Region'], '=?base64?w6Q=?=');
    assert.equal(lastOf(one).headers['Mcp-Param-N'], '5');
  });

  for (const settings of [{ kind: 'stdio' }, { kind: 'http', revision: handshake }] as const) {
    it(`are mirrored nowhere else: ${JSON.stringify(settings)} [C71]`, async () => {
      const one = await connected(serving([region, broken]), settings);
      assert.equal((await one.client.listTools()).length, 2);
      await one.client.callTool('sql', { region: 'eu' });
      assert.deepEqual(lastOf(one).headers, {});
    });
  }

  it('make a tool with invalid annotations be left out, with a warning [C71] [http-090] [http-091]', async () => {
    const one = await connected(serving([broken, region]), { kind: 'http' });
    assert.deepEqual(
      (await one.client.listTools()).map(({ name }) => name),
      ['sql'],
    );
    assert.match(one.warnings.join(), /"broken".*string, integer or boolean/);
  });

  it('are learned anew when the server finds a mismatch, once [http-103] [http-104]', async () => {
    let calls = 0;
    const script: Script = (sent, peer) => {
      if (sent.message['method'] === 'tools/list') return peer.reply(sent, { tools: [renamed] });
      calls++;
      if (sent.headers['Mcp-Param-Place'] === undefined)
        return peer.refuse(sent, { code: -32020, message: 'mismatch' }, 400);
      peer.reply(sent, text);
    };
    const one = await connected(script, { kind: 'http' });
    one.client.learnTools([region as never]);
    assert.deepEqual((await one.client.callTool('sql', { region: 'eu' })).content, text.content);
    assert.equal(calls, 2);
    await assert.rejects(one.client.callTool('sql', {}), { kind: 'headerMismatch' });
    assert.equal(calls, 4);
  });
});

describe('structured results', () => {
  const output = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
  const giving =
    (result: object, outputSchema: object = output): Script =>
    (sent, peer) =>
      peer.reply(
        sent,
        sent.message['method'] === 'tools/list'
          ? { tools: [tool('add', { outputSchema })] }
          : { content: [], ...result },
      );

  for (const revision of ['2025-06-18', handshake, stateless]) {
    it(`of ${revision} that fit the output schema are given [C08] [tools-012]`, async () => {
      const { client } = await connected(giving({ structuredContent: { sum: 3 } }), { revision });
      await client.listTools();
      assert.deepEqual((await client.callTool('add')).structuredContent, { sum: 3 });
    });

    it(`of ${revision} that do not fit are an error with the places [C09] [C31] [tools-040]`, async () => {
      const { client } = await connected(giving({ structuredContent: { sum: 'x' } }), { revision });
      await client.listTools();
      await assert.rejects(client.callTool('add'), (error: unknown) => {
        assert.ok(error instanceof OutputValidationError);
        assert.equal(error.problems[0]?.path, '/sum');
        assert.deepEqual(error.result?.structuredContent, { sum: 'x' });
        return true;
      });
    });
  }

  it('that are missing are an error, unless the tool failed [C82]', async () => {
    const missing = await connected(giving({}));
    await missing.client.listTools();
    await assert.rejects(missing.client.callTool('add'), OutputValidationError);
    const failed = await connected(giving({ isError: true }));
    await failed.client.listTools();
    assert.equal((await failed.client.callTool('add')).isError, true);
  });

  it('are not checked when nobody wants it, or the tool is not known [C31]', async () => {
    const off = await connected(giving({}), { options: { validateOutput: false } });
    await off.client.listTools();
    await off.client.callTool('add');
    const unknown = await connected(giving({}));
    await unknown.client.callTool('add');
  });

  it('of a schema that cannot be checked are an error before the call [schema-004]', async () => {
    const one = await connected(giving({}, { $schema: 'https://example.com/mine' }));
    await one.client.listTools();
    await assert.rejects(one.client.callTool('add'), OutputValidationError);
    assert.ok(!one.transport.methods.includes('tools/call'));
  });
});

describe('giving up', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  for (const [kind, revision, told] of [
    ['stdio', stateless, true],
    ['stdio', handshake, true],
    ['http', handshake, true],
    ['http', stateless, false],
  ] as const) {
    it(`over ${kind} at ${revision} ${told ? 'tells the server' : 'closes the stream'} [C10] [cancel-004] [cancel-011] [cancel-019] [http-030] [lifecycle-020] [lifecycle-021] [stdio-009] [tools-041]`, async () => {
      const one = await connected(({ message }) => (message['id'] === undefined ? undefined : new Promise(() => {})), {
        kind,
        revision,
      });
      const rejected = assert.rejects(one.client.callTool('x', undefined, { timeoutMs: 5 }), { reason: 'timeout' });
      await turns();
      const call = lastOf(one);
      mock.timers.tick(5);
      await rejected;
      await turns();
      assert.equal(one.transport.methods.at(-1), told ? 'notifications/cancelled' : 'tools/call');
      if (told) assert.equal(lastOf(one).params['requestId'], call.message['id']);
      assert.equal(call.signal?.aborted, kind === 'http' ? true : undefined);
    });
  }
});

describe('what a server sends by itself', () => {
  it('a ping is answered while the handshake runs [ping-001]', async () => {
    const transport = scriptedTransport('stdio', (sent, peer) => {
      const { method, id } = sent.message;
      if (method === 'initialize') peer.send({ jsonrpc: '2.0', id: 'p', method: 'ping' });
      if (id === 'p')
        peer.send({
          jsonrpc: '2.0',
          id: 1,
          result: { protocolVersion: handshake, capabilities: {}, serverInfo: { name: 's', version: '1' } },
        });
    });
    const connect = createConnect({ http: () => transport });
    const client = await connect(transport, { revisions: [handshake] });
    assert.equal(client.revision, handshake);
    assert.deepEqual(transport.sent[1]?.message, { jsonrpc: '2.0', id: 'p', result: {} });
  });

  it('a ping is answered after the handshake [ping-001]', async () => {
    const one = await connected(undefined, { revision: handshake });
    one.peer.send({ jsonrpc: '2.0', id: 'p', method: 'ping' });
    await turns();
    assert.deepEqual(one.transport.sent.at(-1)?.message, { jsonrpc: '2.0', id: 'p', result: {} });
  });

  for (const method of ['sampling/createMessage', 'nonsense', '__proto__']) {
    it(`${method} without a handler is no method [C89] [C90] [C94]`, async () => {
      const one = await connected(undefined, { revision: handshake });
      one.peer.send({ jsonrpc: '2.0', id: 7, method });
      await turns();
      const answer = one.transport.sent.at(-1)?.message;
      assert.deepEqual([answer?.['id'], (answer?.['error'] as { code: number } | undefined)?.code], [7, -32601]);
    });
  }

  it('a request at a stateless revision is ignored with a warning [C96] [basic-038] [stdio-006]', async () => {
    const one = await connected();
    const before = one.transport.sent.length;
    one.peer.send({ jsonrpc: '2.0', id: 7, method: 'ping' });
    await turns();
    assert.equal(one.transport.sent.length, before);
    assert.match(one.warnings.join(), /ping/);
  });

  it('is heard by its listeners [C91] [C92]', async () => {
    const logs: unknown[] = [];
    const heard: unknown[] = [];
    const options: ConnectOptions = {
      onLog: ({ level, data }) => void logs.push([level, data]),
      onNotification: (method, params) => void heard.push([method, params]),
    };
    const one = await connected(undefined, { revision: handshake, options });
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } });
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 7 } });
    assert.deepEqual(logs, [['info', 'x']]);
    assert.deepEqual(heard, [
      ['notifications/message', { level: 'info', data: 'x' }],
      ['notifications/tools/list_changed', {}],
    ]);
    assert.equal(one.warnings.length, 1);
  });

  it('unasked at a stateless revision is heard with a warning', async () => {
    const heard: string[] = [];
    const one = await connected(undefined, { options: { onNotification: (method) => void heard.push(method) } });
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    one.peer.send({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
    });
    assert.equal(heard.length, 2);
    assert.equal(one.warnings.length, 1);
  });

  it('progress reaches the request and the client', async () => {
    const all: unknown[] = [];
    const own: unknown[] = [];
    const script: Script = (sent, peer) => {
      const { progressToken } = (sent.message['params'] as { _meta: Record<string, unknown> })._meta;
      peer.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
      peer.reply(sent, text);
    };
    const one = await connected(script, { options: { onProgress: (report) => void all.push(report) } });
    await one.client.callTool('x', undefined, { progressToken: 't', onProgress: (report) => void own.push(report) });
    assert.deepEqual([own, all], [[{ progress: 1, total: 2 }], [{ progressToken: 't', progress: 1, total: 2 }]]);
  });
});

describe('notifications of a client', () => {
  it('are sent where the revision has them [C54]', async () => {
    const one = await connected(undefined, { revision: handshake });
    await one.client.notify('notifications/roots/list_changed');
    assert.deepEqual(one.transport.sent.at(-1)?.message, {
      jsonrpc: '2.0',
      method: 'notifications/roots/list_changed',
    });
    await one.client.notify('com.example/mine', { a: 1 });
    assert.deepEqual(one.transport.sent.at(-1)?.message, {
      jsonrpc: '2.0',
      method: 'com.example/mine',
      params: { a: 1 },
    });
  });

  it('are refused where it has not [C46]', async () => {
    const one = await connected();
    await assert.rejects(one.client.notify('notifications/roots/list_changed'), { kind: 'methodNotFound' });
  });
});

describe('the end of a connection', () => {
  it('from the other side is told once, and later requests reject at once, where it is not opened again', async () => {
    const ends: string[] = [];
    const one = await connected(undefined, {
      options: { reconnect: false, onClose: ({ reason }) => void ends.push(`option ${reason}`) },
    });
    one.client.onClose(({ reason }) => void ends.push(`listener ${reason}`));
    one.client.onClose(() => void ends.push('never'))();
    const pending = assert.rejects(one.client.callTool('x'), { reason: 'exited' });
    await turns();
    one.peer.end();
    await pending;
    assert.deepEqual(ends, ['option exited', 'listener exited']);
    assert.equal((await one.client.closed)?.reason, 'exited');
    await assert.rejects(one.client.callTool('x'), { reason: 'exited' });
  });

  it('here rejects what waits and closes the transport; twice is fine [C14]', async () => {
    const one = await connected();
    const pending = assert.rejects(one.client.callTool('x'), { reason: 'closed' });
    await turns();
    await one.client.close();
    await one.client.close();
    await pending;
    assert.equal(await one.client.closed, undefined);
    await assert.rejects(one.client.listTools(), { reason: 'closed' });
    assert.equal(one.transport.closed.includes(1), true);
  });
});

describe('what was found out of a server', () => {
  it('is remembered by this process: a handshake server is not probed again, until that is old [versioning-009]', async () => {
    const script: Script = (sent, peer) => {
      if (sent.message['method'] === 'server/discover') peer.refuse(sent, { code: -32601, message: 'no' }, 404);
      if (sent.message['method'] === 'initialize')
        peer.reply(sent, { protocolVersion: handshake, capabilities: {}, serverInfo: { name: 's', version: '1' } });
    };
    const transports: ScriptedTransport[] = [];
    const http = () => {
      const transport = scriptedTransport('http', script, 'http://host/mcp');
      transports.push(transport);
      return transport;
    };
    const connect = createConnect({ http });
    for (const now of [0, 599_999, 1_199_999]) await (await connect('http://host/mcp', { now: () => now })).close();
    assert.deepEqual(
      transports.map(({ methods }) => methods[0]),
      ['server/discover', 'initialize', 'server/discover'],
    );
  });

  it('can be given, and the first answer that disproves it settles anew', async () => {
    const first = await connected(replying(text));
    const verdict = JSON.parse(JSON.stringify(first.client.verdict));
    const again = await connected(replying(text), { options: { prior: verdict } });
    await again.client.callTool('x');
    assert.deepEqual(again.transport.methods, ['tools/call']);
    const changed = await connected(
      (sent, peer) =>
        'io.modelcontextprotocol/protocolVersion' in ((sent.message['params'] as { _meta?: object })._meta ?? {})
          ? peer.refuse(sent, { code: -32600, message: 'not initialized' })
          : peer.reply(sent, text),
      {
        revision: handshake,
        options: { prior: verdict },
      },
    );
    assert.equal(changed.client.revision, stateless);
    assert.deepEqual((await changed.client.callTool('x')).content, text.content);
    assert.equal(changed.client.revision, handshake);
    assert.deepEqual(changed.transport.methods, [
      'tools/call',
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
  });

  it('stays when the first request fails for a reason of its own', async () => {
    const first = await connected();
    const again = await connected((sent, peer) => peer.refuse(sent, { code: -32602, message: 'unknown tool' }), {
      options: { prior: first.client.verdict },
    });
    await assert.rejects(again.client.callTool('x'), { code: -32602 });
    assert.equal(again.client.revision, stateless);
  });
});

describe('the target of connect', () => {
  it('is a transport or an HTTP URL', async () => {
    const seen: unknown[] = [];
    const http = (url: URL, options: object) => {
      seen.push([url.href, options]);
      throw new ConnectionError('refused', 'no');
    };
    const connect = createConnect<{ readonly headers?: object }>({ http });
    await assert.rejects(connect('https://host/mcp', { headers: { a: 'b' } }), { reason: 'refused' });
    await assert.rejects(connect(new URL('http://host/')), { reason: 'refused' });
    assert.deepEqual(seen, [
      ['https://host/mcp', { headers: { a: 'b' } }],
      ['http://host/', {}],
    ]);
    for (const bad of ['', 'no url', 'file:///x', 'npx server']) await assert.rejects(connect(bad), TypeError);
    await assert.rejects(connect('http://host/', { revisions: ['2020-01-01'] }), TypeError);
  });
});
