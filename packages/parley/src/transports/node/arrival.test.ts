/** How requests arrive and streams leave, byte by byte. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { fakeEndpoint } from '../../../../../test/support/fake-endpoint.ts';
import { portOf, send } from '../../../../../test/support/http-entries.ts';
import { listen, toNodeHandler, type ListenOptions } from './server/http.ts';

const stateless = { 'MCP-Protocol-Version': '2026-07-28' };

function call(method: string, params: Record<string, unknown> = {}): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
}

/** The head of a request whose body is framed as one line says, or has no frame at all. */
function head(method: string, framing: string, version: string = '1.1'): string {
  const mirrored = `MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: ${method}\r\n`;
  return `POST /mcp HTTP/${version}\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n${mirrored}${framing}\r\n\r\n`;
}

function sized(body: string): string {
  return `Content-Length: ${Buffer.byteLength(body)}`;
}

function inChunks(...pieces: readonly string[]): string {
  return [...pieces, ''].map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`).join('');
}

/** Sends pieces one after the other and gives all that is answered. */
async function exchange(t: TestContext, pieces: readonly string[], options: ListenOptions = {}): Promise<string> {
  const { port, close } = await listen(fakeEndpoint(), { port: 0, drainTimeoutMs: 200, ...options });
  t.after(() => close());
  const socket: Socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('utf8');
  let answer = '';
  socket.on('data', (text: string) => (answer += text));
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  for (const piece of pieces) {
    socket.write(piece);
    for (let round = 0; round < 5; round++) await turn();
  }
  await closed;
  return answer;
}

const echo = call('echo', { text: 'größer 🎈' });
const half = echo.length / 2;

for (const [title, pieces] of [
  ['together with its head', [head('echo', sized(echo)) + echo]],
  ['after its head', [head('echo', sized(echo)), echo]],
  ['piece by piece', [head('echo', sized(echo)) + echo.slice(0, half), echo.slice(half)]],
  ['in chunks together with its head', [head('echo', 'Transfer-Encoding: chunked') + inChunks('{', echo.slice(1))]],
  ['in chunks after its head', [head('echo', 'Transfer-Encoding: chunked'), inChunks('{', echo.slice(1))]],
] as const) {
  test(`a body is read that comes ${title}`, async (t) => {
    const answer = await exchange(t, pieces);
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.match(answer, /größer 🎈/);
  });

  test(`a body that is too large is refused that comes ${title}`, async (t) => {
    assert.match(await exchange(t, pieces, { maxBodyBytes: 64 }), /^HTTP\/1\.1 413 /);
  });
}

for (const [title, limit, status] of [
  ['is read', undefined, 200],
  ['is refused where it is too large', 64, 413],
] as const) {
  test(`a body without a length that came while it was asked who sends it ${title}`, async (t) => {
    const pieces = [head('echo', 'Transfer-Encoding: chunked') + inChunks('{', echo.slice(1))];
    const answer = await exchange(t, pieces, {
      maxBodyBytes: limit ?? 4096,
      authenticate: async () => {
        for (let round = 0; round < 3; round++) await turn();
        return { principal: 'anna' };
      },
    });
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
  });
}

test('a body that is empty is answered', async (t) => {
  assert.match(await exchange(t, [head('echo', 'Content-Length: 0')]), /^HTTP\/1\.1 400 /);
});

test('the next request on a connection is read after a body that came together with its head', async (t) => {
  const first = head('echo', sized(echo)).replace('Connection: close\r\n', '') + echo;
  const answer = await exchange(t, [first, head('echo', sized(echo)) + echo]);
  assert.equal(answer.match(/HTTP\/1\.1 200 /g)?.length, 2);
});

test('the events of a stream arrive whole, whatever their characters', async (t) => {
  const { port, close } = await listen(fakeEndpoint(), { port: 0 });
  t.after(() => close());
  const data = 'größer 🎈\n'.repeat(1000);
  const answer = await send(port, {
    headers: { ...stateless, 'Mcp-Method': 'notify' },
    body: call('notify', { data }),
  });
  const [first = '', second = '', rest] = answer.text.split('\n\n');
  assert.deepEqual(JSON.parse(first.slice('data: '.length)), {
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { data },
  });
  assert.deepEqual(JSON.parse(second.slice('data: '.length)), { jsonrpc: '2.0', id: 1, result: { notified: true } });
  assert.equal(rest, '');
});

test('a client of HTTP/1.0 gets a stream without frames', async (t) => {
  const body = call('notify');
  const answer = await exchange(t, [head('notify', sized(body), '1.0') + body]);
  const at = answer.indexOf('\r\n\r\n');
  assert.doesNotMatch(answer.slice(0, at), /transfer-encoding/i);
  assert.match(answer.slice(at + 4), /^data: \{.*\}\n\ndata: \{.*\}\n\n$/);
});

test('a stream waits for the answer to the request before it on the connection', async (t) => {
  const slow = call('notify', { data: 'first' });
  const next = call('notify', { data: 'second' });
  const first = head('notify', sized(slow)).replace('Connection: close\r\n', '') + slow;
  const answer = await exchange(t, [first + head('notify', sized(next)) + next]);
  assert.ok(answer.indexOf('first') > 0 && answer.indexOf('first') < answer.indexOf('second'), answer);
  assert.equal(answer.match(/"notified":true/g)?.length, 2);
});

test('who is in front of the listener finds the head of a request there after its stream has begun', async (t) => {
  const handler = toNodeHandler(fakeEndpoint());
  let seen: IncomingMessage | undefined;
  const server = createServer((request, response) => {
    seen = request;
    handler(request, response);
  });
  const port = await portOf(server);
  t.after(() => server.close());
  await send(port, { headers: { ...stateless, 'Mcp-Method': 'notify' }, body: call('notify') });
  assert.equal(seen?.headers['mcp-method'], 'notify');
});

test('20 pipelined requests warn of nothing, and hear of the end of their connection', async (t) => {
  const warnings: Error[] = [];
  const hear = (warning: Error): void => void warnings.push(warning);
  process.on('warning', hear);
  t.after(() => process.off('warning', hear));
  const fake = fakeEndpoint();
  const { port, close } = await listen(fake, { port: 0, drainTimeoutMs: 200 });
  t.after(() => close());
  const slow = call('slow');
  const one = head('slow', sized(slow)).replace('Connection: close\r\n', '') + slow;
  const socket = connect(port, '127.0.0.1');
  socket.write(one.repeat(20));
  while (fake.conversations.length < 20) await turn();
  socket.destroy();
  while (fake.conversations.some(({ closed }) => !closed)) await turn();
  // A warning is told in a turn of its own.
  await turn();
  assert.deepEqual(warnings, []);
});
