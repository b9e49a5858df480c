import assert from 'node:assert/strict';
import { createServer, request as httpRequest } from 'node:http';
import { networkInterfaces } from 'node:os';
import { connect as connectSocket, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { fakeEndpoint, type Fake } from '../../../../../../test/support/fake-endpoint.ts';
import { portOf, send } from '../../../../../../test/support/http-entries.ts';
import { until } from '../../../../../../test/support/turns.ts';
import { createServer as createMcpServer } from '../../../server.ts';
import { memoryStore } from '../../../storage/memory/store.ts';
import { StoreError } from '../../../storage/store.ts';
import { listen, toNodeHandler, type Listening, type ListenOptions } from './http.ts';

const stateless = { 'MCP-Protocol-Version': '2026-07-28' };

function call(method: string, id: number = 1, params: Record<string, unknown> = {}): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
}

async function open(t: TestContext, options: ListenOptions = {}): Promise<{ fake: Fake; listening: Listening }> {
  const fake = fakeEndpoint();
  const listening = await listen(fake, { port: 0, drainTimeoutMs: 200, ...options });
  t.after(() => listening.close());
  return { fake, listening };
}

/** Everything that a socket hears until it is closed. */
async function heard(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.on('close', resolve));
  return text;
}

test('a server listens on loopback, and says where [http-005]', async (t) => {
  const { listening } = await open(t);
  assert.equal(listening.url, `http://127.0.0.1:${listening.port}/mcp`);
  const answer = await send(listening.port, { headers: { ...stateless, 'Mcp-Method': 'echo' }, body: call('echo') });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.text)));
});

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ family }) => family === 'IPv6'));

for (const host of ['0.0.0.0', '::', '::1', '0:0:0:0:0:0:0:1', 'localhost', '127.1']) {
  test(`the url of a server on ${host} is one that it answers`, async (t) => {
    if (host.includes(':') && !hasIpv6) return t.skip('this machine has no IPv6');
    const { listening } = await open(t, { host });
    const headers = { ...stateless, 'Mcp-Method': 'echo', 'Content-Type': 'application/json' };
    const response = await fetch(listening.url, { method: 'POST', headers, body: call('echo') });
    assert.equal(response.status, 200, `${listening.url}: ${await response.text()}`);
  });
}

for (const [target, host, status] of [
  ['http://localhost/mcp', 'localhost', 200],
  ['HTTP://127.0.0.1:1/mcp?x=1', 'evil.example', 200],
  ['http://localhost/other', 'localhost', 404],
  ['http://localhost', 'localhost', 404],
  ['http://evil.example/mcp', 'localhost', 403],
  ['http://localhost@evil.example/mcp', 'localhost', 400],
  ['http:///mcp', 'localhost', 400],
] as const) {
  test(`the target ${target} is answered with ${status}, whatever Host says`, async (t) => {
    const { listening } = await open(t);
    const socket = connectSocket(listening.port, '127.0.0.1');
    const body = call('echo');
    const fields = `Host: ${host}\r\nConnection: close\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: echo`;
    socket.write(`POST ${target} HTTP/1.1\r\n${fields}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const answer = await heard(socket);
    assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), answer);
  });
}

for (const none of [Infinity, 0])
  test(`limits of time may be lifted by ${none}`, async (t) => {
    const { listening } = await open(t, {
      bodyTimeoutMs: none,
      headersTimeoutMs: none,
      idleTimeoutMs: none,
      keepAliveIntervalMs: none,
      maxConnections: Infinity,
    });
    const answer = await send(listening.port, { headers: { ...stateless, 'Mcp-Method': 'echo' }, body: call('echo') });
    assert.equal(answer.status, 200);
  });

for (const [what, options, words] of [
  ['a port as text', { port: '3000' }, /port must be an integer from 0 to 65535, not "3000"/],
  ['a port that is none', { port: NaN }, /port must be .*, not NaN/],
  ['an address that is no text', { host: 5 }, /host must be text, not 5/],
  ['a time that is none', { headersTimeoutMs: NaN }, /headersTimeoutMs must be .*, not NaN/],
  ['a negative time', { idleTimeoutMs: -1 }, /idleTimeoutMs must be .*, not -1/],
  ['a number as text', { maxConnections: '5' }, /maxConnections must be .*, not "5"/],
] as const)
  test(`${what} is refused by listen at once, by its name`, async () => {
    await assert.rejects(listen(fakeEndpoint(), options as never), { name: 'TypeError', message: words });
  });

test('a server whose store cannot be used does not begin to listen, and says why', async () => {
  const store = {
    ...memoryStore(),
    check: () => Promise.reject(new StoreError('unavailable', 'the store cannot be reached')),
  };
  const server = createMcpServer({ name: 's', version: '1' }, { store });
  await assert.rejects(listen(server, { port: 0 }), { name: 'StoreError', message: 'the store cannot be reached' });
  await server.close();
});

test('a server whose turns come late refuses most of what is new, with the time to come back, and then no more', async (t) => {
  const { listening } = await open(t, { maxLagMs: 50 });
  const ask = () => send(listening.port, { headers: { ...stateless, 'Mcp-Method': 'echo' }, body: call('echo') });
  assert.equal((await ask()).status, 200);
  const until = performance.now() + 1_000;
  while (performance.now() < until);
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  const refused = answers.find(({ status }) => status === 503);
  assert.ok(Number(refused?.headers['retry-after']) > 0);
  while ((await ask()).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
});

test('a port in use is said to be', async (t) => {
  const { listening } = await open(t);
  await assert.rejects(listen(fakeEndpoint(), { port: listening.port }), {
    message: `cannot listen on 127.0.0.1:${listening.port}: the port is in use`,
  });
});

test('an event stream asks proxies not to hold it back [http-057]', async (t) => {
  const { listening } = await open(t);
  const answer = await send(listening.port, {
    headers: { ...stateless, 'Mcp-Method': 'notify' },
    body: call('notify'),
  });
  assert.equal(answer.headers['content-type'], 'text/event-stream');
  assert.equal(answer.headers['x-accel-buffering'], 'no');
  assert.equal(answer.headers['cache-control'], 'no-cache, no-transform');
  assert.equal(answer.text.split('\n\n').length, 3);
});

for (const [title, value] of [
  ['parsed', JSON.parse(call('echo'))],
  ['as text', call('echo')],
  ['as bytes', Buffer.from(call('echo'))],
] as const) {
  test(`a body that a framework has read is taken ${title}`, async (t) => {
    const handler = toNodeHandler(fakeEndpoint());
    const server = createServer((request, response) => {
      request.resume().on('end', () => handler(Object.assign(request, { body: value }), response));
    });
    const port = await portOf(server);
    t.after(() => server.close());
    const answer = await send(port, { headers: { ...stateless, 'Mcp-Method': 'echo' }, body: call('echo') });
    assert.equal(answer.status, 200, answer.text);
  });
}

test('a body that a framework has parsed may not nest too deep either', async (t) => {
  let value: unknown = 1;
  for (let depth = 0; depth < 1000; depth++) value = [value];
  const handler = toNodeHandler(fakeEndpoint());
  const server = createServer((request, response) => {
    request
      .resume()
      .on('end', () =>
        handler(Object.assign(request, { body: { jsonrpc: '2.0', id: 1, method: 'x', params: { value } } }), response),
      );
  });
  const port = await portOf(server);
  t.after(() => server.close());
  assert.equal((await send(port, { headers: stateless, body: '{}' })).status, 400);
});

test('a body that something else has swallowed is answered, not waited for', async (t) => {
  const handler = toNodeHandler(fakeEndpoint());
  const server = createServer((request, response) => {
    request.resume().on('end', () => setImmediate(() => handler(request, response)));
  });
  const port = await portOf(server);
  t.after(() => server.close());
  const answer = await send(port, { headers: stateless, body: call('echo') });
  assert.equal(answer.status, 500);
  assert.match(answer.text, /mount the handler before body parsers, or leave what they parsed in request\.body/);
});

for (const [title, body, status] of [
  ['is taken from there', JSON.parse(call('echo')) as unknown, 200],
  ['is missed by name where it is not', undefined, 500],
] as const) {
  test(`a body that a framework has read and keeps beside the request of Node ${title}`, async (t) => {
    const errors: Error[] = [];
    const handler = toNodeHandler(fakeEndpoint(), { onError: (error) => errors.push(error) });
    let hijacked = 0;
    // The shape of Fastify 5: `raw` is what Node gave, and the body is read before a route sees it.
    const server = createServer((raw, response) => {
      raw
        .resume()
        .on('end', () => setImmediate(() => handler({ raw, body }, { raw: response, hijack: () => hijacked++ })));
    });
    const port = await portOf(server);
    t.after(() => server.close());
    const answer = await send(port, { headers: { ...stateless, 'Mcp-Method': 'echo' }, body: call('echo') });
    assert.deepEqual([answer.status, hijacked, errors.length], [status, 1, status === 200 ? 0 : 1], answer.text);
  });
}

for (const header of ['Content-Type: application/json', 'Origin: http://localhost']) {
  test(`a repeated header is seen: ${header}`, async (t) => {
    const { listening, fake } = await open(t);
    const socket = connectSocket(listening.port, '127.0.0.1');
    const type = header.startsWith('Content-Type') ? '' : 'Content-Type: application/json\r\n';
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${type}${header}\r\n${header}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    assert.match(await heard(socket), /^HTTP\/1\.1 4(15|03) /);
    assert.equal(fake.received.length, 0);
  });
}

test('a repeated Host is refused', async (t) => {
  const { listening } = await open(t);
  const socket = connectSocket(listening.port, '127.0.0.1');
  socket.write('GET /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
  assert.match(await heard(socket), /^HTTP\/1\.1 400 /);
});

test('what is no HTTP is answered with JSON', async (t) => {
  const { listening } = await open(t);
  const socket = connectSocket(listening.port, '127.0.0.1');
  socket.write('nonsense\r\n\r\n');
  const answer = await heard(socket);
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.match(answer, /\{"jsonrpc":"2\.0","error":/);
});

test('a body that does not arrive in time is answered with 408, and ends its connection', async (t) => {
  const { listening, fake } = await open(t, { bodyTimeoutMs: 20 });
  const socket = connectSocket(listening.port, '127.0.0.1');
  socket.write(
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  );
  const answer = await heard(socket);
  assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n.*the body did not arrive in time/s);
  assert.match(answer, /\r\nConnection: close\r\n/i);
  assert.equal(fake.received.length, 0);
});

test('a large body, or one without a length, that does not arrive in time is answered with 408 as well', async (t) => {
  const { listening } = await open(t, { bodyTimeoutMs: 20 });
  for (const framing of ['Content-Length: 1000000', 'Transfer-Encoding: chunked']) {
    const socket = connectSocket(listening.port, '127.0.0.1');
    socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`);
    assert.match(await heard(socket), /^HTTP\/1\.1 408 /);
  }
});

test('bodies that arrive in pieces at the same time are read apart, each to its own end', async (t) => {
  const { listening } = await open(t);
  // The last two are larger than what is kept to put them together in, and shorter than the one before.
  const texts = ['ä'.repeat(150_000), 'b'.repeat(90_000), 'c'.repeat(3_000_000), 'd'.repeat(200_000)];
  const answers = await Promise.all(
    texts.map((text, at) => {
      const body = call('echo', at + 1, { text });
      return send(listening.port, { headers: { ...stateless, 'Mcp-Method': 'echo' }, body });
    }),
  );
  for (const [at, { text }] of answers.entries()) {
    const { id, result } = JSON.parse(text) as { readonly id: number; readonly result: unknown };
    assert.equal(id, at + 1);
    assert.equal(JSON.stringify(result).includes(JSON.stringify(texts[at])), true);
  }
});

test('a client that breaks off in its body leaves the server unharmed', async (t) => {
  const { listening } = await open(t);
  for (let round = 0; round < 20; round++) {
    const socket = connectSocket(listening.port, '127.0.0.1');
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    socket.on('error', () => undefined);
    setImmediate(() => socket.resetAndDestroy());
  }
  const answer = await send(listening.port, { headers: { ...stateless, 'Mcp-Method': 'echo' }, body: call('echo') });
  assert.equal(answer.status, 200);
});

test('a client that leaves a running request cancels it [http-060]', async (t) => {
  const { listening, fake } = await open(t);
  const outgoing = httpRequest({
    port: listening.port,
    host: '127.0.0.1',
    path: '/mcp',
    method: 'POST',
    agent: false,
    headers: { host: 'localhost', 'content-type': 'application/json', ...stateless, 'mcp-method': 'slow' },
  });
  outgoing.on('error', () => undefined);
  outgoing.end(call('slow'));
  await until(() => fake.conversations.length === 1);
  outgoing.destroy();
  await until(() => fake.conversations[0]?.closed === true);
});

test('a body of 100 MB is refused without being kept', async (t) => {
  const { listening } = await open(t);
  const chunk = Buffer.alloc(1024 * 1024, 0x20);
  const before = process.memoryUsage().arrayBuffers;
  const status = await new Promise<number>((resolve, reject) => {
    const outgoing = httpRequest(
      {
        port: listening.port,
        host: '127.0.0.1',
        path: '/mcp',
        method: 'POST',
        agent: false,
        headers: { host: 'localhost', 'content-type': 'application/json' },
      },
      (incoming) => resolve(incoming.resume().statusCode ?? 0),
    );
    outgoing.on('error', reject);
    let sent = 0;
    const pump = (): void => {
      while (sent++ < 100 && !outgoing.destroyed) if (!outgoing.write(chunk)) return void outgoing.once('drain', pump);
    };
    pump();
  });
  assert.equal(status, 413);
  assert.ok(process.memoryUsage().arrayBuffers - before < 32 * 1024 * 1024);
});

test('closing lets a running request finish and then takes no more', async (t) => {
  const { listening, fake } = await open(t, { drainTimeoutMs: 10_000 });
  const answer = send(listening.port, { headers: { ...stateless, 'Mcp-Method': 'slow' }, body: call('slow') });
  await until(() => fake.conversations.length === 1);
  const closed = listening.close();
  fake.conversations[0]?.release(1);
  assert.equal((await answer).status, 200);
  await closed;
  await assert.rejects(send(listening.port, { body: call('echo') }));
});

test('closing does not wait for ever', async (t) => {
  const { listening, fake } = await open(t, { drainTimeoutMs: 10 });
  const answer = send(listening.port, { headers: { ...stateless, 'Mcp-Method': 'slow' }, body: call('slow') });
  await until(() => fake.conversations.length === 1);
  await listening.close();
  // It ran: nothing invites to send it again.
  const { status, text } = await answer;
  assert.equal(status, 200);
  assert.match(
    text,
    /"code":-32603,"message":"the process that ran the request was stopped; its outcome is not known"/,
  );
  assert.equal(fake.conversations[0]?.closed, true);
  await listening.close();
});

test('a server that is bound to an address may be called by it', async (t) => {
  const { listening } = await open(t, { host: '127.0.0.2' });
  const answer = await fetch(listening.url, {
    method: 'POST',
    headers: { ...stateless, 'content-type': 'application/json', 'mcp-method': 'echo' },
    body: call('echo'),
  });
  assert.equal(answer.status, 200);
});

test('a body that a framework looked at and left alone is read all the same', async (t) => {
  // Parsers of Express 4 leave an empty object behind for every body that they do not parse.
  const handler = toNodeHandler(fakeEndpoint());
  const server = createServer((request, response) => handler(Object.assign(request, { body: {} }), response));
  t.after(() => server.close());
  const headers = { ...stateless, 'Mcp-Method': 'echo' };
  assert.equal((await send(await portOf(server), { headers, body: call('echo') })).status, 200);
});

test('a request without Host is told so in JSON like every other', async (t) => {
  const { listening } = await open(t);
  const socket = connectSocket(listening.port, '127.0.0.1');
  socket.end('GET /mcp HTTP/1.1\r\nConnection: close\r\n\r\n');
  assert.match(await heard(socket), /^HTTP\/1\.1 400 [^]*"code":-32600,"message":"the Host header is missing"/);
});
