/** Ids, tokens and integers beyond 2^53: JavaScript has no numbers for them. */

import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { createHandler } from '../../packages/parley/src/http.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { createServer, type CompleterContext, type Server } from '../../packages/parley/src/server.ts';
import { parseMessage, toJson } from '../../packages/parley/src/jsonrpc/encode.ts';
import type { Message } from '../../packages/parley/src/jsonrpc/message.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { initializeParams, withMeta } from '../support/raw.ts';
import { textClient, textServer, textWays, type TextClient } from '../support/text-peers.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import { oddFetch } from './odd-fetch.ts';
import { freshUrl, outcomes } from './peers.ts';

const large = '9007199254740993';
const larger = '-123456789012345678901234567890';

function served(): Server {
  const server = createServer({ name: 's', version: '1' });
  server.tool('report', {}, async (_, ctx) => {
    ctx.progress(1);
    return String(ctx.requestId);
  });
  server.tool(
    'wait',
    {},
    (_, ctx) => new Promise<string>((resolve) => ctx.signal.addEventListener('abort', () => resolve('x'))),
  );
  server.tool(
    'ask',
    {},
    async (_, ctx) => (await ctx.elicit({ message: 'Go on?', schema: { type: 'object' } })).action,
  );
  server.resource('memo:one', { name: 'one' }, () => 'x');
  return server;
}

/** A client of text that is ready, and its requests. */
async function ready(client: TextClient, date: RevisionDate) {
  const stateless = date === '2026-07-28';
  const headers = { 'mcp-protocol-version': date };
  if (!stateless) {
    const params = JSON.stringify(initializeParams(date, { elicitation: {} }));
    await client.send(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":${params}}`);
    await client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}', headers);
  }
  const meta = stateless ? JSON.stringify(withMeta({})['_meta']).slice(1, -1) : '';
  return (id: string, method: string, params: string, more: string = ''): Promise<string> => {
    const _meta = [meta, more].filter((part) => part !== '').join(',');
    const name = /"name":"(\w+)"/.exec(params)?.[1];
    return client.send(
      `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${params}${params === '' ? '' : ','}"_meta":{${_meta}}}}`,
      {
        ...headers,
        ...(stateless ? { 'mcp-method': method, ...(name === undefined ? {} : { 'mcp-name': name }) } : {}),
      },
    );
  };
}

for (const date of ['2025-11-25', '2026-07-28'] as const)
  for (const way of textWays)
    for (const isBridged of [false, true])
      describe(`at ${date} over ${way}${isBridged ? ' through a bridge' : ''}`, () => {
        const target = async (t: { after(run: () => unknown): void }) => {
          if (!isBridged) return served();
          const bridge = await createBridge({ upstream: memoryTransport(served()), onWarning: () => undefined });
          t.after(() => bridge.close());
          return bridge;
        };

        it('a large id and a large token are echoed in their digits', async (t) => {
          const client = await textClient(t, way, await target(t));
          const ask = await ready(client, date);
          for (const id of [large, larger]) {
            const told = await ask(id, 'tools/call', '"name":"report"', `"progressToken":${id}`);
            assert.match(told, new RegExp(`"id":${id}[,}]`));
            assert.ok(client.heard.some((text) => text.includes(`"progressToken":${id}`)));
          }
          assert.match(await ask(large, 'nobody/knows', ''), new RegExp(`"id":${large}[,}]`));
        });

        it('a text of the same digits is another id', async (t) => {
          const client = await textClient(t, way, await target(t));
          const ask = await ready(client, date);
          assert.match(await ask(`"${large}"`, 'tools/call', '"name":"report"'), new RegExp(`"id":"${large}"`));
        });
      });

for (const isBridged of [false, true])
  test(`a cancellation by a large id ends that request alone${isBridged ? ', through a bridge' : ''}`, async (t) => {
    const bridge = isBridged ? await createBridge({ upstream: memoryTransport(served()) }) : undefined;
    if (bridge !== undefined) t.after(() => bridge.close());
    const client = await textClient(t, 'stdio', bridge ?? served());
    const ask = await ready(client, '2025-11-25');
    // Both ids are one number to JavaScript.
    const other = '9007199254740992';
    void ask(large, 'tools/call', '"name":"wait"');
    const kept = ask(other, 'tools/call', '"name":"report"');
    await client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${large}}}`);
    assert.match(await kept, new RegExp(`"id":${other}[,}]`));
    assert.match(await ask('1', 'ping', ''), /"id":1[,}]/);
    assert.ok(!client.heard.some((text) => text.includes(`"id":${large}`)));
  });

test('middleware and handlers see a large id as the text of its digits', async (t) => {
  const seen: unknown[] = [];
  const server = served();
  server.use(async (message, next) => {
    if (message.method === 'tools/call') seen.push(message.requestId);
    return await next();
  });
  const client = await textClient(t, 'stdio', server);
  const ask = await ready(client, '2025-11-25');
  assert.match(await ask(large, 'tools/call', '"name":"report"'), new RegExp(`"text":"${large}"`));
  assert.deepEqual(seen, [large]);
});

for (const date of ['2025-11-25', '2026-07-28'] as const)
  test(`programs of a server at ${date} see the digits of a large token, which is sent as it came`, async (t) => {
    const seen: string[] = [];
    const note = (...values: readonly unknown[]): void => void seen.push(JSON.stringify(values));
    const server = createServer({ name: 's', version: '1' }, { onError: (error, where) => note(String(error), where) });
    server.tool('report', {}, (_, ctx) => {
      ctx.progress(1);
      note(ctx.requestId, ctx.meta);
      return 'done';
    });
    const complete = { about: (_: string, ctx: CompleterContext) => (note(ctx.requestId, ctx.meta), ['x']) };
    server.prompt('write', { arguments: [{ name: 'about' }], complete }, (_, ctx) => {
      note(ctx.requestId, ctx.meta);
      return 'x';
    });
    server.resource('memo:one', { name: 'one' }, (_, ctx) => (note(ctx.requestId, ctx.meta), 'x'));
    server.method('com.example/own', {}, (_, ctx) => (note(ctx.requestId, ctx.meta), {}));
    server.use(async (message, next) => {
      note(message.requestId, message.meta, message.params);
      return await next({ ...message.params });
    });
    const client = await textClient(t, 'stdio', server);
    const ask = await ready(client, date);
    const token = `"progressToken":${large}`;
    await ask(large, 'tools/call', '"name":"report"', token);
    await ask(large, 'prompts/get', '"name":"write"', token);
    await ask(large, 'resources/read', '"uri":"memo:one"', token);
    await ask(large, 'com.example/own', '', token);
    const argument = '"ref":{"type":"ref/prompt","name":"write"},"argument":{"name":"about","value":""}';
    await ask(large, 'completion/complete', argument, token);
    assert.ok(client.heard.some((text) => text.includes(`"method":"notifications/progress","params":{${token}`)));
    assert.deepEqual(
      seen.filter((text) => text.includes('\uFDD0')),
      [],
    );
    const withDigits = seen.filter(
      (text) => text.startsWith(`["${large}",{`) && text.includes(`"progressToken":"${large}"`),
    );
    assert.equal(withDigits.length, 10);
  });

test('an error names a large id by its digits', async (t) => {
  const client = await textClient(t, 'stdio', served());
  const ask = await ready(client, '2025-11-25');
  void ask(large, 'tools/call', '"name":"wait"');
  const refused = await ask(large, 'ping', '');
  assert.match(refused, new RegExp(`id \\\\"${large}\\\\" is already in use`));
});

for (const [isPassedOn, exactNumbers] of [
  [false, false],
  [true, false],
  [false, true],
  [true, true],
] as const)
  test(`a client sees the digits of a large id and token (onRequest ${isPassedOn}, exactNumbers ${exactNumbers})`, async (t) => {
    const seen: string[] = [];
    const note = (...values: readonly unknown[]): void => void seen.push(JSON.stringify(values));
    const got: string[] = [];
    const meta = `"_meta":{"progressToken":${large}}`;
    const transport = await textServer(t, 'stdio', (text) => {
      got.push(text);
      const { id, method } = JSON.parse(text) as { readonly id?: number; readonly method?: string };
      if (id === undefined || method === undefined) return [];
      const info = '"capabilities":{"tools":{}},"serverInfo":{"name":"text","version":"1"}';
      if (method === 'initialize')
        return [`{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":"2025-11-25",${info}}}`];
      const question = `"message":"Go on?","requestedSchema":{"type":"object","properties":{}},${meta}`;
      return [
        `{"jsonrpc":"2.0","id":${large},"method":"elicitation/create","params":{${question}}}`,
        `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${larger}}}`,
        `{"jsonrpc":"2.0","method":"com.example/note","params":{${meta}}}`,
        `{"jsonrpc":"2.0","id":${larger},"result":{}}`,
        `{"jsonrpc":"2.0","id":${id},"result":{"content":[],${meta}}}`,
      ];
    });
    const answer = { action: 'decline' } as const;
    const client = await connect(transport, {
      revisions: ['2025-11-25'],
      capabilities: { elicitation: {} },
      exactNumbers,
      onNotification: note,
      onWarning: note,
      ...(isPassedOn
        ? { onRequest: async (_method: string, params: object) => (note(params), answer) }
        : { onElicit: (params) => (note(params), answer) }),
    });
    note(await client.callTool('any'));
    await client.close();
    assert.deepEqual(
      seen.filter((text) => text.includes('\uFDD0')),
      [],
    );
    const all = seen.join('\n');
    const token = exactNumbers ? large : `"${large}"`;
    for (const part of [`"progressToken":${token}`, `id \\"${larger}\\"`]) assert.ok(all.includes(part), all);
    assert.ok(
      got.some((text) => text.includes(`"id":${large}`)),
      got.join('\n'),
    );
  });

const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
for (const [what, more, params] of [
  ['without a session', {}, {}],
  ['of an unknown session', { 'mcp-session-id': 'x' }, {}],
  ['of an unknown version', { 'mcp-protocol-version': 'x' }, {}],
  ['whose headers are missing', {}, withMeta({})],
] as const)
  test(`a refusal over HTTP of a request ${what} has its large id`, async () => {
    const body = `{"jsonrpc":"2.0","id":${large},"method":"tools/list","params":${JSON.stringify(params)}}`;
    const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers: { ...headers, ...more }, body });
    const text = await (await createHandler(served())(request)).text();
    assert.match(text, new RegExp(`"id":${large}[,}]`));
    assert.match(text, /"error"/);
  });

test('a stream of a large id names it in each message', async (t) => {
  const server = served();
  const client = await textClient(t, 'stdio', server);
  const ask = await ready(client, '2026-07-28');
  void ask(large, 'subscriptions/listen', '"notifications":{"toolsListChanged":true}');
  const told = await client.asked('notifications/subscriptions/acknowledged');
  assert.match(told, new RegExp(`"io.modelcontextprotocol/subscriptionId":${large}[,}]`));
});

for (const way of textWays)
  test(`a client answers a request with a large id in its digits over ${way}`, async (t) => {
    const got: string[] = [];
    const transport = await textServer(t, way, (text) => {
      got.push(text);
      const { id, method } = JSON.parse(text) as { readonly id?: number; readonly method?: string };
      if (id === undefined || method === undefined) return [];
      const result =
        method === 'initialize'
          ? '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"text","version":"1"}}'
          : '{"content":[]}';
      const answer = `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
      if (method === 'server/discover') return [`{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"no"}}`];
      return method === 'tools/call' ? [`{"jsonrpc":"2.0","id":${large},"method":"ping"}`, answer] : [answer];
    });
    const client = await connect(transport);
    await client.callTool('any');
    await client.ping();
    assert.ok(
      got.some((text) => text.includes(`"id":${large}`) && text.includes('"result":{}')),
      got.join('\n'),
    );
    await client.close();
  });

test('an id is never a text that looks like a large one in here', () => {
  const message = parseMessage(`{"jsonrpc":"2.0","id":${large},"method":"ping"}`, {}) as { readonly id: string };
  const forged = parseMessage(JSON.stringify({ ...message }), {}) as Message;
  assert.deepEqual(forged, { jsonrpc: '2.0', id: null, method: 'ping' });
  assert.equal(toJson(message as unknown as Message), `{"jsonrpc":"2.0","id":${large},"method":"ping"}`);
  // Fields of the same name that are no ids are left as they are.
  const data = { jsonrpc: '2.0', id: 1, result: { id: `${Number(large)}`, text: `"id":"${message.id}"` } };
  assert.deepEqual(JSON.parse(toJson(data as Message)), data);
});

const number = { type: 'object', properties: { n: { type: 'integer' } } } as const;
const schemas = {
  'JSON Schema': number,
  valibot: toStandardJsonSchema(v.object({ n: v.pipe(v.number(), v.integer()) })),
  arktype: type({ n: 'number.integer' }),
};

for (const [what, input] of Object.entries(schemas))
  test(`a tool with an integer of ${what} refuses one that has lost digits`, async (t) => {
    const server = createServer({ name: 's', version: '1' });
    server.tool('pay', { input: input as typeof number }, ({ n }) => String(n));
    const client = await textClient(t, 'stdio', server);
    const ask = await ready(client, '2025-11-25');
    const call = (n: string): Promise<string> => ask('1', 'tools/call', `"name":"pay","arguments":{"n":${n}}`);
    assert.match(
      await call(large),
      /"isError":true.*must be an integer from -\(2\^53 - 1\) to 2\^53 - 1|must be an integer from.*"isError":true/,
    );
    assert.match(await call('9007199254740991'), /"text":"9007199254740991"/);
    assert.match(await call('-7'), /"text":"-7"/);
  });

test('a mirrored integer that has lost digits is refused by its tool, not by its header', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  const input = { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } } as const;
  server.tool('pay', { input }, ({ n }) => String(n));
  const http = await listen(server, { port: 0 });
  t.after(() => http.close());
  const client = await connect(http.url);
  t.after(() => client.close());
  await client.listTools();
  const { content } = await client.callTool('pay', { n: 2 ** 53 });
  assert.match(JSON.stringify(content), /must be an integer from/);
  assert.match(JSON.stringify((await client.callTool('pay', { n: 7 })).content), /"7"/);
});

test('a number that need not be an integer may be as large as it likes', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  const input = { type: 'object', properties: { n: { type: ['integer', 'number'] } } } as const;
  server.tool('measure', { input }, ({ n }) => String(n));
  const client = await textClient(t, 'stdio', server);
  const ask = await ready(client, '2025-11-25');
  assert.match(await ask('1', 'tools/call', '"name":"measure","arguments":{"n":1e300}'), /"text":"1e\+300"/);
});

test('a client warns once of an integer in a result that has lost digits', async () => {
  const fetch = oddFetch(({ method, id }) => {
    if (method === 'tools/list')
      return { tools: [{ name: 'odd', inputSchema: { type: 'object' }, outputSchema: number }] };
    if (method !== 'tools/call') return undefined;
    const text = `{"jsonrpc":"2.0","id":${Number(id)},"result":{"content":[],"structuredContent":{"n":${large}}}}`;
    return new Response(text, { headers: { 'content-type': 'application/json' } });
  });
  const made = await outcomes({ fetch }, async (user) => {
    await user.listTools();
    await user.callTool('odd');
    return String(Object((await user.callTool('odd'))['structuredContent']).n);
  });
  // The official clients give another number than was sent, and say nothing.
  assert.deepEqual(
    [made['1.32.2'], made['2.4.0'], made.parley],
    ['9007199254740992', '9007199254740992', '9007199254740992'],
  );
  assert.deepEqual(made.warnings, [
    'the result of tool "odd" at "/n" has an integer beyond 2^53, which may have lost digits (exactNumbers keeps them)',
  ]);
  const warnings: string[] = [];
  const exact = await connect(httpTransport(freshUrl(), { fetch }), {
    exactNumbers: true,
    onWarning: (message) => void warnings.push(message),
  });
  await exact.listTools();
  assert.equal(JSON.stringify((await exact.callTool('odd')).structuredContent), `{"n":${large}}`);
  assert.deepEqual(warnings, []);
  await exact.close();
});
