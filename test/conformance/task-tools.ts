/** The tools that run as tasks, and one beside them that does not. */

import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { McpError, ToolError, type ToolContext, type Server } from '../../packages/parley/src/server.ts';

const person = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

const yes = { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] } as const;

/** Adds them. */
export function addTaskTools(server: Server): void {
  server.tool(
    'greet',
    { description: 'Greets.', input: z.object({ name: z.string() }) },
    ({ name }) => `Hello, ${name}!`,
  );
  server.tool(
    'slow_compute',
    {
      description: 'Takes its time.',
      input: z.object({ seconds: z.number(), label: z.string().optional() }),
      task: { support: 'optional', after: 0 },
    },
    async ({ seconds, label = '' }, { signal }) => {
      await pause(seconds * 1000, undefined, { signal });
      return `${label} took ${seconds} s`;
    },
  );
  server.tool('failing_job', { description: 'Fails in words.', task: 'required' }, async () => {
    await pause(200);
    throw new ToolError('it always fails');
  });
  server.tool(
    'protocol_error_job',
    { description: 'Fails by an error.', task: { support: 'optional', after: 0 } },
    () => {
      throw new McpError('internalError', 'it always fails');
    },
  );
  addAskingTasks(server);
}

function addAskingTasks(server: Server): void {
  const nameOf = async (ctx: ToolContext, message: string): Promise<string> => {
    const { content } = await ctx.elicit({ message, schema: person });
    return String(content?.name);
  };
  server.tool(
    'confirm_delete',
    {
      description: 'Asks before it deletes.',
      input: z.object({ filename: z.string() }),
      task: { support: 'optional', after: 0 },
    },
    async ({ filename }, ctx) => {
      const { content } = await ctx.elicit({ message: `Delete ${filename}?`, schema: yes });
      return content?.confirm === true ? `deleted ${filename}` : `kept ${filename}`;
    },
  );
  server.tool(
    'multi_input',
    { description: 'Asks two things at once.', task: { support: 'optional', after: 0 } },
    async (_, ctx) => {
      const names = await Promise.all([nameOf(ctx, 'Who is first?'), nameOf(ctx, 'Who is second?')]);
      return names.join(' and ');
    },
  );
  server.tool(
    'test_tool_with_task',
    { description: 'Asks, and goes on as a task.', task: { support: 'required', after: 'background' } },
    async (_, ctx) => {
      const { content } = await ctx.elicit({ message: 'Who is there?', schema: person }, { key: 'user_name' });
      await ctx.background();
      return `Hello, ${String(content?.name)}!`;
    },
  );
}
