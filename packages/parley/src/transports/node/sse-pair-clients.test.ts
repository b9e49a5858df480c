/** What published clients of other languages send to HTTP+SSE, byte for byte, but for the port and the session. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { createServer } from '../../server/server.ts';
import { listen } from './server/http.ts';

/** The fields that a client sends with each request, before and after the length of the body. */
interface Head {
  readonly get: string;
  post(length: number): string;
}

const java: Head = {
  get: 'Content-Length: 0\r\nHost: HOST\r\nUser-Agent: Java-http-client/17.0.15\r\nAccept: text/event-stream\r\nCache-Control: no-cache\r\nMCP-Protocol-Version: 2024-11-05',
  post: (length) =>
    `Content-Length: ${length}\r\nHost: HOST\r\nUser-Agent: Java-http-client/17.0.15\r\nContent-Type: application/json; charset=utf-8\r\nMCP-Protocol-Version: 2024-11-05`,
};
const python: Head = {
  get: 'Host: HOST\r\nAccept-Encoding: gzip, deflate\r\nConnection: keep-alive\r\nUser-Agent: python-httpx2/2.16.2\r\nAccept: text/event-stream\r\nCache-Control: no-store',
  post: (length) =>
    `Host: HOST\r\nAccept: */*\r\nAccept-Encoding: gzip, deflate\r\nConnection: keep-alive\r\nUser-Agent: python-httpx2/2.16.2\r\nContent-Length: ${length}\r\nContent-Type: application/json`,
};
const go: Head = {
  get: 'Host: HOST\r\nUser-Agent: Go-http-client/1.1\r\nAccept: text/event-stream\r\nAccept-Encoding: gzip',
  post: (length) =>
    `Host: HOST\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: ${length}\r\nContent-Type: application/json\r\nAccept-Encoding: gzip`,
};

const clients: readonly (readonly [name: string, head: Head, bodies: readonly string[], last: number | string])[] = [
  [
    'the Java SDK 2.1, which says 2024-11-05 on its first POST',
    java,
    [
      '{"jsonrpc":"2.0","method":"initialize","id":"7075ccff-0","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"Java SDK MCP Client","version":"0.15.0"}}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","method":"tools/call","id":"7075ccff-1","params":{"name":"add","arguments":{"a":1,"b":2}}}',
    ],
    '7075ccff-1',
  ],
  [
    'the Python SDK 2.3, which begins with server/discover',
    python,
    [
      '{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"mcp","version":"0.1.0"},"io.modelcontextprotocol/clientCapabilities":{}}}}',
      '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcp","version":"0.1.0"}}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}',
    ],
    3,
  ],
  [
    'the Go SDK 1.8, which begins with server/discover',
    go,
    [
      '{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"roots":{"listChanged":true}},"io.modelcontextprotocol/clientInfo":{"name":"g","version":"1"},"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}',
      '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"clientInfo":{"name":"g","version":"1"},"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}}}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}',
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}',
    ],
    3,
  ],
];

/** One connection, and all that came on it. */
async function line(t: TestContext, port: number): Promise<Line> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (piece: string) => (text += piece));
  return {
    write: (request) => void socket.write(request.replace('HOST', `127.0.0.1:${port}`)),
    until: async (pattern) => {
      for (;;) {
        const found = pattern.exec(text);
        if (found !== null) return found;
        await once(socket, 'data');
      }
    },
  };
}

interface Line {
  write(request: string): void;
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

describe('HTTP+SSE', () => {
  for (const [name, head, bodies, last] of clients) {
    test(`connects ${name}`, async (t) => {
      const server = createServer({ name: 's', version: '1' });
      server.tool(
        'add',
        { input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } },
        ({ a, b }) => String(Number(a) + Number(b)),
      );
      const { port, close } = await listen(server, {
        port: 0,
        drainTimeoutMs: 100,
        ssePair: { sse: '/sse', messages: '/messages' },
      });
      t.after(() => close());
      const stream = await line(t, port);
      stream.write(`GET /sse HTTP/1.1\r\n${head.get}\r\n\r\n`);
      const [, endpoint] = await stream.until(/event: endpoint\ndata: (\S+)\n/);
      for (const body of bodies) {
        const post = await line(t, port);
        post.write(`POST ${endpoint} HTTP/1.1\r\n${head.post(Buffer.byteLength(body))}\r\n\r\n${body}`);
        const [, status] = await post.until(/^HTTP\/1\.1 (\d+)/);
        assert.equal(status, '202', body);
        const { id } = JSON.parse(body) as { id?: number | string };
        if (id !== undefined)
          await stream.until(new RegExp(`data: \\{"jsonrpc":"2\\.0","id":${JSON.stringify(id)},.*\\}\\n`));
      }
      const [answer] = await stream.until(new RegExp(`"id":${JSON.stringify(last)},"result":.*`));
      assert.match(answer, /"text":"3"/);
    });
  }
});
