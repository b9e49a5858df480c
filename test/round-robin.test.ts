import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { endToEnd } from '../examples/cluster/proxy.ts';
import { connect, McpError } from '../packages/parley/src/client.ts';
import { newestRevision } from '../packages/parley/src/protocol/revision.ts';

interface Backend {
  readonly child: ChildProcess;
  readonly url: URL;
}

const script = fileURLToPath(new URL('support/asking-server.ts', import.meta.url));

async function start(key: string | undefined): Promise<Backend> {
  const env = { ...process.env, ...(key === undefined ? {} : { SEALING_KEY: key }) };
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) return { child, url: new URL(line) };
  throw new Error('the server ended before it said where it listens');
}

/** Hands each request to the next backend in turn, and counts. */
async function roundRobin(
  backends: readonly Backend[],
): Promise<{ readonly url: string; readonly proxy: Server; count(): number }> {
  let count = 0;
  const proxy = createServer((incoming, outgoing) => {
    const backend = backends[count++ % backends.length];
    assert.ok(backend);
    const { hostname, port, pathname } = backend.url;
    const headers = { ...endToEnd(incoming.headers), host: backend.url.host };
    const onward = request({ hostname, port, path: pathname, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, proxy, count: () => count };
}

async function callThrough(
  key: string | undefined,
): Promise<{ readonly outcome: Promise<string>; end(): Promise<void>; count(): number }> {
  const backends = await Promise.all([start(key), start(key)]);
  const { url, proxy, count } = await roundRobin(backends);
  const client = await connect(url, {
    revisions: [newestRevision.date],
    onElicit: ({ message }) => ({ action: 'accept', content: { [message]: `${message} answer` } }),
  });
  const outcome = client.callTool('three').then(({ content: [block] }) => (block?.type === 'text' ? block.text : ''));
  return {
    outcome,
    count,
    end: async () => {
      await client.close();
      proxy.closeAllConnections();
      proxy.close();
      for (const { child } of backends) child.kill();
    },
  };
}

test('processes that share sealing keys, and nothing else, continue each other’s conversations [mrtr-001, mrtr-027]', async () => {
  const { outcome, end, count } = await callThrough(Buffer.alloc(32, 5).toString('base64'));
  try {
    assert.match(
      await outcome,
      /^\d+ \{"first":"first answer"\} \{"second":"second answer"\} \{"third":"third answer"\}$/,
    );
    // The discovery, the call and three retries: both processes had a part.
    assert.ok(count() >= 5);
  } finally {
    await end();
  }
});

test('a process without the keys refuses the state of another [mrtr-011]', async () => {
  const { outcome, end } = await callThrough(undefined);
  try {
    await assert.rejects(outcome, (error: unknown) => error instanceof McpError && error.kind === 'invalidParams');
  } finally {
    await end();
  }
});
