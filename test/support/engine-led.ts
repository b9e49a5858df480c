/** Servers whose tasks an engine has run. */

import type { TestContext } from 'node:test';
import { createServer, type Server } from '../../packages/parley/src/server/server.ts';
import type { ToolContext } from '../../packages/parley/src/server/definition/tool-context.ts';
import type { TaskOptions, TaskUse } from '../../packages/parley/src/server/definition/task-definition.ts';
import type { TaskExecutor } from '../../packages/parley/src/tasks/executor.ts';
import { extended, taskClient, type TaskClient, type TaskClientOptions } from './task-client.ts';

type Json = Readonly<Record<string, unknown>>;

const newest: TaskClientOptions = { revision: '2026-07-28', capabilities: extended };

/** An engine that does nothing by itself, and remembers what it was told. */
export interface Told extends TaskExecutor {
  readonly words: string[];
}

export function engine(change: Partial<TaskExecutor> = {}): Told {
  const words: string[] = [];
  return {
    words,
    start: (id, queue) => void words.push(`start ${id} ${queue}`),
    wake: (id) => void words.push(`wake ${id}`),
    cancel: (id) => void words.push(`cancel ${id}`),
    ...change,
  };
}

/** One process: the server with the tool `t`, its client, and its faults. */
export interface Led {
  readonly server: Server;
  readonly client: TaskClient;
  readonly faults: string[];
}

export async function led(
  t: TestContext,
  tasks: TaskOptions,
  { run, ...use }: Partial<TaskUse> & { run(ctx: ToolContext): unknown },
): Promise<Led> {
  const faults: string[] = [];
  const server = createServer(
    { name: 's', version: '1' },
    { tasks, rateLimits: { tasks: { perSecond: 1e6, burst: 1e6 } }, onError: (_, where) => faults.push(where) },
  );
  t.after(() => (t.mock.timers.reset(), server.close()));
  server.tool('t', { task: { support: 'required', ...use } }, async (_, ctx) => String(await run(ctx)));
  return { server, client: await taskClient(server, newest), faults };
}

export async function begun({ client }: Led): Promise<string> {
  return String((await client.ask('tools/call', { name: 't' }))['taskId']);
}

export async function statusOf({ client }: Led, taskId: string): Promise<unknown> {
  return (await client.ask('tasks/get', { taskId }))['status'];
}

export async function textOf({ client }: Led, taskId: string): Promise<unknown> {
  const { result } = await client.ask('tasks/get', { taskId });
  return ((result as Json)['content'] as readonly Json[])[0]?.['text'];
}
