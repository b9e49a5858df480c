import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { listen } from '../../../node.ts';
import { createServer } from '../../../server.ts';
import { meta, newest } from '../../../../../../test/support/stateless-call.ts';

/** More than a system keeps of what nobody reads. */
const large = 24 * 1024 * 1024;

const started = 'http.server.request.start';

interface Stalled {
  readonly socket: Socket;
  /** The responses of the server, in order. */
  readonly responses: readonly ServerResponse[];
}

/** A client that sends calls on one connection and reads nothing, once the server has begun the last of them. */
async function stalled(t: TestContext, idleTimeoutMs: number, ...tools: string[]): Promise<Stalled> {
  const server = createServer({ name: 's', version: '1' });
  server.tool('large', {}, () => 'x'.repeat(large));
  server.tool('logged', {}, (_, ctx) => {
    ctx.log('info', 'before');
    return 'x'.repeat(large);
  });
  server.tool('small', {}, () => 'x');
  const { port, close } = await listen(server, { port: 0, idleTimeoutMs });
  const socket = connect(port, '127.0.0.1').pause();
  t.after(async () => {
    socket.destroy();
    await close({ drainTimeoutMs: 0 });
    await server.close();
  });
  return { socket, responses: await begun(socket, tools) };
}

async function begun(socket: Socket, tools: readonly string[]): Promise<readonly ServerResponse[]> {
  const responses: ServerResponse[] = [];
  let listener = (_: unknown): void => {};
  const all = new Promise<void>((resolve) => {
    listener = (message) => {
      // Node publishes the response under this name.
      responses.push((message as { readonly response: ServerResponse }).response);
      if (responses.length === tools.length) resolve();
    };
  });
  subscribe(started, listener);
  for (const [id, name] of tools.entries()) socket.write(request(id, name));
  await all;
  unsubscribe(started, listener);
  return responses;
}

function request(id: number, name: string): string {
  const _meta = { ...meta(), 'io.modelcontextprotocol/logLevel': 'info' };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {}, _meta } });
  const head = [
    'POST /mcp HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${newest}`,
    'Mcp-Method: tools/call',
    `Mcp-Name: ${name}`,
    `Content-Length: ${body.length}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

for (const [what, tools] of [
  ['a whole answer', ['large']],
  ['the end of a stream', ['logged']],
  ['the second of two answers', ['small', 'large']],
] as const)
  test(`a client that reads nothing of ${what} is disconnected after the idle time`, async (t) => {
    const { responses } = await stalled(t, 50, ...tools);
    const last = responses.at(-1);
    assert.ok(last);
    await once(last, 'close');
    assert.equal(last.writableFinished, false);
  });

test('a client that goes on reading gets the whole answer, and keeps its connection', async (t) => {
  const { socket, responses } = await stalled(t, 60_000, 'large');
  const [response] = responses;
  assert.ok(response);
  await once(socket, 'readable');
  const server = response.req.socket;
  assert.equal(server.timeout, 60_000);
  socket.resume();
  await once(response, 'finish');
  assert.equal(response.writableFinished, true);
  const [again] = await begun(socket, ['small']);
  assert.equal(again?.req.socket, server);
});

test('without an idle time, an answer waits for its reader', async (t) => {
  const { socket, responses } = await stalled(t, 0, 'large');
  await once(socket, 'readable');
  assert.equal(responses[0]?.req.socket.timeout ?? 0, 0);
});
