import assert from 'node:assert/strict';
import { createServer as createNodeServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { call } from '../../../../../test/support/stateless-call.ts';
import { createServer } from '../../server/server.ts';
import { toNodeHandler } from './server/http.ts';

const subscription = call({
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true } },
  headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
});

/** Opens a listen stream over a handler with something in front, and reads it until a change was heard. */
async function hear(inFront: (response: ServerResponse) => void): Promise<string> {
  const server = createServer({ name: 's', version: '1' }, { capabilities: { tools: { listChanged: true } } });
  const handler = toNodeHandler(server);
  const http = createNodeServer((request, response) => {
    inFront(response);
    handler(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has such an address.
  const { port } = http.address() as AddressInfo;
  try {
    const { body, headers } = subscription;
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      body: String(body),
      headers: headers as Record<string, string>,
    });
    let text = '';
    for await (const piece of response.body ?? []) {
      text += Buffer.from(piece).toString();
      if (text.includes('acknowledged') && !text.includes('list_changed')) server.changed('tools');
      if (text.includes('list_changed')) break;
    }
    return text;
  } finally {
    await handler.close();
    http.closeAllConnections();
    http.close();
  }
}

test('what is put in front of a response, such as to compress it, sees every event of a stream', async () => {
  const seen: string[] = [];
  await hear((response) => {
    const { write } = response;
    response.write = ((chunk: string) => seen.push(chunk) > 0 && write.call(response, chunk, 'utf8')) as typeof write;
  });
  assert.match(seen.join(''), /acknowledged.*list_changed/s);
});

test('an event of a stream takes one write of its connection, under a server that is not ours too', async () => {
  const writes: string[] = [];
  await hear((response) => {
    const { socket } = response.req;
    const { write } = socket;
    socket.write = ((chunk: string) => writes.push(String(chunk)) > 0 && write.call(socket, chunk)) as typeof write;
  });
  const change = writes.find((text) => text.includes('list_changed'));
  assert.match(change ?? '', /^[0-9a-f]+\r\ndata: \{.*\}\n\n\r\n$/);
});

test('a response whose length something in front has set is not framed', async () => {
  const text = await hear((response) => response.setHeader('Content-Length', '10000'));
  assert.match(text, /^data: \{/);
});
