import assert from 'node:assert/strict';
import { test } from 'node:test';
import { name } from '../../../../../test/support/asked-client.ts';
import { until } from '../../../../../test/support/turns.ts';
import { createServer } from '../server.ts';

type Json = Readonly<Record<string, unknown>>;

test('of several requests for a result one puts the question, another as soon as that is given up, and all have one answer', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  t.after(() => server.close());
  // Who is not woken would wait for an hour.
  const task = { support: 'optional', pollIntervalMs: 3_600_000 } as const;
  server.tool('t', { task }, async (_, ctx) => JSON.stringify(await ctx.elicit({ message: 'Who?', schema: name })));
  const asked: Json[] = [];
  const conversation = server.endpoint.openConnection({
    lasting: true,
    send: (message) => void ('id' in message && 'method' in message && asked.push({ ...message })),
  });
  let id = 0;
  const ask = async (method: string, params: Json): Promise<Json | undefined> => {
    const response = await conversation.receive({ jsonrpc: '2.0', id: ++id, method, params });
    return response && ('result' in response ? { ...response.result } : { ...response.error });
  };
  const capabilities = { elicitation: {} };
  const clientInfo = { name: 'c', version: '1' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
  await conversation.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const created = (await ask('tools/call', { name: 't', task: {} })) ?? {};
  const { taskId } = created['task'] as Json;
  const first = ask('tasks/result', { taskId });
  const firstId = id;
  await until(() => asked.length === 1, 'the question');
  const others = [ask('tasks/result', { taskId }), ask('tasks/result', { taskId })];
  await ask('tasks/get', { taskId });
  assert.equal(asked.length, 1);
  await conversation.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: firstId } });
  assert.equal(await first, undefined);
  await until(() => asked.length === 2, 'the question once more');
  const result = { action: 'accept', content: { name: 'Ada' } };
  await conversation.receive({ jsonrpc: '2.0', id: asked[1]?.['id'] as string, result });
  const [one, another] = await Promise.all(others);
  assert.deepEqual(one?.['content'], [{ type: 'text', text: JSON.stringify(result) }]);
  assert.deepEqual(one, another);
  assert.equal(asked.length, 2);
});
