/** What stands in front of the listener finds its requests answered as any other listener would answer them. */
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { fakeEndpoint } from '../../../../../test/support/fake-endpoint.ts';
import { portOf, send } from '../../../../../test/support/http-entries.ts';
import { toNodeHandler } from './server/http.ts';
import { NodeReply } from './server/reply.ts';

const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'echo' };

function call(method: string): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } });
}

function request(method: string): string {
  const body = call(method);
  const mirrored = `MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: ${method}`;
  return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${mirrored}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** A connection to a listener, and all that came over it so far. */
async function reach(t: TestContext, listener: RequestListener): Promise<{ socket: Socket; heard: () => string }> {
  const server = createServer(listener);
  const port = await portOf(server);
  t.after(() => server.close());
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  t.after(() => socket.destroy());
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk));
  await once(socket, 'connect');
  return { socket, heard: () => text };
}

test('every answer is written in the context of its own request', async (t) => {
  const context = new AsyncLocalStorage<number>();
  const handler = toNodeHandler(fakeEndpoint());
  const seen: unknown[] = [];
  let count = 0;
  const { socket } = await reach(t, (incoming, response) => {
    const own = ++count;
    response.on('finish', () => {
      seen.push([own, context.getStore()]);
      if (own === 3) socket.end();
    });
    context.run(own, () => handler(incoming, response));
  });
  socket.write(request('echo').repeat(3));
  await once(socket, 'close');
  assert.deepEqual(
    seen,
    [1, 2, 3].map((own) => [own, own]),
  );
});

test('what fails in front of a response fails its answer alone, and is told', async (t) => {
  const told: Error[] = [];
  const handler = toNodeHandler(fakeEndpoint(), { onError: (error) => told.push(error) });
  const { socket, heard } = await reach(t, (incoming, response) => {
    response.end = () => {
      throw new Error('in front');
    };
    handler(incoming, response);
  });
  socket.write(request('echo'));
  await once(socket, 'close');
  assert.equal(heard(), '');
  assert.deepEqual(
    told.map(({ cause }) => (cause as Error | undefined)?.message),
    ['in front'],
  );
});

test('every event of a stream goes through what stands in front of the response', async (t) => {
  const handler = toNodeHandler(fakeEndpoint());
  const written: string[] = [];
  const { socket } = await reach(t, (incoming, response) => {
    const write = response.write.bind(response);
    response.write = (chunk: unknown) => {
      written.push(String(chunk));
      return write(chunk);
    };
    response.on('finish', () => socket.end());
    handler(incoming, response);
  });
  socket.write(request('notify'));
  await once(socket, 'close');
  assert.match(written.join(''), /"working"/);
});

test('what was answered while closing is on its way once it is closed', async (t) => {
  const fake = fakeEndpoint();
  const handler = toNodeHandler(fake);
  const server = createServer(handler);
  const port = await portOf(server);
  t.after(() => server.close());
  const answer = send(port, { headers: { ...headers, 'Mcp-Method': 'slow' }, body: call('slow') });
  while (fake.conversations.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const closed = handler.close();
  fake.conversations[0]?.release(1);
  await closed;
  server.closeAllConnections();
  assert.equal((await answer).status, 200);
});

test('who closes at the same time as somebody else waits no longer', async (t) => {
  const fake = fakeEndpoint();
  const handler = toNodeHandler(fake, { drainTimeoutMs: Number.POSITIVE_INFINITY });
  const { socket } = await reach(t, handler);
  socket.write(request('slow'));
  while (fake.conversations.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const closed = Promise.all([handler.close(), handler.close()]);
  fake.conversations[0]?.release(1);
  await closed;
});

test('a body that something in front has paused is read', async (t) => {
  const handler = toNodeHandler(fakeEndpoint());
  const server = createServer((incoming, response) => handler(incoming.pause(), response));
  const port = await portOf(server);
  t.after(() => server.close());
  assert.equal((await send(port, { headers, body: call('echo') })).status, 200);
});

test('who stands in front hears the end of a body that has been taken', async (t) => {
  const handler = toNodeHandler(fakeEndpoint());
  let ended = 0;
  const { socket, heard } = await reach(t, (incoming, response) => {
    incoming.on('end', () => ended++);
    incoming.on('close', () => socket.end());
    handler(incoming, response);
  });
  socket.write(request('echo'));
  await once(socket, 'close');
  assert.match(heard(), /^HTTP\/1\.1 200 /);
  assert.equal(ended, 1);
});

test('a response that waits for its turn on a connection hears once that the connection ended', () => {
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  // All that either of them does with a socket here is to listen to it.
  const response = new ServerResponse(new IncomingMessage(socket as EventEmitter as Socket));
  const reply = new NodeReply(response);
  let heard = 0;
  reply.onClose(() => heard++);
  assert.equal(reply.closed, false);
  socket.destroyed = true;
  socket.emit('close');
  response.emit('close');
  assert.equal(heard, 1);
  assert.equal(reply.closed, true);
  reply.onClose(() => heard++);
  assert.equal(heard, 2);
  assert.equal(socket.listenerCount('close'), 0);
});

for (const authenticate of [undefined, async () => ({ principal: 'p' })])
  test(`a body that something in front listens to arrives here too${authenticate === undefined ? '' : ', whoever is asked before'}`, async (t) => {
    const fake = fakeEndpoint();
    const handler = toNodeHandler(fake, authenticate && { authenticate });
    let logged = '';
    const { socket, heard } = await reach(t, (incoming, response) => {
      incoming.on('data', (chunk: Buffer) => (logged += chunk.toString()));
      response.setHeader('Connection', 'close');
      handler(incoming, response);
    });
    socket.write(request('echo'));
    await once(socket, 'close');
    assert.match(heard(), /"result":\{"method":"echo"/);
    assert.equal(logged, call('echo'));
  });

test('a response of which even the head cannot be written ends its connection alone', async (t) => {
  const told: Error[] = [];
  const handler = toNodeHandler(fakeEndpoint(), { onError: (error) => told.push(error) });
  const { socket, heard } = await reach(t, (incoming, response) => {
    response.writeHead = () => {
      throw new Error('in front');
    };
    handler(incoming, response);
  });
  socket.write(request('echo'));
  await once(socket, 'close');
  assert.equal(heard(), '');
  assert.deepEqual(
    told.map(({ cause }) => (cause as Error).message),
    ['in front', 'in front'],
  );
});

test('what something in front said of the length holds for no event stream', async (t) => {
  const handler = toNodeHandler(fakeEndpoint());
  const { socket, heard } = await reach(t, (incoming, response) => {
    response.setHeader('Content-Length', '5');
    response.setHeader('Connection', 'close');
    handler(incoming, response);
  });
  socket.write(request('notify'));
  await once(socket, 'close');
  assert.match(heard(), /notified/);
  assert.doesNotMatch(heard(), /^content-length/im);
});
