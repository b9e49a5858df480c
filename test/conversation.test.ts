/** One conversation, written once: the same tool gives the same answer to clients of every revision, over every transport. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { connect, type Client, type ConnectOptions } from '../src/client.ts';
import { ssePairTransport } from '../src/http.ts';
import { listen } from '../src/node.ts';
import { memoryTransport } from '../src/peer/memory.ts';
import { revisions, type Revision, type RevisionDate } from '../src/protocol/revision.ts';
import { createServer, type Server } from '../src/server.ts';
import { serveStdio } from '../src/stdio.ts';
import { streamTransport } from './support/stream-transport.ts';

interface Fixture {
  readonly server: Server;
  /** How often the side effect of the tool ran. */
  effects(): number;
}

/** A tool that does everything a conversation can: asks, side by side and in a row, reports, and has a side effect. */
function fixture(): Fixture {
  const server = createServer({ name: 'host', version: '1.0.0' });
  let count = 0;
  server.tool('book', { description: 'Books a table.' }, async (_, ctx) => {
    ctx.progress(1, 3, 'asking');
    ctx.log('info', 'asking');
    const order = await ctx.once('order', () => ({ number: ++count }));
    const askName = async (): Promise<string> => {
      // Before 2025-06-18 nobody can be asked: the handler says what it does then.
      if (!ctx.client.supports('elicitation')) return 'Ann';
      const answer = await ctx.elicit({
        message: 'Your name?',
        schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      });
      return answer.action === 'accept' ? answer.content.name : answer.action;
    };
    const [name, roots] = await Promise.all([askName(), ctx.roots()]);
    ctx.progress(2, 3, 'writing');
    const greetings: string[] = [];
    for (const mood of ['formal', 'warm']) {
      const { content } = await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: `a ${mood} greeting for ${name}` } }],
        maxTokens: 20,
      });
      greetings.push(!Array.isArray(content) && 'text' in content ? content.text : '?');
    }
    ctx.progress(3, 3, 'done');
    ctx.log('info', 'done');
    return JSON.stringify({ order, name, roots: roots.map(({ uri }) => uri), greetings });
  });
  return { server, effects: () => count };
}

interface Heard {
  readonly progress: number[];
  readonly logs: unknown[];
}

function options(revision: Revision, heard: Heard): ConnectOptions {
  return {
    revisions: [revision.date],
    onElicit: () => ({ action: 'accept', content: { name: 'Ann' } }),
    onSample: ({ messages }) => {
      const [message] = messages;
      const content = message?.content;
      const text = content !== undefined && 'text' in content ? content.text : '';
      return { role: 'assistant', model: 'echo', content: { type: 'text', text: `<${text}>` } };
    },
    roots: [{ uri: 'file:///home/ann' }],
    onLog: ({ data }) => heard.logs.push(data),
  };
}

/** Opens a client, and gives what closes both ends. */
type Wire = (server: Server, given: ConnectOptions) => Promise<{ readonly client: Client; close(): Promise<void> }>;

const wires: Readonly<Record<string, Wire>> = {
  memory: async (server, given) => {
    const client = await connect(memoryTransport(server), given);
    return { client, close: () => client.close() };
  },
  stdio: async (server, given) => {
    const input = new PassThrough();
    const output = new PassThrough();
    const served = serveStdio(server, { input, output, guardStdout: false });
    const client = await connect(streamTransport(input, output), given);
    return {
      client,
      close: async () => {
        await client.close();
        await served.close();
      },
    };
  },
  http: async (server, given) => {
    const { url, close } = await listen(server, { port: 0, drainMs: 0 });
    const client = await connect(url, given);
    return {
      client,
      close: async () => {
        await client.close();
        await close();
      },
    };
  },
  'http+sse': async (server, given) => {
    const { url, close } = await listen(server, {
      port: 0,
      drainMs: 0,
      ssePair: { sse: '/sse', messages: '/messages' },
    });
    const client = await connect(ssePairTransport(new URL('/sse', url)), given);
    return {
      client,
      close: async () => {
        await client.close();
        await close();
      },
    };
  },
};

/** The pair of endpoints belongs to 2024-11-05, and carries every handshake revision. */
function hasCell(wire: string, { era }: Revision): boolean {
  return wire !== 'http+sse' || era === 'handshake';
}

const expected = {
  order: { number: 1 },
  name: 'Ann',
  roots: ['file:///home/ann'],
  greetings: ['<a formal greeting for Ann>', '<a warm greeting for Ann>'],
};

for (const [name, wire] of Object.entries(wires)) {
  describe(`one conversation over ${name}`, () => {
    for (const revision of revisions.filter((one) => hasCell(name, one))) {
      test(`gives the same answer at ${revision.date} [mrtr-027, mrtr-001]`, async () => {
        const { server, effects } = fixture();
        const heard: Heard = { progress: [], logs: [] };
        const { client, close } = await wire(server, options(revision, heard));
        try {
          const { content } = await client.callTool(
            'book',
            {},
            {
              logLevel: 'info',
              onProgress: ({ progress }) => heard.progress.push(progress),
            },
          );
          const [block] = content;
          assert.deepEqual(JSON.parse(block?.type === 'text' ? block.text : ''), expected);
          assert.equal(effects(), 1);
          assert.deepEqual(heard, { progress: [1, 2, 3], logs: ['asking', 'done'] });
        } finally {
          await close();
        }
      });
    }
  });
}

test('clients of every revision hold the conversation at once, over one endpoint', async () => {
  const { server } = fixture();
  const { url, close } = await listen(server, { port: 0, drainMs: 0 });
  const dates: readonly RevisionDate[] = revisions.filter(({ http }) => http !== 'sse-pair').map(({ date }) => date);
  const clients = await Promise.all(
    dates.map((date) =>
      connect(url, {
        ...options(revisions.find((one) => one.date === date) ?? revisions[0]!, { progress: [], logs: [] }),
      }),
    ),
  );
  const results = await Promise.all(clients.flatMap((client) => [client.callTool('book'), client.callTool('book')]));
  const names = results.map(
    ({ content: [block] }) => (JSON.parse(block?.type === 'text' ? block.text : '') as { name: string }).name,
  );
  assert.deepEqual(
    names,
    Array.from({ length: dates.length * 2 }, () => 'Ann'),
  );
  await Promise.all(clients.map((client) => client.close()));
  await close();
});
