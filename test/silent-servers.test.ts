/** Servers over stdio and Streamable HTTP that stay silent while a client connects: it ends at its limit. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect, type ConnectOptions } from '../packages/parley/src/client.ts';
import type { Transport } from '../packages/parley/src/jsonrpc/transport.ts';
import { spawn } from '../packages/parley/src/stdio.ts';
import { httpTransport } from '../packages/parley/src/transports/http/client/transport.ts';
import { scriptedTransport } from '../packages/parley/src/testing/scripted.ts';
import { until } from './support/turns.ts';

const probe = 'server/discover';

/** What a request that is given up does. */
function never(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_, reject) =>
    signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
  );
}

/** An event stream on which nothing comes. */
function emptyStream(signal: AbortSignal | null | undefined): Response {
  const body = new ReadableStream({
    start: (controller) =>
      signal?.addEventListener('abort', () => controller.error(new DOMException('', 'AbortError'))),
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

function overHttp(silence: (signal: AbortSignal | null | undefined, method: string) => Response | Promise<Response>) {
  return (): Transport =>
    httpTransport('http://silent.example/mcp', {
      fetch: async (_, init) => {
        const body = typeof init?.body === 'string' ? init.body : '{}';
        return await silence(init?.signal, String((JSON.parse(body) as { readonly method?: unknown }).method));
      },
    });
}

const servers: Readonly<Record<string, () => Transport>> = {
  'a command that answers nothing': () => spawn(process.execPath, ['-e', 'process.stdin.resume()']),
  'a stdio server that answers nothing': () => scriptedTransport('stdio', () => undefined),
  'a stdio server that answers the probe alone': () =>
    scriptedTransport('stdio', (sent, peer) => {
      if (sent.message['method'] === probe) peer.refuse(sent, { code: -32601, message: 'no' });
    }),
  'a URL that answers nothing': overHttp(never),
  'a URL whose event streams stay empty': overHttp(emptyStream),
  'a URL that answers the probe alone': overHttp((signal, method) =>
    method === probe ? new Response('', { status: 404 }) : never(signal),
  ),
};

/** Far less than the time of one of these tests, which is less than the 60 s in which a request must be answered by default. */
const limits: Readonly<Record<string, () => ConnectOptions>> = {
  timeoutMs: () => ({ timeoutMs: 200 }),
  maxTotalTimeoutMs: () => ({ maxTotalTimeoutMs: 200 }),
  connectTimeoutMs: () => ({ connectTimeoutMs: 200 }),
  'AbortSignal.timeout': () => ({ signal: AbortSignal.timeout(200) }),
};

describe('connect', { concurrency: true }, () => {
  for (const [server, reach] of Object.entries(servers))
    for (const [name, options] of Object.entries(limits))
      // Each limit of a command would be a process of its own.
      if (!server.includes('command') || name === 'AbortSignal.timeout')
        test(`at ${server} ends at ${name}`, { timeout: 40_000 }, async () => {
          let end: unknown;
          connect(reach(), { ...options(), onWarning: () => undefined }).then(
            () => (end = 'connected'),
            (error: unknown) => (end = error),
          );
          await until(() => end !== undefined);
          const { reason, name: kind } = Object(end) as { readonly reason?: string; readonly name: string };
          assert.equal(reason ?? kind, name === 'AbortSignal.timeout' ? 'TimeoutError' : 'timeout', String(end));
        });
});
