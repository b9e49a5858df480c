/** What a client declares and what a server makes of it: parts 1.1 and 1.4 of the behaviours. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createHandler } from '../../packages/parley/src/http.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { revisionOf, revisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type ToolContext, type Server } from '../../packages/parley/src/server.ts';
import { dates, handshakeDates, open, statelessDate, withMeta, type Json } from '../support/raw.ts';

/** A server whose only tool does one thing. */
function serverWith(run: (ctx: ToolContext) => unknown): Server {
  const server = createServer({ name: 's', version: '1' });
  server.tool('t', {}, async (_, ctx) => JSON.stringify((await run(ctx)) ?? null));
  return server;
}

/** What the tool gave to a client that declares some capabilities. */
async function seen(run: (ctx: ToolContext) => unknown, date: RevisionDate, capabilities: Json): Promise<unknown> {
  const raw = await open(serverWith(run), date, { capabilities });
  const { content } = await raw.result('tools/call', { name: 't' });
  // The tool gives one text.
  return JSON.parse((content as readonly [{ readonly text: string }])[0].text);
}

const declared = (ctx: ToolContext): unknown => ctx.client.capabilities;

describe('what a client declares', () => {
  for (const date of dates) {
    test(`is what handlers see at ${date} [D01] [D22]`, async () => {
      for (const capabilities of [{}, { roots: {} }, { sampling: {} }, { roots: {}, sampling: {} }])
        assert.deepEqual(await seen(declared, date, capabilities), capabilities);
    });

    test(`is present when it is an empty object, and only then at ${date} [D07] [D12] [D27]`, async () => {
      const has = ({ client }: ToolContext): unknown => [client.supports('roots'), client.supports('sampling')];
      assert.deepEqual(await seen(has, date, { roots: {}, sampling: {} }), [true, true]);
      assert.deepEqual(await seen(has, date, {}), [false, false]);
    });

    test(`may hold what nobody here knows, which is kept at ${date} [D33] [E01]`, async () => {
      const capabilities = { 'com.example': { a: 1 }, experimental: { 'com.example/x': { b: [2] } } };
      assert.deepEqual(await seen(declared, date, capabilities), capabilities);
    });
  }

  test('belongs to its session, or to its request where there are none [D10]', async () => {
    const server = serverWith((ctx) => [ctx.client.capabilities, ctx.revision]);
    const text = async (answer: Promise<Json>): Promise<unknown> =>
      JSON.parse(((await answer)['content'] as readonly [{ readonly text: string }])[0].text);
    const one = await open(server, '2025-03-26', { capabilities: { roots: {} } });
    const two = await open(server, '2025-11-25', { capabilities: { sampling: {} } });
    for (let turn = 0; turn < 2; turn++) {
      assert.deepEqual(await text(one.result('tools/call', { name: 't' })), [{ roots: {} }, '2025-03-26']);
      assert.deepEqual(await text(two.result('tools/call', { name: 't' })), [{ sampling: {} }, '2025-11-25']);
    }
    const modern = await open(server, statelessDate, { capabilities: { roots: {} } });
    const meta = { [metaKey.clientCapabilities]: {} };
    assert.deepEqual(await text(modern.result('tools/call', { name: 't', _meta: meta })), [{}, statelessDate]);
    assert.deepEqual(await text(modern.result('tools/call', { name: 't' })), [{ roots: {} }, statelessDate]);
  });

  test('may hold the version of an extension in its settings [D34]', async () => {
    const extensions = { 'com.example/ui': { version: 2, mimeTypes: ['text/html'] } };
    for (const date of dates) assert.deepEqual(await seen(declared, date, { extensions }), { extensions });
  });

  test('lets a handler fall back where an extension is missing [versioning-013]', async () => {
    const answer = ({ client }: ToolContext): string => (client.supports('com.example/ui') ? 'a page' : 'plain text');
    assert.equal(await seen(answer, statelessDate, { extensions: { 'com.example/ui': {} } }), 'a page');
    assert.equal(await seen(answer, statelessDate, {}), 'plain text');
  });

  test('changes what a call does and never what is listed [D32]', async () => {
    const server = serverWith(({ client }) => client.supports('roots'));
    server.resource('a://b', { name: 'b' }, () => 'x');
    for (const method of ['tools/list', 'resources/list']) {
      const lists = await Promise.all(
        [{}, { roots: {}, sampling: {}, elicitation: {} }].map(async (capabilities) =>
          (await open(server, statelessDate, { capabilities })).result(method),
        ),
      );
      assert.deepEqual(lists[0], lists[1]);
    }
  });
});

const asks: Readonly<Record<string, (ctx: ToolContext) => unknown>> = {
  'sampling/createMessage': (ctx) => ctx.sample({ messages: [], maxTokens: 1 }),
  'roots/list': (ctx) => ctx.roots(),
  'elicitation/create': (ctx) =>
    ctx.elicit({ message: '?', schema: { type: 'object', properties: { a: { type: 'string' } } } }),
};

describe('what a client did not declare', () => {
  for (const [method, ask] of Object.entries(asks)) {
    for (const date of dates) {
      test(`is refused before ${method} is sent at ${date}, and named [D21] [D25]`, async () => {
        let refusal: unknown;
        const server = serverWith(async (ctx) => {
          refusal = await Promise.resolve(ask(ctx)).catch((error: unknown) => error);
        });
        const raw = await open(server, date);
        await raw.result('tools/call', { name: 't' });
        assert.deepEqual(raw.methods, []);
        assert.ok(refusal instanceof Error);
        assert.match(refusal.message, /client did not declare what|does not exist in/);
        assert.ok(refusal.message.includes(method));
      });
    }
  }

  test('is -32021 over HTTP, with status 400 and what is missing alone [A16] [meta-014] [meta-015]', async () => {
    const server = serverWith((ctx) => ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example/' }));
    const handler = createHandler(server);
    const params = withMeta({ name: 't' }, { capabilities: { elicitation: { form: {} }, sampling: {} } });
    const response = await handler(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-protocol-version': statelessDate,
          'mcp-method': 'tools/call',
          'mcp-name': 't',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      }),
    );
    assert.equal(response.status, 400);
    // The body of a JSON-RPC error response.
    const { error } = (await response.json()) as { readonly error: Json };
    assert.equal(error['code'], -32021);
    assert.deepEqual(error['data'], { requiredCapabilities: { elicitation: { url: {} } } });
    await server.close();
  });

  for (const { date, elicitation } of revisions) {
    const detailed = elicitation === 'form-and-url';
    test(`of the context of other servers ${detailed ? 'is refused' : 'is nothing yet'} at ${date} [A28]`, async () => {
      for (const includeContext of ['thisServer', 'allServers', 'none'] as const) {
        const ask = (ctx: ToolContext): unknown =>
          Promise.race([
            ctx.sample({ messages: [], maxTokens: 1, includeContext }).then(String, (error: unknown) => String(error)),
            // An admissible question waits for its answer.
            new Promise((resolve) => setImmediate(resolve, 'asked')),
          ]);
        const raw = await open(serverWith(ask), date, { capabilities: { sampling: {} } });
        const response = await raw.send('tools/call', { name: 't' });
        const refused = JSON.stringify(response).includes('sampling.context');
        assert.equal(refused, detailed && includeContext !== 'none');
        raw.conversation.close();
      }
    });
  }
});

describe('what a server says of itself', () => {
  for (const date of dates) {
    test(`is its capabilities, its version and its identity at ${date} [D22]`, async () => {
      const result = await opening(
        serverWith(() => undefined),
        date,
      );
      assert.partialDeepStrictEqual(result.capabilities, { tools: {} });
      const name = { name: 's', version: '1' };
      if (revisionOf(date)?.era === 'handshake')
        assert.partialDeepStrictEqual(result, { protocolVersion: date, serverInfo: name });
      else assert.partialDeepStrictEqual(result, { supportedVersions: [date], _meta: { [metaKey.serverInfo]: name } });
    });

    test(`has features that are there or not, never "enabled" at ${date} [D24]`, async () => {
      const server = createServer({ name: 's', version: '1' });
      server.tool('t', {}, () => 'x');
      server.prompt('p', {}, () => 'x');
      server.resource('a://b', { name: 'b' }, () => 'x');
      const { capabilities } = await opening(server, date);
      assert.deepEqual(Object.keys(capabilities).toSorted(), ['logging', 'prompts', 'resources', 'tools']);
      assert.ok(!JSON.stringify(capabilities).includes('enabled'));
    });
  }
});

/** The result that tells a client of the server. */
async function opening(server: Server, date: RevisionDate): Promise<Json & { readonly capabilities: Json }> {
  const stateless = !handshakeDates.includes(date);
  const conversation = server.endpoint.openConnection({ lasting: true, send: () => undefined });
  const params = stateless
    ? withMeta()
    : { protocolVersion: date, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const method = stateless ? 'server/discover' : 'initialize';
  const response = await conversation.receive({ jsonrpc: '2.0', id: 1, method, params });
  // Both results have capabilities.
  return (response as unknown as { readonly result: Json & { readonly capabilities: Json } }).result;
}
