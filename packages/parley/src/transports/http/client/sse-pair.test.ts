import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import type { Channel, ConnectionError } from '../../../jsonrpc/transport.ts';
import {
  answerJson,
  initialize,
  listen,
  notification,
  open,
  response,
  sending,
} from '../../../../../../test/support/http-answers.ts';
import { until } from '../../../../../../test/support/turns.ts';
import { httpTargetOf, openRequests } from './request.ts';
import { SsePairChannel, ssePairTransport } from './sse-pair.ts';
import { httpTransport } from './transport.ts';

/** A server of the older transport, which answers every POST on its stream with `response`. */
interface OldServer {
  readonly requests: string[];
  readonly headers: IncomingMessage['headers'][];
  stream: ServerResponse | undefined;
  handle(incoming: IncomingMessage, outgoing: ServerResponse): void;
}

function oldServer(endpoint: string = '/messages?id=1', status: number = 404): OldServer {
  const server: OldServer = {
    requests: [],
    headers: [],
    stream: undefined,
    handle: (incoming, outgoing) => {
      server.requests.push(`${incoming.method} ${incoming.url}`);
      server.headers.push(incoming.headers);
      if (incoming.method === 'GET') {
        server.stream = outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
        outgoing.write(`: hello\nretry: 5\n\nevent: endpoint\ndata: ${endpoint}\n\n`);
      } else if (incoming.url === '/messages?id=1') {
        outgoing.writeHead(202).end('Accepted');
        server.stream?.write(`event: message\ndata: ${JSON.stringify(response)}\n\n`);
      } else outgoing.writeHead(status, { 'content-type': 'text/html' }).end(`<pre>Cannot POST ${incoming.url}</pre>`);
    },
  };
  return server;
}

for (const [what, status] of [
  ['refused', 404],
  ['answered with a page', 200],
] as const)
  test(`a message that is ${what} behind a proxy which strips a prefix names the address and the cause`, async (t) => {
    const server = oldServer('/messages?id=2', status);
    const url = await listen(t, server.handle);
    const channel = await ssePairTransport(new URL('/tools/v1/sse', url), sending).open({
      message() {},
      problem() {},
      closed() {},
    });
    const { origin } = new URL(url);
    await assert.rejects(channel.send(initialize), {
      reason: 'http',
      status,
      message: `HTTP ${status} from ${origin}/messages; the server at ${origin}/tools/v1/sse gave the address /messages for messages, which lacks /tools/v1: a proxy in front of it may take that off; let the server give /tools/v1/messages`,
    });
    await channel.close();
  });

test('other events may come before the one with the address for messages', async (t) => {
  const sends = (outgoing: ServerResponse, others: number): void => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.write(`${'event: ping\ndata: 1\n\n'.repeat(others)}event: endpoint\ndata: /messages?id=1\n\n`);
  };
  for (const [others, opens] of [
    [100, true],
    [101, false],
  ] as const) {
    const url = await listen(t, (_, outgoing) => sends(outgoing, others));
    const opening = ssePairTransport(url).open({ message() {}, problem() {}, closed() {} });
    if (opens) await (await opening).close();
    else await assert.rejects(opening, { reason: 'invalid-message', message: /did not say where messages go/ });
  }
});

interface OpenedPair {
  readonly channel: Channel;
  readonly heard: unknown[];
  readonly ends: ConnectionError[];
  readonly problems: Error[];
}

async function openPair(t: TestContext, server: OldServer): Promise<OpenedPair> {
  const url = await listen(t, server.handle);
  const [heard, ends, problems]: [unknown[], ConnectionError[], Error[]] = [[], [], []];
  const channel = await ssePairTransport(new URL('/sse', url), sending).open({
    message: (value) => heard.push(value),
    problem: (error) => problems.push(error),
    closed: (error) => ends.push(error),
  });
  t.after(() => channel.close());
  return { channel, heard, ends, problems };
}

for (const status of [400, 403, 404, 405, 406, 415, 422, 501]) {
  test(`a server that answers initialize with ${status} is tried with HTTP+SSE at the same URL [sse-008] [sse-009] [sse-010] [sse-003]`, async (t) => {
    const server = oldServer('/messages?id=1', status);
    const { channel, heard } = await open(t, server.handle);
    await channel.send(initialize);
    await until(() => heard.length === 1);
    await channel.send(notification);
    await channel.listen?.();
    assert.deepEqual(heard[0]?.value, response);
    assert.deepEqual(server.requests, ['POST /mcp', 'GET /mcp', 'POST /messages?id=1', 'POST /messages?id=1']);
    await channel.close();
  });
}

for (const status of [401, 408, 429, 500, 502, 503]) {
  test(`a server that answers initialize with ${status} is not tried with HTTP+SSE [sse-009]`, async (t) => {
    const server = oldServer('/messages?id=1', status);
    const { channel } = await open(t, server.handle);
    await assert.rejects(channel.send(initialize), { status });
    assert.deepEqual(server.requests, ['POST /mcp']);
  });
}

test('a 403 with a challenge is no reason to try HTTP+SSE', async (t) => {
  const methods: unknown[] = [];
  const { channel } = await open(t, ({ method }, outgoing) => {
    methods.push(method);
    outgoing.writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope"' }).end();
  });
  await assert.rejects(channel.send(initialize), { reason: 'unauthorized', status: 403 });
  assert.deepEqual(methods, ['POST']);
});

test('an error of a stateless server is no reason to try HTTP+SSE [sse-010]', async (t) => {
  const methods: unknown[] = [];
  const error = { code: -32022, message: 'no', data: { supported: ['2026-07-28'], requested: '2025-11-25' } };
  const { channel, heard } = await open(t, (incoming, outgoing) => {
    methods.push(incoming.method);
    answerJson(outgoing, { jsonrpc: '2.0', id: 1, error }, 400);
  });
  await channel.send(initialize);
  assert.deepEqual([methods, heard[0]?.value], [['POST'], { jsonrpc: '2.0', id: 1, error }]);
});

test('only initialize leads to HTTP+SSE', async (t) => {
  const server = oldServer();
  const { channel } = await open(t, server.handle);
  await assert.rejects(channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' }), { status: 404 });
  assert.deepEqual(server.requests, ['POST /mcp']);
});

test('where there is no HTTP+SSE either, the refusal of initialize stands', async (t) => {
  const { channel } = await open(t, (incoming, outgoing) => {
    outgoing.writeHead(incoming.method === 'GET' ? 405 : 404).end('nothing here');
  });
  const message = /^HTTP 404 from http:\/\/\S+\/mcp: nothing here; is the path \/mcp that of an MCP server\?$/;
  await assert.rejects(channel.send(initialize), { reason: 'http', status: 404, message });
});

test('where both transports are refused with one status, it is named once', async (t) => {
  const { channel } = await open(t, (_, outgoing) => void outgoing.writeHead(403).end('this host is not allowed'));
  const message = /^HTTP 403 from http:\/\/\S+\/mcp: this host is not allowed$/;
  await assert.rejects(channel.send(initialize), { reason: 'http', status: 403, message });
});

test('a JSON-RPC error of initialize is heard when there is no HTTP+SSE', async (t) => {
  const refusal = { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no' } };
  const { channel, heard } = await open(t, (incoming, outgoing) => {
    if (incoming.method === 'GET') outgoing.writeHead(405).end();
    else answerJson(outgoing, refusal, 400);
  });
  await channel.send(initialize);
  assert.deepEqual(heard[0], { value: refusal, about: { status: 400 } });
});

for (const endpoint of [
  'http://evil.example/messages',
  '//evil.example/messages',
  'https://127.0.0.1/messages',
  'file:///etc/passwd',
]) {
  test(`an endpoint at another origin is refused: ${endpoint}`, async (t) => {
    const server = oldServer(endpoint);
    const { protocol, host, pathname } = new URL(endpoint, 'http://127.0.0.1');
    const given = `gave the address ${protocol}//${host}${pathname} for messages, which is at another origin: a proxy`;
    await assert.rejects(openPair(t, server), ({ reason, message }: ConnectionError) => {
      assert.equal(reason, 'invalid-message');
      assert.ok(message.includes(given), message);
      return true;
    });
    assert.deepEqual(server.requests, ['GET /sse']);
  });
}

test('a client that falls back to HTTP+SSE names both failures, and the endpoint without its session', async (t) => {
  const { channel } = await open(t, oldServer('http://inner.example:8000/messages?id=s3cret').handle);
  await assert.rejects(channel.send(initialize), ({ reason, status, message, cause }: ConnectionError) => {
    assert.deepEqual([reason, status], ['http', 404]);
    const both =
      /^HTTP 404 from (http:\S+); over HTTP\+SSE: \1 gave the address http:\/\/inner\.example:8000\/messages for messages/;
    assert.match(message, both);
    assert.doesNotMatch(message, /s3cret|is the path/);
    assert.match(String(cause), /another origin/);
    return true;
  });
});

for (const [status, words] of [
  [401, '; over HTTP+SSE: '],
  [503, '; over HTTP+SSE: '],
  [406, '; is the path'],
] as const)
  test(`a client that falls back to HTTP+SSE and gets ${status} there says "${words}"`, async (t) => {
    const { channel } = await open(t, (incoming, outgoing) => {
      outgoing.writeHead(incoming.method === 'GET' ? status : 404).end();
    });
    await assert.rejects(channel.send(initialize), ({ message }: ConnectionError) => {
      assert.ok(message.includes(words), message);
      assert.equal(message.includes(`no event stream: HTTP ${status}`), status !== 406);
      return true;
    });
  });

test('a stream that begins with something else is no HTTP+SSE', async (t) => {
  const url = await listen(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${JSON.stringify(notification)}\n\n`);
  });
  const opening = ssePairTransport(url, sending).open({ message: () => {}, problem: () => {}, closed: () => {} });
  await assert.rejects(opening, { reason: 'invalid-message' });
});

test('a stream that never says where to POST is given up', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let asked = false;
  const url = await listen(t, (_incoming, outgoing) => {
    asked = true;
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write(': nothing\n\n');
  });
  const opening = ssePairTransport(url, sending).open({ message: () => {}, problem: () => {}, closed: () => {} });
  let isOver = false;
  const rejected = assert
    .rejects(opening, { reason: 'timeout', message: /did not say within 10000 ms where messages go/ })
    .then(() => (isOver = true));
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  await until(() => asked);
  await settle();
  t.mock.timers.tick(9999);
  await settle();
  assert.equal(isOver, false);
  t.mock.timers.tick(1);
  await rejected;
});

for (const when of ['before it begins', 'meanwhile'])
  test(`the opening of a stream that is given up ${when} ends at once`, async (t) => {
    let asked = false;
    const url = await listen(t, (_incoming, outgoing) => {
      asked = true;
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write(': nothing\n\n');
    });
    const given = new AbortController();
    if (when !== 'meanwhile') given.abort();
    const receiver = { message: () => {}, problem: () => {}, closed: () => {} };
    const requests = await openRequests(httpTargetOf(url, sending), sending);
    const opening = assert.rejects(SsePairChannel.open(requests, receiver, { signal: given.signal }), {
      reason: 'aborted',
    });
    if (when === 'meanwhile') {
      await until(() => asked);
      given.abort();
    }
    await opening;
  });

for (const [status, reason] of [
  [401, 'unauthorized'],
  [404, 'http'],
] as const) {
  test(`a server that refuses the stream with ${status} is ${reason}`, async (t) => {
    const url = await listen(t, (_incoming, outgoing) => void outgoing.writeHead(status).end());
    const opening = ssePairTransport(url, sending).open({ message: () => {}, problem: () => {}, closed: () => {} });
    await assert.rejects(opening, { reason, status });
  });
}

test('a server that is asked for HTTP+SSE is not asked for a stateless revision', async (t) => {
  const server = oldServer();
  const { channel } = await openPair(t, server);
  await assert.rejects(channel.send({ jsonrpc: '2.0', id: 1, method: 'server/discover' }), { status: 404 });
  assert.deepEqual(server.requests, ['GET /sse']);
});

test('the end of the stream is the end of the conversation', async (t) => {
  const server = oldServer();
  const { channel, ends } = await openPair(t, server);
  server.stream?.end();
  await until(() => ends.length > 0);
  assert.deepEqual([ends.length, ends[0]?.reason], [1, 'closed']);
  await assert.rejects(channel.send(notification), { reason: 'closed' });
});

test('closing ends the stream, and is no end from the other side', async (t) => {
  const server = oldServer();
  const { channel, ends } = await openPair(t, server);
  const gone = new Promise((resolve) => server.stream?.on('close', resolve));
  await channel.close();
  await gone;
  assert.deepEqual(ends, []);
});

test('what is no JSON on the stream is a problem, and the conversation lives on', async (t) => {
  const server = oldServer();
  const { channel, heard, problems } = await openPair(t, server);
  server.stream?.write('data: {\n\nevent: other\ndata: {}\n\n');
  await channel.send(initialize);
  await until(() => heard.length > 0);
  assert.deepEqual([heard, problems.length], [[response], 1]);
});

test('a message that is refused fails its sender', async (t) => {
  const server = oldServer('/gone');
  const { channel } = await openPair(t, server);
  await assert.rejects(channel.send(notification), { reason: 'http', status: 404 });
});

test('headers of the user go with the stream and with every message', async (t) => {
  const server = oldServer();
  const url = await listen(t, server.handle);
  const transport = httpTransport(url, { ...sending, headers: { authorization: 'Bearer x' } });
  const channel = await transport.open({ message: () => {}, problem: () => {}, closed: () => {} });
  await channel.send(initialize);
  channel.setHeaders?.({ 'MCP-Protocol-Version': '2025-06-18' });
  await channel.send(notification);
  assert.deepEqual(
    server.headers.map(({ authorization }) => authorization),
    Array.from({ length: 4 }, () => 'Bearer x'),
  );
  assert.equal(server.headers[3]?.['mcp-protocol-version'], '2025-06-18');
  await channel.close();
});

test('a message that grows over the limit ends the conversation', async (t) => {
  const server = oldServer();
  const url = await listen(t, server.handle);
  const ends: ConnectionError[] = [];
  await ssePairTransport(url, { ...sending, maxMessageBytes: 1000 }).open({
    message: () => {},
    problem: () => {},
    closed: (error) => ends.push(error),
  });
  server.stream?.write(`data: "${'a'.repeat(2000)}`);
  await until(() => ends.length > 0);
  assert.equal(ends[0]?.reason, 'too-large');
});
