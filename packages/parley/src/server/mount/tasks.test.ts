import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extended, taskClient, whenTask } from '../../../../../test/support/task-client.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import { createServer } from '../server.ts';

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

test('a mounted tool runs as a task of the server that serves it, asks, and ends', async (t) => {
  const store = memoryTasks();
  const server = createServer(
    { name: 's', version: '1' },
    { tasks: { store }, rateLimits: { tasks: { perSecond: 1e6, burst: 1e6 } } },
  );
  const inner = createServer({ name: 'i', version: '1' });
  t.after(async () => (await server.close(), await inner.close()));
  const passed: unknown[] = [];
  inner.use('tools/call', ({ params, meta: _ }, next) => {
    passed.push(params['name']);
    return next();
  });
  server.mount('i', inner);
  inner.tool('t', { task: 'required' }, async (_, ctx) => {
    const id = await ctx.once('id', () => 7);
    const { action, content } = await ctx.elicit({ message: 'Who?', schema: form });
    return `${id} ${action} ${content?.name ?? ''}`;
  });
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended, principal: 'ann' });
  const { taskId } = (await client.ask('tools/call', { name: 'i__t', arguments: {} })) as { taskId: string };
  const { inputRequests } = await whenTask(client, taskId, ({ status }) => status === 'input_required');
  const [name = ''] = Object.keys(inputRequests as object);
  const answer = { action: 'accept', content: { name: 'Ann' } };
  await client.ask('tasks/update', { taskId, inputResponses: { [name]: answer } });
  const { result } = await whenTask(client, taskId, ({ status }) => status === 'completed');
  assert.deepEqual((result as { content: unknown }).content, [{ type: 'text', text: '7 accept Ann' }]);
  assert.ok(passed.length > 0 && passed.every((one) => one === 't'));
});
