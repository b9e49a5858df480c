import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extended, taskClient, whenTask } from '../../../../../test/support/task-client.ts';
import { McpError } from '../../protocol/error.ts';
import type { TaskAudit } from '../../tasks/audit.ts';
import { createServer } from '../server.ts';

type Json = Readonly<Record<string, unknown>>;

const newest = { revision: '2026-07-28', capabilities: extended } as const;

test('an audit hears of each task once that it was created and ended, and of who had its outcome [tasks-049]', async (t) => {
  const lines: TaskAudit[] = [];
  const server = createServer({ name: 's', version: '1' }, { tasks: { onAudit: (line) => lines.push(line) } });
  t.after(() => server.close());
  server.tool('good', { task: 'required' }, () => 'secret result');
  server.tool('bad', { task: 'required' }, () => {
    throw new McpError('internalError', 'secret error');
  });
  const client = await taskClient(server, { ...newest, principal: 'ann' });
  const ids: unknown[] = [];
  for (const name of ['good', 'bad']) {
    const { taskId } = await client.ask('tools/call', { name });
    ids.push(taskId);
    await whenTask(client, taskId, ({ status }) => status === 'completed' || status === 'failed');
  }
  assert.equal(new Set(lines.map(({ task }) => task)).size, 2);
  assert.deepEqual(
    lines.map(({ event, owner, by, tool, status }) => [event, owner, by, tool, status]),
    [
      ['created', 'ann', undefined, 'good', undefined],
      ['ended', 'ann', undefined, 'good', 'completed'],
      ['retrieved', 'ann', 'ann', 'good', 'completed'],
      ['created', 'ann', undefined, 'bad', undefined],
      ['ended', 'ann', undefined, 'bad', 'failed'],
      ['retrieved', 'ann', 'ann', 'bad', 'failed'],
    ],
  );
  const text = JSON.stringify(lines);
  for (const secret of [...ids, 'secret']) assert.ok(!text.includes(String(secret)));
});

test('an audit tells a foreign id from an unknown one, which clients cannot', async (t) => {
  const lines: TaskAudit[] = [];
  const server = createServer({ name: 's', version: '1' }, { tasks: { onAudit: (line) => lines.push(line) } });
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, async () => await new Promise<never>(() => undefined));
  const ann = await taskClient(server, { ...newest, principal: 'ann' });
  const bob = await taskClient(server, { ...newest, principal: 'bob' });
  const { taskId } = await ann.ask('tools/call', { name: 't' });
  const [created] = lines.splice(0);
  const nobodys = 'x'.repeat(24);
  for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
    const params = { inputResponses: {} };
    const foreign = await bob.ask(method, { ...params, taskId });
    assert.equal(JSON.stringify(foreign), JSON.stringify(await bob.ask(method, { ...params, taskId: nobodys })));
    assert.equal(foreign['code'], -32602);
    assert.deepEqual(
      lines.splice(0).map(({ event, owner, by, tool }) => [event, owner, by, tool]),
      [
        ['refused', 'ann', 'bob', 't'],
        ['refused', undefined, 'bob', undefined],
      ],
    );
  }
  const listening = bob.ask('subscriptions/listen', { notifications: { taskIds: [taskId] } });
  listening.catch(() => undefined);
  for (let turn = 0; turn < 10_000 && lines.length === 0; turn++)
    await new Promise((resolve) => void setImmediate(resolve));
  assert.deepEqual(
    lines.map(({ event, task, by }) => [event, task, by]),
    [['refused', created?.task, 'bob']],
  );
  const acknowledged = (): Json | undefined =>
    bob.heard.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
  for (let turn = 0; turn < 10_000 && acknowledged() === undefined; turn++)
    await new Promise((resolve) => void setImmediate(resolve));
  // What is foreign or unknown is left out of what is agreed.
  const { params = {} } = acknowledged() ?? {};
  assert.deepEqual((params as Json)['notifications'], { taskIds: [] });
  bob.close();
});

test('an audit that throws disturbs nothing', async (t) => {
  const onAudit = (): void => {
    throw new Error('the log is full');
  };
  const server = createServer({ name: 's', version: '1' }, { tasks: { onAudit } });
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, () => 'x');
  const client = await taskClient(server, newest);
  const { taskId } = await client.ask('tools/call', { name: 't' });
  await whenTask(client, taskId, ({ status }) => status === 'completed');
});

test('an audit hears of an outcome that a listener is told [tasks-049]', async (t) => {
  const lines: TaskAudit[] = [];
  const server = createServer({ name: 's', version: '1' }, { tasks: { onAudit: (line) => lines.push(line) } });
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, async (_, ctx) => {
    await ctx.elicit({ message: 'Go on?', schema: { type: 'object', properties: {} } }, { key: 'k' });
    return 'done';
  });
  const client = await taskClient(server, { ...newest, principal: 'ann' });
  const { taskId } = await client.ask('tools/call', { name: 't' });
  await whenTask(client, taskId, ({ status }) => status === 'input_required');
  const listening = client.ask('subscriptions/listen', { notifications: { taskIds: [taskId] } });
  listening.catch(() => undefined);
  const told = (wanted: string): boolean =>
    client.heard.some(({ params }) => (params as { readonly status?: unknown }).status === wanted);
  for (let turn = 0; turn < 10_000 && !told('input_required'); turn++)
    await new Promise((resolve) => void setImmediate(resolve));
  const inputResponses = { k: { action: 'accept', content: {} } };
  await client.ask('tasks/update', { taskId, inputResponses });
  for (let turn = 0; turn < 10_000 && !told('completed'); turn++)
    await new Promise((resolve) => void setImmediate(resolve));
  assert.ok(told('completed'));
  assert.deepEqual(
    lines.map(({ event, by, status }) => [event, by, status]),
    [
      ['created', undefined, undefined],
      ['ended', undefined, 'completed'],
      ['retrieved', 'ann', 'completed'],
    ],
  );
  client.close();
});
