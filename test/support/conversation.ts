/** One conversation, and the ways in which it is held: the same tool for clients of every revision, over every transport. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import type { Client, ConnectOptions } from '../../packages/parley/src/client.ts';
import { httpTransport, ssePairTransport } from '../../packages/parley/src/http.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { listen } from '../../packages/parley/src/node.ts';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import type { Revision } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server, type ServerOptions } from '../../packages/parley/src/server.ts';
import { serveStdio, type StdioServer } from '../../packages/parley/src/stdio.ts';
import { streamTransport } from './stream-transport.ts';

/** A server, and what became of it. */
export interface Fixture {
  readonly server: Server;
  /** How often the side effect of the tool ran. */
  effects(): number;
}

/** A server whose tool does everything a conversation can: asks, side by side and in a row, reports, and has a side effect. */
export function fixture(options: ServerOptions = {}): Fixture {
  const server = createServer({ name: 'host', version: '1.0.0' }, options);
  let count = 0;
  server.tool('book', { description: 'Books a table.' }, async (_, ctx) => {
    ctx.progress(1, 3, 'asking');
    ctx.log('info', 'asking');
    const order = await ctx.once('order', () => {
      ctx.log('info', 'ordering');
      return { number: ++count };
    });
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
    ctx.log('info', 'writing');
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

/** What a client hears beside the answer. */
export interface Heard {
  /** The questions of the user, which not every revision has. */
  readonly questions: string[];
  readonly progress: number[];
  readonly logs: unknown[];
}

/** A client of one revision that answers everything. */
export function optionsAt(revision: Revision, heard: Heard): ConnectOptions {
  return {
    revisions: [revision.date],
    onElicit: ({ message }) => {
      heard.questions.push(message);
      return { action: 'accept', content: { name: 'Ann' } };
    },
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

/** Nothing heard yet. */
export function silence(): Heard {
  return { questions: [], progress: [], logs: [] };
}

/** Holds the conversation and checks the answer, what is heard on the way, and that the side effect ran once. */
export async function openConnection(client: Client, heard: Heard, { effects }: Fixture): Promise<void> {
  const { content } = await client.callTool(
    'book',
    {},
    { logLevel: 'info', onProgress: ({ progress }) => heard.progress.push(progress) },
  );
  const [block] = content;
  assert.deepEqual(JSON.parse(block?.type === 'text' ? block.text : ''), expected);
  assert.equal(effects(), 1);
  assert.deepEqual(
    [heard.progress, heard.logs],
    [
      [1, 2, 3],
      ['asking', 'ordering', 'writing', 'done'],
    ],
  );
}

const expected = {
  order: { number: 1 },
  name: 'Ann',
  roots: ['file:///home/ann'],
  greetings: ['<a formal greeting for Ann>', '<a warm greeting for Ann>'],
};

/** A server within reach. */
export interface Reached {
  readonly transport: Transport;
  close(): Promise<void>;
}

/** Brings a server within reach. */
export type Wire = (served: Servable) => Promise<Reached>;

/** Every kind of transport. */
export const wires: Readonly<Record<string, Wire>> = {
  memory: async (served) => ({ transport: memoryTransport(served), close: async () => undefined }),
  stdio: async (served) => {
    const running: StdioServer[] = [];
    const transport: Transport = {
      description: 'streams',
      ownsProcess: true,
      open: async (receiver) => {
        const [input, output] = [new PassThrough(), new PassThrough()];
        running.push(serveStdio(served, { input, output, guardStdout: false }));
        return await streamTransport(input, output).open(receiver);
      },
    };
    return { transport, close: async () => void (await Promise.all(running.map((server) => server.close()))) };
  },
  http: async (served) => {
    const { url, close } = await listen(served, { port: 0, drainTimeoutMs: 0 });
    return { transport: httpTransport(url), close };
  },
  'http+sse': async (served) => {
    const ssePair = { sse: '/sse', messages: '/messages' };
    const { url, close } = await listen(served, { port: 0, drainTimeoutMs: 0, ssePair });
    return { transport: ssePairTransport(new URL('/sse', url)), close };
  },
};

/** The pair of endpoints belongs to 2024-11-05, and carries every handshake revision. */
export function canCarry(wire: string, { era }: Revision): boolean {
  return wire !== 'http+sse' || era === 'handshake';
}
