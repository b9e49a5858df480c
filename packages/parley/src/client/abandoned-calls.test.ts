/** A caller that aborts its call while it is asked for it: the handlers of the client end too. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test, type TestContext } from 'node:test';
import { createBridge } from '../bridge.ts';
import { connect } from '../client.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import { createServer, type Server } from '../server/server.ts';
import type { Servable } from '../server/runtime/request-handler.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import { ssePairTransport } from '../transports/http/client/sse-pair.ts';
import { httpTransport } from '../transports/http/client/transport.ts';
import { listen } from '../transports/node/server/http.ts';
import { serveStdio } from '../transports/stdio/server/serve.ts';
import { streamTransport } from '../transports/stdio/stream-transport.ts';
import { recovering } from '../../../../test/support/recovering.ts';
import { turns } from '../../../../test/support/turns.ts';

type Reach = (t: TestContext, served: Servable) => Promise<Transport>;

async function overHttp(t: TestContext, served: Servable): Promise<string> {
  const { url, close } = await listen(served, { port: 0, ssePair: { sse: '/sse', messages: '/messages' } });
  t.after(() => close({ drainTimeoutMs: 0 }));
  return url;
}

const ways: Readonly<Record<string, Reach>> = {
  memory: async (_, served) => memoryTransport(served),
  // Each connection has streams of its own, as each has its own process.
  stdio: async (t, served) => ({
    description: 'stdio',
    async open(receiver) {
      const [input, output] = [new PassThrough(), new PassThrough()];
      const handle = serveStdio(served, { input, output, guardStdout: false });
      t.after(() => handle.close());
      return await streamTransport({ input: output, output: input }).open(receiver);
    },
  }),
  HTTP: async (t, served) => httpTransport(await overHttp(t, served)),
  'HTTP+SSE': async (t, served) => ssePairTransport(new URL('/sse', await overHttp(t, served))),
};

const asks = {
  elicitation: { tool: 'elicit', since: '2025-06-18' },
  sampling: { tool: 'sample', since: '2024-11-05' },
  roots: { tool: 'roots', since: '2024-11-05' },
} as const;

function asking(revision: RevisionDate): Server {
  const server = createServer({ name: 's', version: '1' }, { revisions: [revision], onError: () => undefined });
  server.tool('elicit', {}, async (_, ctx) => {
    await ctx.elicit({ message: 'Sure?', schema: { type: 'object', properties: {} } });
    return 'done';
  });
  server.tool('sample', {}, async (_, ctx) => {
    await ctx.sample({ messages: [], maxTokens: 1 });
    return 'done';
  });
  server.tool('roots', {}, async (_, ctx) => `${(await ctx.roots()).length}`);
  return server;
}

/** A handler that never answers. */
interface Hung {
  /** Settles when it runs. */
  readonly runs: Promise<void>;
  /** Settles when its signal is aborted. */
  readonly aborted: Promise<void>;
  handle(signal: AbortSignal): Promise<never>;
}

function hung(): Hung {
  let [begin, end] = [(): void => undefined, (): void => undefined];
  const runs = new Promise<void>((resolve) => (begin = resolve));
  const aborted = new Promise<void>((resolve) => (end = resolve));
  const handle = (signal: AbortSignal): Promise<never> => {
    begin();
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    return new Promise<never>(() => undefined);
  };
  return { runs, aborted, handle };
}

async function abandoned(t: TestContext, transport: Transport, tool: string): Promise<void> {
  const { runs, aborted, handle } = hung();
  const client = await connect(transport, {
    onElicit: (_, { signal }) => handle(signal),
    onSample: (_, { signal }) => handle(signal),
    roots: ({ signal }) => handle(signal),
  });
  t.after(() => client.close());
  const caller = new AbortController();
  const call = client.callTool(tool, {}, { signal: caller.signal });
  call.catch(() => undefined);
  await runs;
  caller.abort(new Error('enough'));
  await assert.rejects(call, { message: 'enough' });
  await aborted;
}

describe('a call that its caller aborts while it is asked ends the handler', () => {
  for (const [way, reach] of Object.entries(ways))
    for (const revision of ['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'] as const)
      for (const [what, { tool, since }] of Object.entries(asks)) {
        if (revision < since || (way === 'HTTP+SSE' && revision === '2026-07-28')) continue;
        if (way === 'HTTP' && revision === '2024-11-05') continue;
        test(`${what} at ${revision} over ${way}`, async (t) => {
          await abandoned(t, await reach(t, asking(revision)), tool);
        });
        test(`${what} at ${revision} over ${way}, behind a bridge over HTTP`, async (t) => {
          const bridge = await createBridge({ upstream: await reach(t, asking(revision)) });
          t.after(() => bridge.close());
          await abandoned(t, httpTransport(await overHttp(t, bridge)), tool);
        });
      }
});

test('a question of an abandoned call is answered with an error, also if its handler answers later', async () => {
  let answered = (_: 'decline'): void => undefined;
  const { client, transport } = await recovering(
    (sent, peer) => {
      if (sent.message['method'] === 'tools/call')
        peer.within(sent, { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params });
      return new Promise(() => undefined);
    },
    { options: { onElicit: () => new Promise((resolve) => (answered = resolve)) } },
  );
  const caller = new AbortController();
  const call = client.callTool('x', {}, { signal: caller.signal });
  await turns();
  caller.abort();
  await assert.rejects(call);
  await turns();
  answered('decline');
  await turns();
  const answers = transport.sent.map(({ message }) => message).filter(({ id }) => id === 'q');
  assert.deepEqual(answers, [
    { jsonrpc: '2.0', id: 'q', error: { code: -32603, message: 'the request that it belongs to was given up' } },
  ]);
  await client.close();
});

const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
