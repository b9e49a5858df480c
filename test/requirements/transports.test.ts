/** What the transports ask of a server, shown with a whole server behind them. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { createHandler } from '../../packages/parley/src/http.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { createServer, type ToolContext, type Server } from '../../packages/parley/src/server.ts';
import { serveStdio } from '../../packages/parley/src/stdio.ts';
import { initializeParams, statelessDate, withMeta, type Json } from '../support/raw.ts';

const schema = { type: 'object', properties: { n: { type: 'number' } } } as const;

function serving(run: (ctx: ToolContext) => unknown): Server {
  const server = createServer({ name: 'tested', version: '1.0.0' }, { onError: () => undefined });
  server.tool('t', {}, async (_, ctx) => String(await run(ctx)));
  return server;
}

interface Wire {
  readonly written: Json[];
  send(message: Json): void;
  /** Waits until so many messages were written. */
  wrote(count: number): Promise<void>;
}

/** A server on streams in this process: lines go in, and what was written comes out as messages. */
function stdio(t: TestContext, server: Server): Wire {
  const input = new PassThrough();
  const output = new PassThrough();
  const served = serveStdio(server, { input, output, guardStdout: false });
  t.after(() => served.close());
  const written: Json[] = [];
  const lines = createInterface({ input: output }).on('line', (line) => written.push(JSON.parse(line)));
  return {
    written,
    send: (message) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    wrote: async (count) => {
      while (written.length < count) await once(lines, 'line');
    },
  };
}

test('what a server asks of a stateless client is never a request on stdout [stdio-007]', async (t) => {
  const { send, written, wrote } = stdio(
    t,
    serving(async (ctx) => {
      ctx.progress(1);
      ctx.log('error', 'said');
      return Promise.all([
        ctx.elicit({ message: 'm', schema }),
        ctx.roots(),
        ctx.sample({ messages: [], maxTokens: 1 }),
      ]);
    }),
  );
  const capabilities = { elicitation: {}, roots: {}, sampling: {} };
  const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' };
  send({ id: 1, method: 'tools/call', params: withMeta({ name: 't' }, { capabilities, meta }) });
  send({ id: 2, method: 'server/discover', params: withMeta({}) });
  await wrote(4);
  for (const message of written) assert.ok(!('method' in message && 'id' in message), JSON.stringify(message));
  assert.partialDeepStrictEqual(
    written.find(({ id }) => id === 1),
    { result: { resultType: 'input_required' } },
  );
});

test('a cancelled request stops working, and not a line more is written for it [stdio-010, stdio-011]', async (t) => {
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const { send, written, wrote } = stdio(
    t,
    serving(async (ctx) => {
      ctx.progress(1);
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      ctx.progress(2);
      ctx.log('error', 'late');
      stop();
      return 'late';
    }),
  );
  const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' };
  send({ id: 1, method: 'tools/call', params: withMeta({ name: 't' }, { meta }) });
  await wrote(1);
  assert.deepEqual(
    written.splice(0).map(({ method }) => method),
    ['notifications/progress'],
  );
  send({ method: 'notifications/cancelled', params: { requestId: 1 } });
  await stopped;
  send({ id: 2, method: 'server/discover', params: withMeta({}) });
  await wrote(1);
  assert.deepEqual(
    written.map(({ id }) => id),
    [2],
  );
});

function post(method: string, params: Json): Request {
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      host: 'localhost',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': statelessDate,
      'mcp-method': method,
      ...(typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}

test('a request that needs what its client did not declare has status 400 and says what [meta-014, meta-015]', async () => {
  const handler = createHandler(serving((ctx) => ctx.elicit({ message: 'm', schema })));
  const response = await handler(post('tools/call', withMeta({ name: 't' })));
  assert.equal(response.status, 400);
  assert.partialDeepStrictEqual(await response.json(), {
    error: { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
  });
  const able = await handler(post('tools/call', withMeta({ name: 't' }, { capabilities: { elicitation: {} } })));
  assert.equal(able.status, 200);
  await handler.close();
});

test('a stateless request that lacks its version or its capabilities has status 400 [meta-011]', async () => {
  const handler = createHandler(serving(() => 'x'));
  for (const key of ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities']) {
    const response = await handler(post('tools/list', withMeta({}, { meta: { [key]: undefined } })));
    assert.equal(response.status, 400, key);
    assert.partialDeepStrictEqual(await response.json(), { error: { code: -32602 } });
  }
  await handler.close();
});

const ssePair = { sse: '/sse', messages: '/messages' };

test('the pair of 2024-11-05 is served on loopback alone, unless its owner says otherwise [sse-005]', async (t) => {
  const served = await listen(
    serving(() => 'x'),
    { port: 0, drainTimeoutMs: 0, ssePair },
  );
  t.after(() => served.close());
  assert.equal(new URL(served.url).hostname, '127.0.0.1');
});

test('the stream and every message of the pair are asked who they come from [sse-006]', async (t) => {
  const asked: string[] = [];
  const server = serving(() => 'x');
  const served = await listen(server, {
    port: 0,
    drainTimeoutMs: 0,
    ssePair,
    authenticate: (request) => {
      asked.push(request.path);
      return request.header('authorization') === 'Bearer good' ? { principal: 'ann' } : { status: 401 };
    },
  });
  t.after(() => served.close());
  const authorization = 'Bearer good';
  assert.equal((await fetch(new URL('/sse', served.url), { headers: { accept: 'text/event-stream' } })).status, 401);
  const stream = await fetch(new URL('/sse', served.url), { headers: { accept: 'text/event-stream', authorization } });
  assert.equal(stream.status, 200);
  const reader = stream.body!.getReader();
  const { value } = await reader.read();
  const endpoint = /data: (\S+)/.exec(new TextDecoder().decode(value))?.[1] ?? '';
  const send = async (headers: Record<string, string>): Promise<number> => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: initializeParams('2024-11-05'),
    });
    return (
      await fetch(new URL(endpoint, served.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      })
    ).status;
  };
  assert.deepEqual(
    [await send({}), await send({ authorization: 'Bearer bad' }), await send({ authorization })],
    [401, 401, 202],
  );
  assert.deepEqual(asked, ['/sse', '/sse', '/messages', '/messages', '/messages']);
  await reader.cancel();
});
