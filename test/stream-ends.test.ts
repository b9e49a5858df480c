/** Official clients come back for a stream that ended at most twice, however it ended. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as Client12 } from 'sdk-1.12.0/client/index.js';
import { StreamableHTTPClientTransport as Transport12 } from 'sdk-1.12.0/client/streamableHttp.js';
import { Client as Client20 } from 'sdk-1.20.0/client/index.js';
import { StreamableHTTPClientTransport as Transport20 } from 'sdk-1.20.0/client/streamableHttp.js';
import { Client as Client32 } from 'sdk-1.32.2/client/index.js';
import { StreamableHTTPClientTransport as Transport32 } from 'sdk-1.32.2/client/streamableHttp.js';
import { listen } from '../packages/parley/src/node.ts';
import { McpError } from '../packages/parley/src/protocol/error.ts';
import type { RevisionDate } from '../packages/parley/src/protocol/revision.ts';
import { createServer, type ToolContext, type Server } from '../packages/parley/src/server.ts';
import { memoryStore } from '../packages/parley/src/storage/memory/store.ts';

/** An official client, as far as the versions are alike. */
interface Official {
  connect(transport: object): Promise<void>;
  callTool(params: object, ...more: readonly unknown[]): Promise<unknown>;
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

type Make = (url: URL, options: object) => readonly [client: Official, transport: object];

const me = { name: 'official', version: '1' };

// The classes of the versions differ in their types, and not in what is used here.
const clients: Readonly<Record<string, { readonly speaks: readonly RevisionDate[]; readonly make: Make }>> = {
  '1.12.0': {
    speaks: ['2025-03-26'],
    make: (url, options) => [new Client12(me) as never, new Transport12(url, options)],
  },
  '1.20.0': {
    speaks: ['2025-06-18'],
    make: (url, options) => [new Client20(me) as never, new Transport20(url, options)],
  },
  '1.32.2': {
    speaks: ['2025-06-18', '2025-11-25'],
    make: (url, options) => [new Client32(me) as never, new Transport32(url, options)],
  },
  '2.4.0': {
    speaks: ['2025-06-18', '2025-11-25'],
    make: (url, options) => [new ClientV2(me) as never, new TransportV2(url, options)],
  },
};

/** Ways in which the stream of a call ends, by the tool that does so. */
const ways = ['fails', 'fails with an error', 'returns', 'is cancelled', 'pauses and fails'] as const;

function serverWith(revision: RevisionDate, isShared: boolean): Server {
  const options = { revisions: [revision], ...(isShared ? { store: memoryStore() } : {}), onError: () => undefined };
  const server = createServer({ name: 'ends', version: '1' }, options);
  const end = (name: (typeof ways)[number], run: (args: object, ctx: ToolContext) => string | Promise<string>): void =>
    void server.tool(name.replaceAll(' ', '-'), {}, async (args, ctx) => {
      ctx.progress(1, 2);
      return await run(args, ctx);
    });
  end('fails', () => {
    throw new McpError('internalError', 'no');
  });
  end('fails with an error', () => {
    throw new Error('no');
  });
  end('returns', () => 'x');
  end('is cancelled', async (_, ctx) => {
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    return 'x';
  });
  end('pauses and fails', (_, ctx) => {
    ctx.closeStream(1);
    throw new McpError('internalError', 'no');
  });
  return server;
}

/** Calls a tool, and then talks on; gives the number of times that the client came back for the stream. */
async function comesBack(t: TestContext, make: Make, server: Server, way: (typeof ways)[number]): Promise<number> {
  const served = await listen(server, { port: 0, retryMs: 1, drainTimeoutMs: 0 });
  let returns = 0;
  const counting: typeof fetch = async (input, init) => {
    if (new Headers(init?.headers).has('last-event-id')) returns++;
    return await fetch(input, init);
  };
  const reconnectionOptions = {
    initialReconnectionDelay: 1,
    maxReconnectionDelay: 1,
    reconnectionDelayGrowFactor: 1,
    maxRetries: 2,
  };
  const [client, transport] = make(new URL(served.url), { fetch: counting, reconnectionOptions });
  t.after(async () => {
    await client.close();
    await served.close();
  });
  await client.connect(transport);
  const given = new AbortController();
  const options = { signal: given.signal, onprogress: () => void (way === 'is cancelled' && given.abort()) };
  const params = { name: way.replaceAll(' ', '-') };
  // The second version has no schema of the result among its parameters.
  const call = client.callTool(params, ...(make === clients['2.4.0']?.make ? [options] : [undefined, options]));
  await call.catch(() => undefined);
  for (let at = 0; at < 30; at++) await client.ping();
  return returns;
}

for (const [version, { speaks, make }] of Object.entries(clients))
  describe(`the official client ${version} comes back at most twice for a stream`, () => {
    for (const revision of speaks)
      for (const isShared of [false, true])
        for (const way of ways)
          test(`of a call that ${way}: ${revision}${isShared ? ' with a store' : ''}`, async (t) => {
            const returns = await comesBack(t, make, serverWith(revision, isShared), way);
            assert.ok(returns <= 2, `it came back ${returns} times`);
          });
  });
