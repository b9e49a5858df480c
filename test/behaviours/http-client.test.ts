/** What a client puts on HTTP: part 1.3 of the behaviours. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect, httpTransport, type Client, type ConnectOptions } from '../../packages/parley/src/client.ts';
import { createHandler } from '../../packages/parley/src/http.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { revisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { connectScripted, everything, replying } from '../support/scripted-client.ts';
import { turns } from '../support/turns.ts';

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A server that asks its client from within a call, and reports. */
function asking(): Server {
  const server = createServer({ name: 's', version: '1' });
  server.tool('ask', {}, async (_, ctx) => {
    ctx.progress(1);
    return JSON.stringify(await ctx.roots());
  });
  return server;
}

/** Connects over HTTP without a network, and keeps every request that is made. */
async function overHttp(
  date: RevisionDate,
  options: ConnectOptions = {},
): Promise<{ readonly client: Client; readonly sent: readonly Sent[] }> {
  const handler = createHandler(asking());
  const sent: Sent[] = [];
  const transport = httpTransport('http://127.0.0.1/mcp', {
    headers: { authorization: 'Bearer t' },
    fetch(url, request) {
      const { method, headers, body } = request;
      sent.push({ method, headers, body: body === undefined ? undefined : JSON.parse(body) });
      return handler(new Request(url, request));
    },
  });
  const client = await connect(transport, { revisions: [date], roots: [{ uri: 'file:///a' }], ...options });
  return { client, sent };
}

/** Everything that a client sends in a conversation: requests, notifications and answers. */
async function conversation(date: RevisionDate): Promise<readonly Sent[]> {
  const { client, sent } = await overHttp(date);
  await client.listTools();
  await client.callTool('ask', {}, { onProgress: () => {} });
  await client.setRoots([]);
  await client.close();
  return sent;
}

function isResponse(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !('method' in body);
}

for (const { date, era, versionHeader } of revisions.filter(({ http }) => http !== 'sse-pair')) {
  const stateless = era === 'stateless';
  describe(`over HTTP at ${date}, a client`, () => {
    test('POSTs one message at a time, and responses only where servers ask [http-010] [http-011] [http-012] [http-013]', async () => {
      const bodies = (await conversation(date)).filter(({ method }) => method === 'POST').map(({ body }) => body);
      assert.ok(bodies.length > 3);
      for (const body of bodies) assert.ok(!Array.isArray(body));
      assert.equal(bodies.filter(isResponse).length, stateless ? 0 : 1);
    });

    test(`${stateless ? 'never opens' : 'opens'} a stream by GET [C62] [C35]`, async () => {
      const gets = (await conversation(date)).filter(({ method }) => method === 'GET');
      assert.equal(gets.length, stateless ? 0 : 1);
      for (const { headers } of gets) {
        assert.equal(
          headers['mcp-protocol-version'],
          versionHeader === 'never' || date === '2025-03-26' ? undefined : date,
        );
        const mirrored = Object.keys(headers).filter((name) => /^mcp-(method|name|param)/.test(name));
        assert.deepEqual(mirrored, []);
      }
    });

    test('names one version in the header and in the message [http-051] [http-065]', async () => {
      const posts = (await conversation(date)).filter(({ method }) => method === 'POST');
      const later = posts.slice(stateless ? 0 : 1);
      for (const { headers, body } of later) {
        assert.equal(headers['mcp-protocol-version'], versionHeader === 'never' ? undefined : date);
        if (!stateless) continue;
        // Every message of a stateless revision has `_meta`.
        const { params } = body as { readonly params: { readonly _meta: Readonly<Record<string, unknown>> } };
        assert.equal(params._meta[metaKey.protocolVersion], date);
      }
    });
  });

  test(`headers of the protocol at ${date} are none of the transport's [C36]`, async () => {
    const { client, transport } = await connectScripted(replying({ content: [], tools: [] }), { date, kind: 'http' });
    await client.listTools();
    await client.callTool('x', { a: 1 });
    const given = [transport.headers, ...transport.sent.map(({ headers }) => headers)];
    const names = given.flatMap((headers) => Object.keys(headers ?? {}).map((name) => name.toLowerCase()));
    for (const name of names) assert.match(name, /^mcp-(protocol-version|method|name|param-.*)$/);
  });
}

test('the version header is what was settled, not what was asked for [http-051] [C34]', async () => {
  const { client, transport } = await connectScripted(replying({}), { date: '2025-06-18', kind: 'http' });
  const initialize = transport.sent.find(({ message }) => message['method'] === 'initialize');
  assert.partialDeepStrictEqual(initialize?.message['params'], { protocolVersion: '2025-11-25' });
  assert.deepEqual(transport.headers, { 'MCP-Protocol-Version': '2025-06-18' });
  assert.equal(client.revision, '2025-06-18');
});

for (const kind of ['http', 'stdio', 'memory'] as const) {
  test(`nothing is answered over ${kind} at a stateless revision [C96] [http-013] [stdio-006]`, async () => {
    const date = '2026-07-28';
    const options: ConnectOptions = { roots: [], onSample: () => 'x', onElicit: () => 'decline' };
    const one = await connectScripted(() => {}, { date, kind, capabilities: everything, connect: options });
    const before = one.transport.sent.length;
    for (const method of ['ping', 'roots/list', 'sampling/createMessage', 'nonsense'])
      one.peer.send({ jsonrpc: '2.0', id: method, method, params: {} });
    await turns();
    assert.equal(one.transport.sent.length, before);
    assert.equal(one.warnings.length, 4);
  });
}

for (const status of [413, 431]) {
  test(`a refusal of large headers or bodies by ${status} is an error with its status [http-105]`, async () => {
    const transport = httpTransport('http://127.0.0.1/mcp', {
      fetch: async () => new Response('too large', { status }),
    });
    await assert.rejects(connect(transport, { revisions: ['2025-11-25'] }), { reason: 'http', status });
  });
}

test('a transport is told with each message what goes beside it, and when it is given up [C02]', async () => {
  const tool = {
    name: 'x',
    inputSchema: { type: 'object', properties: { r: { type: 'string', 'x-mcp-header': 'R' } } },
  };
  const one = await connectScripted(
    (sent, peer) => (sent.message['method'] === 'tools/list' ? peer.reply(sent, { tools: [tool] }) : undefined),
    { date: '2026-07-28', kind: 'http' },
  );
  await one.client.listTools();
  const controller = new AbortController();
  const given = assert.rejects(one.client.callTool('x', { r: 'eu' }, { signal: controller.signal }));
  const kept = one.client.callTool('x', { r: 'us' });
  await turns();
  const [first, second] = one.transport.sent.slice(-2);
  assert.deepEqual([first?.headers['Mcp-Param-R'], second?.headers['Mcp-Param-R']], ['eu', 'us']);
  controller.abort();
  await given;
  assert.deepEqual([first?.signal?.aborted, second?.signal?.aborted], [true, false]);
  kept.catch(() => undefined);
  await one.client.close();
});
