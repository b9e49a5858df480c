/** Tasks at a guarded bridge, whose clients are themselves at the server behind it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../packages/parley/src/client/api/client.ts';
import { guardedBridge } from '../support/guarded-bridge.ts';

const extensions = { 'io.modelcontextprotocol/tasks': {} };

/** What a client hears of a task: its status, or the error. */
async function standing(client: Client, taskId: string): Promise<unknown> {
  return await client.request('tasks/get', { taskId }, { capabilities: { extensions } }).then(
    ({ status }) => status,
    ({ code, message }: { readonly code: number; readonly message: string }) => ({ code, message }),
  );
}

for (const date of ['2025-11-25', '2026-07-28'] as const)
  test(`a task of one person at ${date} is out of reach of another [tasks-043, tasks-096]`, async (t) => {
    const guarded = await guardedBridge(t, {
      up: date,
      define: (server) =>
        void server.tool('job', { task: { support: 'optional', after: 0 } }, (_, { auth }) => `for ${auth?.subject}`),
    });
    const [ann, bob] = [await guarded.as('ann', date), await guarded.as('bob', date)];
    const task = await ann.startTask('job', {});
    const { taskId = '' } = task.reference ?? {};
    assert.notEqual(taskId, '');
    const { content } = await task.result();
    assert.deepEqual(content, [{ type: 'text', text: 'for ann' }]);
    assert.equal(await standing(ann, taskId), 'completed');
    const unknown = { code: -32602, message: 'the task does not exist' };
    assert.deepEqual([await standing(bob, taskId), await standing(bob, 'never')], [unknown, unknown]);
    // The server was asked about it by nobody but ann.
    assert.equal(
      guarded.upstream.recorded.every(({ body }) => !body.includes(taskId)),
      true,
    );
  });
