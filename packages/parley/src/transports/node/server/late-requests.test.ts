/** Requests that a server had no time to read. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { NodeRequest } from './request.ts';
import { answerUnreadable } from './unreadable.ts';

interface Scene {
  readonly socket: Socket;
  /** What the server sent. */
  readonly text: () => string;
  /** Lets the server find that the request of the connection is late, as Node does after a pause of its process. */
  late(): void;
  readonly until: (pattern: RegExp) => Promise<void>;
  readonly requests: string[];
}

async function scene(t: TestContext): Promise<Scene> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end('answered');
  });
  server.on('clientError', answerUnreadable);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address that is an object.
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection');
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  t.after(() => socket.destroy());
  let text = '';
  socket.on('data', (piece: string) => (text += piece));
  await once(socket, 'connect');
  const [ofServer] = (await connected) as [Socket];
  return {
    socket,
    text: () => text,
    requests,
    late: () => {
      server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), ofServer);
    },
    until: async (pattern) => {
      while (!pattern.test(text)) await once(socket, 'data');
    },
  };
}

/** Lets everything be read that has arrived. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const request = 'GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n';

test('a connection without a request is answered with 408', async (t) => {
  const { socket, text, late } = await scene(t);
  late();
  await once(socket, 'end');
  assert.match(text(), /^HTTP\/1\.1 408 .*"request timeout"/s);
});

test('a request that has arrived when its time is over is served', async (t) => {
  const { socket, text, late, until, requests } = await scene(t);
  socket.write(request);
  late();
  await until(/answered/);
  assert.match(text(), /^HTTP\/1\.1 200 /);
  // The next request of the connection has its own time.
  socket.write(request.replace('/a', '/b'));
  late();
  await until(/answered.*answered/s);
  assert.deepEqual(requests, ['/a', '/b']);
});

test('a request that goes on arriving gets more time, once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { socket, text, late } = await scene(t);
  socket.write(request.slice(0, 20));
  late();
  await turns();
  socket.write(request.slice(20, 25));
  late();
  await turns();
  assert.equal(text(), '');
  t.mock.timers.tick(10_000);
  await once(socket, 'end');
  assert.match(text(), /^HTTP\/1\.1 408 /);
});

test('a connection that ends meanwhile leaves nothing behind', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { socket, late } = await scene(t);
  socket.write(request.slice(0, 20));
  late();
  await turns();
  socket.destroy();
  await once(socket, 'close');
  t.mock.timers.tick(10_000);
});

test('a body that has arrived when its time is over is read', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address that is an object.
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => socket.destroy());
  for (const rest of ['345', '34']) {
    const came = once(server, 'request');
    socket.write('POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n12');
    const [message] = (await came) as [IncomingMessage];
    const body = new NodeRequest(message, 1_000).body(100);
    socket.write(rest);
    t.mock.timers.tick(1_000);
    assert.deepEqual(await body, rest === '345' ? { kind: 'text', text: '12345' } : { kind: 'too-slow' });
  }
});
