/** Tasks behind a bridge: servers that have some, and clients that take them. */

import type { TestContext } from 'node:test';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import type { ToolContext } from '../../packages/parley/src/server/definition/tool-context.ts';
import type { Server } from '../../packages/parley/src/server/server.ts';
import { serverAt } from './bridged.ts';
import { scriptedUpstream, type Scripted } from './scripted-upstream.ts';
import { extended, extension, taskClient, type TaskClient } from './task-client.ts';

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** The revision with tasks in its core. */
export const core = '2025-11-25';
/** The revision with tasks as an extension. */
export const newest = '2026-07-28';

/** Sealing keys that two processes share. */
export const keys: readonly Uint8Array<ArrayBuffer>[] = [new Uint8Array(32).fill(7)];

/** A form that asks for a name. */
export const person = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

/** The params of a message that came. */
export function paramsOf(message: Json | undefined): Json {
  return (message?.['params'] ?? {}) as Json;
}

/** A server with one tool that runs as a task, and that asks nothing unless it is told to. */
export function serverWith(
  t: TestContext,
  date: RevisionDate,
  run: (ctx: ToolContext) => unknown = () => 'done',
): Server {
  const server = serverAt(date, { rateLimits: { tasks: { perSecond: 1e6, burst: 1e6 } } });
  t.after(() => server.close());
  server.tool('job', { task: { support: 'optional', after: 0 } }, async (_, ctx) => (await run(ctx)) as string);
  return server;
}

/** A client that takes tasks and answers as Ada. */
export function clientAt(bridge: Servable, revision: RevisionDate, principal?: string): Promise<TaskClient> {
  const capabilities = revision === newest ? extended : { elicitation: {} };
  const answer = (): Json => ({ action: 'accept', content: { name: 'Ada' } });
  return taskClient(bridge, { revision, capabilities, answer, ...(principal === undefined ? {} : { principal }) });
}

/** Begins a task, and gives it as the client sees it. */
export async function begun(client: TaskClient, revision: RevisionDate): Promise<Json> {
  const result = await client.ask('tools/call', {
    name: 'job',
    ...(revision === core ? { task: { ttl: 60_000 } } : {}),
  });
  return revision === core ? (result['task'] as Json) : result;
}

/** A scripted server that has tasks. */
export function scripted(up: RevisionDate, answers: Scripted['answers'] = {}): ReturnType<typeof scriptedUpstream> {
  const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
  const capabilities = { tools: {}, logging: {}, ...(up === core ? { tasks } : { extensions: { [extension]: {} } }) };
  return scriptedUpstream({ up, capabilities, answers });
}

const times = { createdAt: '2026-07-28T00:00:00.000Z', lastUpdatedAt: '2026-07-28T00:00:00.000Z' };

/** A task of a scripted server. */
export function taskOf(taskId: string, status = 'working'): Json {
  return { taskId, status, ...times, ttl: null, ttlMs: null };
}

/** The result by which a scripted server says that a call became a task. */
export function createdAs(up: RevisionDate, taskId: string): Json {
  return up === core ? { task: taskOf(taskId) } : { ...taskOf(taskId), resultType: 'task' };
}
