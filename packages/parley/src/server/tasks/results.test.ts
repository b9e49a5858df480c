/** Requests for results by clients that cannot be asked, and by those that have no sessions. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extended, taskClient, whenTask } from '../../../../../test/support/task-client.ts';
import type { ClientConnection } from '../runtime/request-handler.ts';
import { metaKey } from '../../protocol/meta.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import { createServer, type Server } from '../server.ts';
import type { TaskOptions } from '../definition/task-definition.ts';

type Json = Readonly<Record<string, unknown>>;

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const newest = { revision: '2026-07-28', capabilities: extended, principal: 'ann' } as const;
const never = new Promise<never>(() => undefined);

function serverWith(tasks: TaskOptions): Server {
  const rateLimits = { tasks: { perSecond: 1e6, burst: 1e6 } };
  const server = createServer({ name: 's', version: '1' }, { tasks, rateLimits });
  server.tool(
    'asks',
    { task: 'required' },
    async (_, ctx) => (await ctx.elicit({ message: 'a', schema: form })).action,
  );
  server.tool('never', { task: 'required' }, async () => await never);
  return server;
}

/** A request of 2025-11-25 that no session is kept for, as the HTTP edge has it. */
function sessionless(server: Server, address: string, principal?: string): ClientConnection {
  const auth = principal === undefined ? {} : { auth: { principal } };
  const link = { network: 'tcp', lasting: true, passing: true, address, send: () => undefined, ...auth };
  const client = { info: undefined, capabilities: {} };
  const known = { revision: '2025-11-25', client, isReady: true, level: 'info', watched: [] } as const;
  const conversation = server.endpoint.resume?.(link, known);
  assert.ok(conversation !== undefined);
  return conversation;
}

async function result(conversation: ClientConnection, taskId: unknown): Promise<Json> {
  const response = await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'tasks/result', params: { taskId } });
  return { ...response };
}

test('a question is not lost by a request for the result of one who cannot be asked', async (t) => {
  const server = serverWith({ store: memoryTasks() });
  t.after(() => server.close());
  const client = await taskClient(server, newest);
  const { taskId } = await client.ask('tools/call', { name: 'asks' });
  const { inputRequests } = await whenTask(client, taskId, ({ status }) => status === 'input_required');
  const mute = await taskClient(server, { revision: '2025-11-25', principal: 'ann', network: 'tcp' });
  const waiting = [mute.ask('tasks/result', { taskId }), result(sessionless(server, '127.0.0.1', 'ann'), taskId)];
  // They are read in their order, and wait by then.
  await mute.ask('tasks/get', { taskId });
  const open = await client.ask('tasks/get', { taskId });
  assert.deepEqual([open['status'], open['inputRequests']], ['input_required', inputRequests]);
  const inputResponses = { 'ask-1': { action: 'decline' } };
  await client.ask('tasks/update', { taskId, inputResponses });
  const [one, other] = await Promise.all(waiting);
  const content = [{ type: 'text', text: 'decline' }];
  assert.deepEqual(one?.['content'], content);
  const { result: told } = other ?? {};
  assert.deepEqual(told, { content, _meta: { [metaKey.relatedTask]: { taskId } } });
});

test('requests for results of nobody that have no sessions are counted by their address', async (t) => {
  const server = serverWith({ store: memoryTasks(), limits: { results: 1 } });
  t.after(() => server.close());
  const { principal: _, ...nobody } = newest;
  const client = await taskClient(server, nobody);
  const { taskId } = await client.ask('tools/call', { name: 'never' });
  const waiting = [result(sessionless(server, '192.0.2.1'), taskId), result(sessionless(server, '192.0.2.2'), taskId)];
  await client.ask('tasks/get', { taskId });
  const { error } = await result(sessionless(server, '192.0.2.1'), taskId);
  assert.deepEqual((error as Json)['data'], { limit: 1 });
  await client.ask('tasks/cancel', { taskId });
  for (const one of waiting) assert.equal(((await one)['error'] as Json)['message'], 'the task was cancelled');
});
