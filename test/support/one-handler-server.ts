/** A server with one handler under three names: of a call, of a call that may be a task, and of one that is a task alone; run as a program it serves stdio. */

import { createServer, type ToolContext, type Server } from '../../packages/parley/src/server.ts';
import { serveStdio } from '../../packages/parley/src/stdio.ts';

/** What each of them asks the model, and in which every revision can. */
function asked(ctx: ToolContext, text: string): Promise<unknown> {
  const messages = [{ role: 'user', content: { type: 'text', text } }] as const;
  return ctx.sample({ messages, maxTokens: 9 }).then(({ content }) => content);
}

/** Makes it. */
export function oneHandlerServer(): Server {
  const server = createServer({ name: 's', version: '1' }, { rateLimits: { tasks: { perSecond: 1e6, burst: 1e6 } } });
  const run = async (_: unknown, ctx: ToolContext): Promise<string> => {
    const first = await asked(ctx, 'first');
    const kept = await ctx.once('effect', () => 7);
    ctx.progress(1, 2, 'half');
    const both = await Promise.all([asked(ctx, 'second'), asked(ctx, 'third')]);
    return JSON.stringify([first, kept, both]);
  };
  const pollIntervalMs = 100;
  server.tool('call', {}, run);
  server.tool('maybe', { task: { support: 'optional', after: 0, pollIntervalMs } }, run);
  server.tool('only', { task: { support: 'required', pollIntervalMs } }, run);
  return server;
}

if (import.meta.main) serveStdio(oneHandlerServer());
