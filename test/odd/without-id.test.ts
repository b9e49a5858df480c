/** Errors without an id: to which request they belong, on each transport and through a bridge. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { ssePairTransport } from '../../packages/parley/src/transports/http/client/sse-pair.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { streamTransport } from '../support/stream-transport.ts';
import { freshUrl, type Fetch } from './peers.ts';

type Json = Readonly<Record<string, unknown>>;

/** Errors with which the servers of this file answer `notifications/initialized`. */
const errors = [
  { jsonrpc: '2.0', id: null, error: { code: -32601, message: 'no such method' } },
  { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'an id is missing' } },
  { jsonrpc: '2.0', error: { code: -32600, message: 'an id is missing' } },
];

/** What a server answers that reads messages in order. */
function answer({ id, method }: Json, odd: Json): Json {
  if (id === undefined) return odd;
  if (method === 'initialize')
    return result(id, {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'odd', version: '1' },
    });
  if (method === 'tools/list') return result(id, { tools: [{ name: 'odd', inputSchema: { type: 'object' } }] });
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } };
}

const result = (id: unknown, value: Json): Json => ({ jsonrpc: '2.0', id, result: value });

/** A program on stdio. */
function onStdio(odd: Json): Transport {
  const input = new PassThrough();
  const output = new PassThrough();
  input.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split('\n'))
      output.write(`${JSON.stringify(answer(JSON.parse(line) as Json, odd))}\n`);
  });
  return streamTransport(input, output);
}

/** A server of the older HTTP transport: all that it says comes on one stream. */
function onPair(odd: Json): Transport {
  let stream: ReadableStreamDefaultController<Uint8Array>;
  const say = (event: string, data: string): void =>
    stream.enqueue(new TextEncoder().encode(`event: ${event}\ndata: ${data}\n\n`));
  const fetch: Fetch = async (url, init) => {
    const request = new Request(url, init);
    if (request.method === 'POST') {
      say('message', JSON.stringify(answer((await request.json()) as Json, odd)));
      return new Response(null, { status: 202 });
    }
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (stream = controller) });
    say('endpoint', '/messages');
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  return ssePairTransport(freshUrl(), { fetch });
}

/** A server of Streamable HTTP that says it as the answer to the notification, and on the stream of no request. */
function onHttp(odd: Json): Transport {
  const fetch: Fetch = async (url, init) => {
    const request = new Request(url, init);
    if (request.method === 'GET')
      return new Response(`data: ${JSON.stringify(odd)}\n\n`, { headers: { 'content-type': 'text/event-stream' } });
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    return Response.json(answer((await request.json()) as Json, odd));
  };
  return httpTransport(freshUrl(), { fetch });
}

const ways = { stdio: onStdio, 'HTTP+SSE': onPair, 'Streamable HTTP': onHttp };

for (const [way, reach] of Object.entries(ways)) {
  test(`a server that answers a notification with an error works over ${way}`, async () => {
    for (const odd of errors) {
      const warnings: string[] = [];
      const client = await connect(reach(odd), { onWarning: (message) => void warnings.push(message) });
      assert.deepEqual(
        (await client.listTools()).map(({ name }) => name),
        ['odd'],
      );
      assert.deepEqual(
        warnings.filter((message) => message.includes('without an id')),
        [`an error without an id was ignored: ${odd.error.code} ${odd.error.message}`],
      );
      await client.close();
    }
  });

  test(`a server that answers a notification with an error works behind a bridge over ${way}`, async () => {
    for (const odd of errors) {
      const warnings: string[] = [];
      const bridge = await createBridge({ upstream: reach(odd), onWarning: (message) => void warnings.push(message) });
      const client = await connect(memoryTransport(bridge));
      assert.deepEqual(
        (await client.listTools()).map(({ name }) => name),
        ['odd'],
      );
      assert.ok(warnings.some((message) => message.includes('an error without an id was ignored')));
      await client.close();
      await bridge.close();
    }
  });
}
