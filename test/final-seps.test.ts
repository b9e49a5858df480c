/** SEPs that also apply to versions before their own: the table of docs/extensions.md, at every version. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect } from '../packages/parley/src/client.ts';
import { httpTransport } from '../packages/parley/src/transports/http/client/transport.ts';
import type { Authorization } from '../packages/parley/src/auth/common/authorizer.ts';
import { createServer, type Server } from '../packages/parley/src/server.ts';
import { connectInMemory } from '../packages/parley/src/testing.ts';
import { dates, open } from './support/raw.ts';
import { scriptedUpstream } from './support/scripted-upstream.ts';

const extension = 'com.example/x';
const trace = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=1',
  baggage: 'user=2',
};

function serverOfAll(): Server {
  const server = createServer({ name: 's', version: '1' }, { extensions: { [extension]: {} } });
  server.tool('declared', {}, (_, ctx) => JSON.stringify(ctx.client.capabilities.extensions));
  server.tool('traced', {}, (_, { meta }) =>
    JSON.stringify(Object.fromEntries(Object.keys(trace).map((key) => [key, meta[key]]))),
  );
  server.tool('listed', { output: { type: 'array' } }, () => [1, 2]);
  const pair = { type: 'array', prefixItems: [{ type: 'integer' }] } as const;
  server.tool('paired', { input: { type: 'object', properties: { pair } } }, () => 'taken');
  return server;
}

/** The text of the first block of a result. */
function textOf(result: Readonly<Record<string, unknown>>): unknown {
  // The tools above return text.
  return (result['content'] as readonly { readonly text?: string }[] | undefined)?.[0]?.text;
}

for (const date of dates)
  describe(`at ${date}`, () => {
    test('both sides declare extensions, and see those of the other (SEP-2133)', async () => {
      const client = await connectInMemory(serverOfAll(), {
        revision: date,
        extensions: { [extension]: { a: 1 } },
      });
      assert.deepEqual(client.capabilities.extensions?.[extension], {});
      const { content } = await client.callTool('declared', {});
      assert.deepEqual(content, [{ type: 'text', text: JSON.stringify({ [extension]: { a: 1 } }) }]);
      await client.close();
    });

    test('an authorization declares its extension (SEP-1046, SEP-990)', async () => {
      const bodies: string[] = [];
      const auth: Authorization = {
        bind: () => ({ headers: () => ({ authorization: 'Bearer 1' }), refused: async () => false }),
        context: () => 'me',
        extensions: { 'io.modelcontextprotocol/oauth-client-credentials': {} },
      };
      const transport = httpTransport('https://mcp.example.com/', {
        auth,
        fetch: async (url, request) => {
          bodies.push(await new Request(url, request).text());
          return new Response('', { status: 500 });
        },
      });
      await assert.rejects(connect(transport, { revisions: [date] }));
      assert.match(bodies[0] ?? '', /"extensions":\{"io\.modelcontextprotocol\/oauth-client-credentials":\{\}\}/);
    });

    test('the context of a trace in _meta reaches the handler (SEP-414)', async () => {
      const raw = await open(serverOfAll(), date);
      const result = await raw.result('tools/call', { name: 'traced', _meta: trace });
      assert.equal(textOf(result), JSON.stringify(trace));
    });

    test('a schema without $schema is one of JSON Schema 2020-12 (SEP-1613)', async () => {
      const client = await connectInMemory(serverOfAll(), { revision: date });
      const taken = await client.callTool('paired', { pair: [1] });
      assert.deepEqual(taken.content, [{ type: 'text', text: 'taken' }]);
      const refused = await client.callTool('paired', { pair: ['x'] }).then(
        (result) => result.isError,
        () => true,
      );
      assert.equal(refused, true);
      await client.close();
    });

    test('structured content that is no object is also sent as text (SEP-2106)', async () => {
      const raw = await open(serverOfAll(), date);
      assert.equal(textOf(await raw.result('tools/call', { name: 'listed' })), '[1,2]');
    });

    test('a client takes both codes for a resource that is not found (SEP-2164)', async () => {
      for (const code of [-32002, -32602]) {
        const upstream = scriptedUpstream({
          up: date,
          capabilities: { resources: {} },
          answers: { 'resources/read': (sent, peer) => peer.refuse(sent, { code, message: 'no such page' }) },
        });
        const client = await connect(upstream, { revisions: [date] });
        await assert.rejects(client.readResource('a://b'), { name: 'McpError', code, message: 'no such page' });
        await client.close();
      }
    });
  });
