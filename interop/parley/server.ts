/** The server that every client of others talks to: what each server in `interop/peers` offers as well. */

import { z } from 'zod';
import {
  createServer,
  McpError,
  ToolError,
  type Server,
  type ServerOptions,
} from '../../packages/parley/src/server.ts';

/** Counts the calls that were given up since it was asked last. */
export interface GivenUp {
  readonly add: () => unknown;
  readonly take: () => number | Promise<number>;
}

/** Creates it; each call gives one of its own. Where several are one service they count together. */
export function createExercise(options: ServerOptions = {}, givenUp: GivenUp = counter()): Server {
  const server = createServer({ name: 'exercise', version: '1.0.0' }, { ...options, onError: () => undefined });
  addPlainTools(server);
  addLongTools(server, givenUp);
  addAskingTools(server);
  addChangingTools(server);
  server.resource('memo://one', { name: 'one', mimeType: 'text/plain' }, () => 'remember the milk');
  server.resourceTemplate('user://{id}', { name: 'user' }, (_uri, { id }) => `user ${id}`);
  server.prompt(
    'welcome',
    {
      arguments: [{ name: 'who', required: true }],
      complete: { who: (typed) => ['Ada', 'Adele', 'Bob'].filter((name) => name.startsWith(typed)) },
    },
    ({ who }) => `Please welcome ${who}.`,
  );
  return server;
}

function addPlainTools(server: Server): void {
  server.tool(
    'add',
    { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ sum: a + b }),
  );
  server.tool('fail', {}, () => {
    throw new ToolError('the kettle is empty');
  });
  server.tool('echo', { input: z.object({ text: z.string() }) }, ({ text }) => text);
  server.tool('large', { input: z.object({ length: z.int() }) }, ({ length }) => 'x'.repeat(length));
}

function counter(): GivenUp {
  let count = 0;
  return {
    add: () => (count += 1),
    take: () => {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}

function addLongTools(server: Server, givenUp: GivenUp): void {
  server.tool('count', {}, (_args, ctx) => {
    for (const step of [1, 2, 3]) ctx.progress(step, 3);
    return 'counted';
  });
  server.tool('count-and-fail', {}, (_args, ctx) => {
    ctx.progress(1, 3);
    throw new McpError('internalError', 'the kettle is empty');
  });
  server.tool('speak', {}, (_args, ctx) => {
    ctx.log('info', 'hello');
    return 'spoken';
  });
  server.tool('slow', { input: z.object({ text: z.string(), ms: z.int() }) }, async ({ text, ms }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return text;
  });
  server.tool('wait', {}, async (_args, ctx) => {
    ctx.progress(1);
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    await givenUp.add();
    return 'given up';
  });
  server.tool('given-up', {}, async () => {
    // What gives a call up may still be on its way.
    let count = await givenUp.take();
    for (let turn = 0; turn < 50 && count === 0; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      count = await givenUp.take();
    }
    return String(count);
  });
}

function addAskingTools(server: Server): void {
  server.tool('ask', {}, async (_args, ctx) => {
    const answer = await ctx.elicit({ message: 'Your name?', schema: z.object({ name: z.string() }) });
    return answer.action === 'accept' ? answer.content.name : answer.action;
  });
  server.tool('think', {}, async (_args, ctx) => {
    const { content } = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet me.' } }],
      maxTokens: 20,
    });
    return !Array.isArray(content) && 'text' in content ? content.text : '?';
  });
  server.tool('look', {}, async (_args, ctx) => (await ctx.roots()).map(({ uri }) => uri).join());
}

function addChangingTools(server: Server): void {
  server.tool('touch', {}, () => {
    server.resourceUpdated('memo://one');
    return 'touched';
  });
  let grown = 0;
  server.tool('grow', {}, () => {
    grown += 1;
    server.tool(`grown-${grown}`, {}, () => 'new');
    return 'grown';
  });
}
