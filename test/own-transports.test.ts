/** The transports of `examples/`, written with public names alone, do what those of the package do. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { connect, type Client, type ConnectOptions } from 'parley-mcp/client';
import { revisions, type Transport } from 'parley-mcp/protocol';
import { createServer, type Servable, type Server } from 'parley-mcp/server';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { serveTcp, tcpTransport } from '../examples/transport-tcp.ts';
import { serveWebSocket, webSocketTransport } from '../examples/transport-websocket.ts';

/** A peer that sends what it likes. */
interface Raw {
  send(data: string | Uint8Array): void;
  /** The next message of the server, or `undefined` at its end. */
  next(): Promise<unknown>;
  end(): void;
}

interface Way {
  readonly transport: Transport;
  raw(): Promise<Raw>;
  close(): Promise<void>;
}

/** Hands over what comes, in order. */
function mailbox(): { put(value: unknown): void; next(): Promise<unknown> } {
  const values: unknown[] = [];
  const waiting: ((value: unknown) => void)[] = [];
  return {
    put: (value) => {
      const resumer = waiting.shift();
      if (resumer === undefined) values.push(value);
      else resumer(value);
    },
    next: () => (values.length > 0 ? Promise.resolve(values.shift()) : new Promise((take) => waiting.push(take))),
  };
}

const ways: Readonly<Record<string, (served: Servable) => Promise<Way>>> = {
  'a TCP socket': async (served) => {
    const { port, close } = await serveTcp(served);
    return {
      transport: tcpTransport(port),
      close,
      async raw() {
        const socket = createConnection({ port, host: '127.0.0.1' });
        const { put, next } = mailbox();
        let rest = '';
        socket.on('data', (chunk: Buffer) => {
          const lines = `${rest}${String(chunk)}`.split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) put(JSON.parse(line));
        });
        socket.on('error', () => undefined);
        socket.on('close', () => put(undefined));
        await once(socket, 'connect');
        return { send: (data) => void (socket.write(data), socket.write('\n')), next, end: () => socket.destroy() };
      },
    };
  },
  'a WebSocket': async (served) => {
    const { url, close } = await serveWebSocket(served);
    return {
      transport: webSocketTransport(url),
      close,
      async raw() {
        const socket = new WebSocket(url);
        const { put, next } = mailbox();
        socket.on('message', (data: Buffer) => put(JSON.parse(String(data))));
        socket.on('error', () => undefined);
        socket.on('close', () => put(undefined));
        await once(socket, 'open');
        return { send: (data) => socket.send(data), next, end: () => socket.terminate() };
      },
    };
  },
};

/** What the server saw of a call that never ends by itself. */
interface Hanging {
  readonly begun: Promise<void>;
  readonly aborted: Promise<void>;
}

function serving(): { readonly server: Server; hang(): Hanging } {
  const server = createServer({ name: 'own', version: '1.0.0' });
  let hanging: { begun(): void; aborted(): void } | undefined;
  server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }, ctx) => {
    ctx.progress(1, 2);
    return String(a + b);
  });
  server.tool('ask', {}, async (_, ctx) => {
    const answer = await ctx.elicit({ message: 'who?', schema: z.object({ name: z.string() }) });
    return answer.action === 'accept' ? `hello ${answer.content.name}` : answer.action;
  });
  server.tool('hang', {}, async (_, ctx) => {
    hanging?.begun();
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
    hanging?.aborted();
    return 'late';
  });
  return {
    server,
    hang() {
      const signs: Partial<Record<'begun' | 'aborted', () => void>> = {};
      const sign = (name: 'begun' | 'aborted'): Promise<void> => new Promise((resolve) => (signs[name] = resolve));
      const seen = { begun: sign('begun'), aborted: sign('aborted') };
      hanging = { begun: () => signs.begun?.(), aborted: () => signs.aborted?.() };
      return seen;
    },
  };
}

for (const [name, open] of Object.entries(ways)) {
  describe(`over ${name}, written with public names alone,`, () => {
    const { server, hang } = serving();
    let way: Way;
    before(async () => void (way = await open(server)));
    after(async () => {
      await way.close();
      await server.close();
    });
    const over = async (options: ConnectOptions, use: (client: Client) => Promise<void>): Promise<void> => {
      const client = await connect(way.transport, options);
      try {
        await use(client);
      } finally {
        await client.close();
      }
    };

    for (const { date, elicitation } of revisions) {
      test(`a tool is called at ${date}, and says how far it got`, async () => {
        await over({ revisions: [date] }, async (client) => {
          const heard: number[] = [];
          const onProgress = ({ progress }: { readonly progress: number }): void => void heard.push(progress);
          const { content } = await client.callTool('add', { a: 1, b: 2 }, { onProgress });
          assert.deepEqual([client.revision, content, heard], [date, [{ type: 'text', text: '3' }], [1]]);
        });
      });

      test(`a call that is given up at ${date} is aborted at the server`, async () => {
        await over({ revisions: [date] }, async (client) => {
          const { begun, aborted } = hang();
          const controller = new AbortController();
          const call = assert.rejects(client.callTool('hang', {}, { signal: controller.signal }), /enough/);
          await begun;
          controller.abort(new Error('enough'));
          await call;
          await aborted;
          assert.equal((await client.listTools()).length, 3);
        });
      });

      if (elicitation === 'none') continue;
      test(`a question is asked and answered at ${date}`, async () => {
        const onElicit = () => ({ action: 'accept', content: { name: 'Ada' } }) as const;
        await over({ revisions: [date], onElicit }, async (client) => {
          assert.deepEqual((await client.callTool('ask')).content, [{ type: 'text', text: 'hello Ada' }]);
        });
      });
    }

    test('a client that dies in the middle of a call ends it', async () => {
      const raw = await way.raw();
      const { begun, aborted } = hang();
      raw.send(initialize);
      await raw.next();
      raw.send(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'hang' } }));
      await begun;
      raw.end();
      await aborted;
    });

    test('a server that dies in the middle of a call ends it, and is reached no more', async () => {
      const dying = serving();
      const own = await open(dying.server);
      const client = await connect(own.transport, { reconnect: false });
      const { begun } = dying.hang();
      const call = assert.rejects(client.callTool('hang'), { name: 'ConnectionError', reason: 'closed' });
      await begun;
      await own.close();
      await call;
      await client.close();
      await assert.rejects(connect(own.transport), { name: 'ConnectionError' });
      await dying.server.close();
    });

    test('what is no message is answered, and what is too much ends the connection alone', async () => {
      const raw = await way.raw();
      for (const [sent, code] of [
        ['no JSON', -32700],
        ['['.repeat(100_000), -32700],
        ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
        ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
        ['"text"', -32600],
        ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}', -32600],
      ] as const) {
        raw.send(sent);
        assert.equal(Object(Object(await raw.next())['error'])['code'], code, sent.slice(0, 50));
      }
      raw.send(initialize);
      assert.equal(Object(await raw.next())['id'], 1);
      raw.send('x'.repeat(5 * 1024 * 1024));
      let last: unknown = '';
      while (last !== undefined) last = await raw.next();
      await over({}, async (client) => assert.equal((await client.listTools()).length, 3));
    });
  });
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

test('a page of the web opens no WebSocket, and a binary frame is no message', async () => {
  const { server } = serving();
  const { url, close } = await serveWebSocket(server);
  try {
    const page = new WebSocket(url, { origin: 'https://evil.example' });
    const [error] = await once(page, 'error');
    assert.match(String(error), /401/);
    const socket = new WebSocket(url);
    await once(socket, 'open');
    socket.send(new Uint8Array([1, 2, 3]));
    const [data] = await once(socket, 'message');
    assert.equal(JSON.parse(String(data)).error.code, -32700);
    socket.terminate();
  } finally {
    await close();
    await server.close();
  }
});
