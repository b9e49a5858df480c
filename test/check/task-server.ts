/** A small server with tasks, which faults of tasks are planted in. */

import { setTimeout as rest } from 'node:timers/promises';
import { McpError, memoryTasks } from '../../packages/parley/src/index.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import type { Fault } from './faulty.ts';

type Json = Record<string, unknown>;

/** Names of the tools, each of which may be called. */
export const taskTools: readonly string[] = ['report', 'confirm', 'solo', 'fail', 'crash'];

const form = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] } as const;
const output = { type: 'object', properties: { pages: { type: 'number' } }, required: ['pages'] } as const;
const sometimes = { support: 'optional', after: 0 } as const;

/** Serves tasks whose work takes a time, in milliseconds. */
export function taskServer(workMs = 500): Server {
  const server = createServer(
    { name: 'tasks', version: '1.0.0' },
    { tasks: { store: memoryTasks() }, rateLimits: { tasks: { perSecond: 1e6, burst: 1e6 } } },
  );
  server.tool('report', { output, task: sometimes }, async () => {
    await rest(workMs, undefined, { ref: false });
    return { pages: 3 };
  });
  server.tool('confirm', { task: sometimes }, async (_, ctx) => {
    await ctx.background();
    const first = await ctx.elicit({ message: 'Sure?', schema: form });
    const second = await ctx.elicit({ message: 'Really?', schema: form });
    return `${first.action} ${second.action}`;
  });
  server.tool('solo', { task: 'required' }, async (_, ctx) => {
    ctx.progress(1);
    await rest(workMs, undefined, { ref: false });
    ctx.progress(2);
    return 'done';
  });
  server.tool('fail', { task: sometimes }, () => {
    throw new Error('it fails');
  });
  server.tool('crash', { task: sometimes }, () => {
    throw new McpError('internalError', 'it crashed');
  });
  return server;
}

/** Gives tasks other ids on their way out, and takes them back on their way in. @param name Name of the nth task. */
export function renamed(name: (count: number) => unknown): Fault {
  const [outer, inner] = [new Map<string, unknown>(), new Map<string, string>()];
  const out = (id: string): unknown => {
    const given = outer.get(id) ?? name(outer.size);
    outer.set(id, given);
    inner.set(JSON.stringify(given), id);
    return given;
  };
  const text = (value: string): string =>
    value.replaceAll(/"taskId":"([^"]+)"/g, (_, id: string) => `"taskId":${JSON.stringify(out(id))}`);
  return {
    request(passing) {
      const params = passing.message['params'] as Json | undefined;
      if (typeof params?.['taskId'] !== 'string') return;
      const id = inner.get(JSON.stringify(params['taskId'])) ?? params['taskId'];
      params['taskId'] = id;
      if (passing.headers['mcp-name'] !== undefined) passing.headers['mcp-name'] = id;
      passing.body = JSON.stringify(passing.message);
    },
    response: (returning) => void (returning.text = text(returning.text)),
    piece: text,
  };
}
