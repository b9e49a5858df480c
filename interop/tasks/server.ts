/** The server of tasks that clients of others talk to: what each server in `interop/tasks/peers` offers as well. */

import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import {
  createServer,
  McpError,
  ToolError,
  type Server,
  type ServerOptions,
} from '../../packages/parley/src/server.ts';

/** Creates it; each call gives one of its own. */
export function createTasks(options: ServerOptions = {}): Server {
  const server = createServer(
    { name: 'tasks', version: '1.0.0' },
    { ...options, tasks: { pollIntervalMs: 100 }, onError: () => undefined },
  );
  const task = { support: 'optional', after: 0 } as const;
  server.tool('quick', { task: 'optional' }, () => 'quick');
  server.tool('slow', { task, input: z.object({ ms: z.int() }) }, async ({ ms }, { signal }) => {
    await pause(ms, undefined, { signal });
    return 'brewed';
  });
  server.tool('must', { task: 'required' }, () => 'done');
  server.tool('fail', { task }, () => {
    throw new ToolError('the kettle is empty');
  });
  server.tool('break', { task }, () => {
    throw new McpError('invalidParams', 'no such leaf');
  });
  server.tool('ask', { task }, async (_args, ctx) => {
    const answer = await ctx.elicit({ message: 'Your name?', schema: z.object({ name: z.string() }) });
    return answer.action === 'accept' ? answer.content.name : answer.action;
  });
  server.tool('ask-by-task', {}, async (_args, ctx) => {
    const question = { message: 'Your name?', schema: z.object({ name: z.string() }) };
    const answer = await ctx.elicit(question, { task: { ttlMs: 60_000 } });
    return answer.action === 'accept' ? answer.content.name : answer.action;
  });
  addEndless(server);
  return server;
}

function addEndless(server: Server): void {
  let givenUp = 0;
  server.tool('endless', { task: { support: 'optional', after: 0 } }, async (_args, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    givenUp += 1;
    return 'given up';
  });
  server.tool('given-up', {}, async () => {
    // What gives a task up may still be on its way.
    for (let turn = 0; turn < 50 && givenUp === 0; turn++) await pause(100);
    return String(givenUp);
  });
}
