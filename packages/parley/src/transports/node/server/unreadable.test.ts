/** Connections that bring what is no HTTP, or bring it too slowly. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { fakeEndpoint, type Fake } from '../../../../../../test/support/fake-endpoint.ts';
import { listen, type ListenOptions } from './http.ts';

/** A connection that does not end when its peer does, and what came on it. */
async function line(
  t: TestContext,
  options: ListenOptions = {},
  fake: Fake = fakeEndpoint(),
): Promise<{
  readonly fake: Fake;
  readonly socket: Socket;
  readonly port: number;
  readonly text: () => string;
  readonly until: (pattern: RegExp) => Promise<void>;
  /** Resolves once the server has let go of the connection: what is sent then is answered with a reset. */
  readonly gone: () => Promise<void>;
}> {
  const { port, close } = await listen(fake, { port: 0, drainTimeoutMs: 100, ...options });
  t.after(() => close());
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('utf8');
  t.after(() => socket.destroy());
  let text = '';
  socket.on('data', (piece: string) => (text += piece));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return {
    fake,
    socket,
    port,
    text: () => text,
    until: async (pattern) => {
      while (!pattern.test(text)) await once(socket, 'data');
    },
    gone: async () => {
      const knock = setInterval(() => socket.write('x'), 50);
      await new Promise((resolve) => socket.once('close', resolve));
      clearInterval(knock);
    },
  };
}

const head = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

test('a peer that ignores the end of its connection after a header time-out loses its place all the same', async (t) => {
  const { socket, port, text, gone } = await line(t, { headersTimeoutMs: 100, maxConnections: 1 });
  socket.write(head);
  await once(socket, 'end');
  assert.match(text(), /^HTTP\/1\.1 408 /);
  // It keeps its side open; the server does not wait for it.
  await gone();
  const next = connect(port, '127.0.0.1').setEncoding('utf8');
  t.after(() => next.destroy());
  next.write('GET /other HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  const [answer] = (await once(next, 'data')) as [string];
  assert.match(answer, /^HTTP\/1\.1 404 /);
});

test('what is no HTTP is answered in JSON, and its connection ends', async (t) => {
  const { socket, text, gone } = await line(t);
  socket.write('what is this\r\n\r\n');
  await once(socket, 'end');
  assert.match(text(), /^HTTP\/1\.1 400 Bad Request\r\n.*\r\n\r\n\{"jsonrpc":"2\.0","error":\{[^\r]*\}$/s);
  await gone();
});

test('nothing is written into an event stream that has begun', async (t) => {
  const { socket, text, until } = await line(t, { keepAliveIntervalMs: 60_000 });
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta } });
  const named = `${head}Accept: text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n`;
  socket.write(`${named}Content-Length: ${body.length}\r\n\r\n${body}`);
  await until(/acknowledged/);
  const before = text();
  const closed = once(socket, 'close');
  socket.write('what is this\r\n\r\n');
  await Promise.race([once(socket, 'end'), closed]);
  assert.equal(text(), before);
});

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
});

function heads(text: string): string[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
}

test('a body that is longer than its Content-Length is answered with 400', async (t) => {
  const { socket, text } = await line(t);
  socket.write(`${head}Content-Length: ${initialize.length - 9}\r\n\r\n${initialize}\r\n\r\n`);
  await once(socket, 'end');
  assert.deepEqual(heads(text()), ['400', '400']);
  assert.match(text(), /the body is not JSON.*bad request/s);
});

test('a request before invalid HTTP gets its own answer first', async (t) => {
  const { socket, text } = await line(t);
  socket.write(`${head}Content-Length: ${initialize.length}\r\n\r\n${initialize}what is this\r\n\r\n`);
  await once(socket, 'end');
  assert.match(text(), /^HTTP\/1\.1 200 .*"protocolVersion".*HTTP\/1\.1 400 .*bad request/s);
});

test('a request that runs when invalid HTTP follows gets its own answer first', async (t) => {
  const { socket, text, until, fake } = await line(t);
  socket.write(`${head}Content-Length: ${initialize.length}\r\n\r\n${initialize}`);
  await until(/"protocolVersion"/);
  const session = /mcp-session-id: (\S+)/i.exec(text())?.[1] ?? '';
  const slow = '{"jsonrpc":"2.0","id":2,"method":"slow"}';
  socket.write(`${head}Mcp-Session-Id: ${session}\r\nContent-Length: ${slow.length}\r\n\r\n${slow}`);
  const [conversation] = fake.conversations;
  while (conversation?.waiting.length !== 1) await new Promise((resolve) => setImmediate(resolve));
  socket.write('what is this\r\n\r\n');
  // A second request of the same kind comes after it, so that the server has read both.
  const other = await line(t, {}, fake);
  other.socket.write('what is this\r\n\r\n');
  await once(other.socket, 'end');
  assert.deepEqual(heads(text()), ['200']);
  conversation.release(2);
  await once(socket, 'end');
  assert.deepEqual(heads(text()), ['200', '200', '400']);
});

test('a request whose last bytes come together with invalid HTTP is not served', async (t) => {
  const { socket, text, fake } = await line(t);
  socket.write(`${head}Content-Length: ${initialize.length}\r\n\r\n${initialize.slice(0, 9)}`);
  // Until its head is read, all of it would come at once.
  const other = await line(t, {}, fake);
  other.socket.write('what is this\r\n\r\n');
  await once(other.socket, 'end');
  socket.write(`${initialize.slice(9)}what is this\r\n\r\n`);
  await once(socket, 'end');
  assert.deepEqual([heads(text()), fake.received], [['400'], []]);
});

test('a body whose chunks are malformed is answered', async (t) => {
  const { socket, text } = await line(t);
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
  await once(socket, 'end');
  assert.match(text(), /^HTTP\/1\.1 400 /);
});
