import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import {
  answerJson,
  initialize,
  listen,
  request,
  response,
  sending,
} from '../../../../../../test/support/http-answers.ts';
import { hurried } from '../../../../../../test/support/hurried.ts';
import { connect } from '../../../client.ts';
import { httpTransport } from './transport.ts';

/** A server of 2025-11-25 that asks within a call, answers 404 to what is answered, and ends the call a moment later. */
async function served(
  t: TestContext,
  session: string | undefined,
): Promise<{ readonly url: string; readonly opened: () => number; readonly deleted: readonly unknown[] }> {
  let opened = 0;
  const deleted: unknown[] = [];
  const server = createServer(async (request, answer) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { id, method } = JSON.parse(text || '{}') as { readonly id?: number; readonly method?: string };
    const reply = (result: object): string => JSON.stringify({ jsonrpc: '2.0', id, result });
    const headers = session === undefined ? {} : { 'mcp-session-id': `${session}-${opened + 1}` };
    if (request.method === 'GET') return void answer.writeHead(405).end();
    if (request.method === 'DELETE') deleted.push(request.headers['mcp-session-id']);
    if (method === 'tools/list') return void answer.writeHead(404).end();
    if (method === 'initialize') {
      opened++;
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      };
      return void answer.writeHead(200, { 'content-type': 'application/json', ...headers }).end(reply(result));
    }
    if (method === 'tools/call') {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      answer.write('data: {"jsonrpc":"2.0","id":"q","method":"ping"}\n\n');
      const end = setTimeout(() => answer.end(`data: ${reply({ content: [] })}\n\n`), 300);
      return void answer.once('close', () => clearTimeout(end));
    }
    if (method === 'ping') return void answer.writeHead(200, { 'content-type': 'application/json' }).end(reply({}));
    const isAnswer = method === undefined && request.method === 'POST';
    return void answer.writeHead(isAnswer ? 404 : 202).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, opened: () => opened, deleted };
}

test('404 to an answer in a session says that the session is gone: the call fails at once, and a new one begins', async (t) => {
  const { url, opened } = await served(t, 'session');
  const client = await connect(url, { revisions: ['2025-11-25'] });
  t.after(() => client.close());
  await assert.rejects(client.callTool('x'), { reason: 'session-lost' });
  await client.ping().catch(() => undefined);
  assert.equal(opened(), 2);
});

test('404 from a server that answered initialize casts no doubt on its path', async (t) => {
  const { url } = await served(t, undefined);
  const client = await connect(url, { revisions: ['2025-11-25'] });
  t.after(() => client.close());
  await assert.rejects(client.listTools(), { status: 404, message: `HTTP 404 from ${url}` });
});

test('404 to an answer where there is no session says nothing of the call', async (t) => {
  const { url, opened } = await served(t, undefined);
  const client = await connect(url, { revisions: ['2025-11-25'], onWarning: () => undefined });
  t.after(() => client.close());
  assert.deepEqual((await client.callTool('x')).content, []);
  assert.equal(opened(), 1);
});

test('a session that the server does not know is not ended, and the one after it is', async (t) => {
  // What does no harm twice was asked in the second one too, which is lost likewise.
  for (const [method, last] of [
    ['tools/call', '2'],
    ['tools/list', '3'],
  ] as const) {
    const { url, deleted } = await served(t, method);
    const client = await connect(url, { revisions: ['2025-11-25'] });
    await assert.rejects(client.request(method, { name: 'x' }), { reason: 'session-lost' });
    await client.ping().catch(() => undefined);
    await client.close();
    assert.deepEqual(deleted, [`${method}-${last}`]);
  }
});

test('a session whose stream could not be taken up is ended by a DELETE all the same', async (t) => {
  hurried(t);
  const methods: (string | undefined)[] = [];
  const url = await listen(t, (incoming, outgoing) => {
    methods.push(incoming.method);
    if (incoming.method !== 'POST') return void outgoing.writeHead(503).end();
    if (methods.length === 1) return answerJson(outgoing, response, 200, { 'mcp-session-id': 's' });
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 1\nid: 7\ndata:\n\n');
  });
  const channel = await httpTransport(url, sending).open({ message() {}, problem() {}, closed() {} });
  await channel.send(initialize);
  await assert.rejects(channel.send(request), { reason: 'closed' });
  await channel.close();
  assert.deepEqual(methods, ['POST', 'POST', 'GET', 'GET', 'GET', 'GET', 'GET', 'DELETE']);
});

test('a session that answers after it seemed lost is ended by a DELETE', async (t) => {
  const methods: (string | undefined)[] = [];
  let isAway = false;
  const url = await listen(t, (incoming, outgoing) => {
    methods.push(incoming.method);
    if (isAway) return void outgoing.writeHead(404).end();
    answerJson(outgoing, response, 200, { 'mcp-session-id': 's' });
  });
  const channel = await httpTransport(url, sending).open({ message() {}, problem() {}, closed() {} });
  await channel.send(initialize);
  isAway = true;
  await assert.rejects(channel.send(request));
  isAway = false;
  await channel.send(request);
  await channel.close();
  // The third one is the question whether the server knows the session.
  assert.deepEqual(methods, ['POST', 'POST', 'POST', 'POST', 'DELETE']);
});

for (const status of [404, 400] as const)
  test(`a session whose stream is taken up and answered ${status}, as one that is gone, is not ended by a DELETE`, async (t) => {
    const methods: (string | undefined)[] = [];
    const url = await listen(t, (incoming, outgoing) => {
      methods.push(incoming.method);
      if (incoming.method !== 'POST' || methods.length > 2) return void outgoing.writeHead(status).end();
      if (methods.length === 1) return answerJson(outgoing, response, 200, { 'mcp-session-id': 's' });
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 1\nid: 7\ndata:\n\n');
    });
    const receiver = { message: () => {}, problem: () => {}, closed: () => {} };
    const channel = await httpTransport(url, sending).open(receiver);
    await channel.send(initialize);
    // The pause does not keep the process alive; this does.
    const alive = setInterval(() => {}, 1_000);
    await assert.rejects(channel.send(request));
    await channel.close();
    clearInterval(alive);
    // For 404 the server needs no question.
    assert.deepEqual(methods, ['POST', 'POST', 'GET', ...(status === 404 ? [] : ['POST'])]);
  });

for (const status of [404, 400] as const)
  test(`a session whose stream for messages of the server is answered ${status}, as one that is gone, is not ended by a DELETE`, async (t) => {
    const methods: (string | undefined)[] = [];
    const url = await listen(t, (incoming, outgoing) => {
      methods.push(incoming.method);
      if (methods.length === 1) return answerJson(outgoing, response, 200, { 'mcp-session-id': 's' });
      if (methods.length > 2) return void outgoing.writeHead(status).end();
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 1\nid: 7\ndata:\n\n');
    });
    let answered = (): void => undefined;
    const isGone = new Promise<void>((resolve) => (answered = resolve));
    const send = globalThis.fetch;
    const fetch: typeof send = async (input, init) => {
      const answer = await send(input, init);
      if (answer.status === status && (status === 404 || init?.method === 'POST')) answered();
      return answer;
    };
    const channel = await httpTransport(url, { fetch }).open({ message() {}, problem() {}, closed() {} });
    await channel.send(initialize);
    await channel.listen?.();
    // The pause does not keep the process alive; this does.
    const alive = setInterval(() => {}, 1_000);
    await isGone;
    // Before it asks once more.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    await channel.close();
    clearInterval(alive);
    assert.deepEqual(methods, ['POST', 'GET', 'GET', ...(status === 404 ? [] : ['POST'])]);
  });

for (const [status, reason] of [
  [400, 'http'],
  [401, 'unauthorized'],
  [404, 'http'],
] as const)
  test(`a call that a server without sessions answers with ${status} fails with its body, and is sent once`, async (t) => {
    const methods: unknown[] = [];
    const url = await listen(t, async (incoming, outgoing) => {
      let text = '';
      for await (const chunk of incoming) text += String(chunk);
      if (incoming.method !== 'POST') return void outgoing.writeHead(405).end();
      const { id, method } = JSON.parse(text) as { readonly id?: number; readonly method: string };
      methods.push(method);
      const serverInfo = { name: 's', version: '1' };
      const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
      if (method === 'initialize') answerJson(outgoing, { jsonrpc: '2.0', id, result });
      else if (id === undefined) outgoing.writeHead(202).end();
      else answerJson(outgoing, { message: 'no customer 7' }, status);
    });
    const client = await connect(url, { ...sending, revisions: ['2025-06-18'], sessionLost: 'repeat' });
    t.after(() => client.close());
    await assert.rejects(client.callTool('x'), { reason, status, body: '{"message":"no customer 7"}' });
    assert.deepEqual(methods, ['initialize', 'notifications/initialized', 'tools/call']);
  });

test('a call under way when GET shows that the session is lost is repeated if its own response says that it did not run', async (t) => {
  let sessions = 0;
  let isOver = false;
  let endStream = (): void => undefined;
  let showLost = (): void => undefined;
  const isLost = new Promise<void>((resolve) => (showLost = resolve));
  const answer = (id: unknown, result: object, headers: Readonly<Record<string, string>> = {}): Response =>
    Response.json({ jsonrpc: '2.0', id, result }, { headers });
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const session = new Headers(init?.headers).get('mcp-session-id');
    const { id, method } = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as {
      readonly id?: unknown;
      readonly method?: string;
    };
    if (method === 'initialize') {
      const serverInfo = { name: 's', version: '1' };
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
      return answer(id, result, { 'mcp-session-id': `s${++sessions}` });
    }
    if (init?.method === 'GET' && session === 's1') {
      if (isOver) {
        setImmediate(showLost);
        return new Response(null, { status: 404 });
      }
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('retry: 1\n\n'));
          endStream = () => {
            isOver = true;
            controller.close();
          };
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    }
    if (init?.method === 'GET') return new Response(null, { status: 405 });
    if (method !== 'tools/call') return new Response(null, { status: session === 's1' && isOver ? 404 : 202 });
    if (session !== 's1') return answer(id, { content: [{ type: 'text', text: 'again' }] });
    endStream();
    await isLost;
    return new Response(null, { status: 404 });
  };
  const client = await connect('http://127.0.0.1/mcp', { fetch, revisions: ['2025-11-25'], sessionLost: 'repeat' });
  t.after(() => client.close());
  assert.deepEqual((await client.callTool('x')).content, [{ type: 'text', text: 'again' }]);
  assert.equal(sessions, 2);
});
