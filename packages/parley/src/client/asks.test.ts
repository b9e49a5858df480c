import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHandler } from '../transports/http/server/fetch.ts';
import { httpTransport } from '../transports/http/client/transport.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import { revisions } from '../protocol/revision.ts';
import { createServer, type Server } from '../server/server.ts';
import { createConnect } from './connect.ts';
import type { ConnectOptions } from './api/options.ts';

function createAgent(): Server {
  const server = createServer({ name: 'agent', version: '1.0.0' });
  const places = async (ctx: { roots(): Promise<readonly { readonly uri: string }[]> }) =>
    (await ctx.roots()).map(({ uri }) => uri).join();
  server.tool('plan', {}, async (_, ctx) => {
    const [found, said] = await Promise.all([
      places(ctx),
      ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 9 }),
    ]);
    return `${found} ${JSON.stringify(said.content)}`;
  });
  server.tool('order', {}, async (_, ctx) => {
    const schema = {
      type: 'object',
      properties: { size: { type: 'integer', default: 3 } },
      required: ['size'],
    } as const;
    const answer = await ctx.elicit({ message: 'Which size?', schema });
    return JSON.stringify(answer);
  });
  server.tool('pay', {}, async (_, ctx) => {
    const { action, completed } = await ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example/' });
    completed();
    return action;
  });
  server.resource('agent:here', { name: 'here' }, (_uri, ctx) => places(ctx));
  server.prompt('ask', {}, (_args, ctx) => places(ctx));
  return server;
}

const ways: Readonly<Record<string, (server: Server) => Transport>> = {
  memory: (server) => memoryTransport(server),
  HTTP(server) {
    const handler = createHandler(server);
    return httpTransport('http://127.0.0.1/mcp', { fetch: (url, request) => handler(new Request(url, request)) });
  },
};

for (const [way, reach] of Object.entries(ways)) {
  for (const { date, http, elicitation, serverRequests } of revisions) {
    if (way === 'HTTP' && http === 'sse-pair') continue;
    describe(`a server that asks over ${way} at ${date}`, () => {
      const connected = (options: ConnectOptions) =>
        createConnect({ http: (url) => httpTransport(url) })(reach(createAgent()), { ...options, revisions: [date] });
      const textOf = ({ content }: { readonly content: readonly unknown[] }) =>
        (content[0] as { readonly text?: string }).text;

      it('gets roots and messages in tools, resources and prompts [mrtr-017] [mrtr-027]', async () => {
        const client = await connected({ roots: [{ uri: 'file:///a' }], onSample: () => 'hm' });
        assert.equal(textOf(await client.callTool('plan')), 'file:///a {"type":"text","text":"hm"}');
        assert.deepEqual((await client.readResource('agent:here')).contents, [
          { uri: 'agent:here', text: 'file:///a' },
        ]);
        assert.deepEqual((await client.getPrompt('ask')).messages[0]?.content, { type: 'text', text: 'file:///a' });
        await client.close();
      });

      it(`${way === 'HTTP' && serverRequests ? 'says' : 'need not say'} within which request it asks`, async () => {
        const client = await connected({
          roots: ({ request }) => [{ uri: `file:///${request ?? 'somewhere'}` }],
          onSample: () => 'hm',
        });
        const calls = [1, 2, 3].map(async () => {
          let id: number | undefined;
          const found = textOf(await client.callTool('plan', {}, { onSent: (sent) => (id ??= sent) }));
          const named = way === 'HTTP' && serverRequests ? id : 'somewhere';
          assert.equal(found, `file:///${named} {"type":"text","text":"hm"}`);
          return id;
        });
        assert.equal(new Set(await Promise.all(calls)).size, 3);
        await client.close();
      });

      if (elicitation === 'none') return;
      it('gets forms filled in [elicit-022]', async () => {
        for (const [answer, heard] of [
          [
            { action: 'accept', content: { size: 5 } },
            { action: 'accept', content: { size: 5 } },
          ],
          ['decline', { action: 'decline' }],
        ] as const) {
          const client = await connected({ onElicit: () => answer });
          assert.deepEqual(JSON.parse(textOf(await client.callTool('order')) ?? ''), heard);
          await client.close();
        }
      });

      if (elicitation === 'form') return;
      it('gets pages visited, and says when that is over [C53]', async () => {
        const over: string[] = [];
        const client = await connected({
          onElicitUrl: () => 'accept',
          onElicitationComplete: (id) => void over.push(id),
        });
        assert.equal(textOf(await client.callTool('pay')), 'accept');
        if (way === 'memory') assert.equal(over.length, serverRequests ? 1 : 0);
        await client.close();
      });
    });
  }
}
