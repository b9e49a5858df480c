/** A server whose tool `t` may be a task, and what tests of its tasks wait for. */

import type { TestContext } from 'node:test';
import { createServer, type ToolContext, type Server, type ServerOptions } from '../../packages/parley/src/server.ts';
import type { TaskUse } from '../../packages/parley/src/server/definition/task-definition.ts';
import type { TaskClient } from './task-client.ts';

/** JSON of an answer. */
export type Json = Readonly<Record<string, unknown>>;

/** A form that asks for a name. */
export const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

/** An answer to it. */
export const named: Json = { action: 'accept', content: { name: 'ann' } };

/** Makes the server, whose tool is a task at once where it can be one; it is closed with the test. */
export function taskServer(
  t: TestContext,
  run: (ctx: ToolContext) => unknown,
  { use = {}, ...options }: ServerOptions & { readonly use?: Partial<TaskUse> } = {},
): Server {
  const rateLimits = { tasks: { perSecond: 1e6, burst: 1e6 } };
  const server = createServer({ name: 's', version: '1' }, { rateLimits, onError: () => undefined, ...options });
  t.after(() => server.close());
  server.tool('t', { task: { support: 'optional', after: 0, ...use } }, async (_, ctx) => (await run(ctx)) as string);
  return server;
}

/** Begins a task of the tool, in the way of either surface, and gives what told of it. */
export async function beginTask(client: TaskClient, wish: Json = {}): Promise<Json> {
  const result = await client.ask('tools/call', { name: 't', ...wish });
  return (result['task'] as Json | undefined) ?? result;
}

/** A promise, and what settles it. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

/** Makes one. */
export function gate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
