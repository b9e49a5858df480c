/** Tasks of several servers behind one bridge. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientAt, core, newest, paramsOf, serverWith, type Json } from '../../../../../test/support/bridged-tasks.ts';
import { whenTask } from '../../../../../test/support/task-client.ts';
import { until } from '../../../../../test/support/turns.ts';
import { createBridge } from '../../bridge.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';

describe('before several servers', () => {
  for (const date of [core, newest] as const)
    it(`a task at ${date} is found at the server that has it`, async (t) => {
      const one = serverWith(t, date, () => 'one');
      const two = serverWith(t, date, () => 'two');
      const bridge = await createBridge({
        upstreams: { one: { upstream: memoryTransport(one) }, two: { upstream: memoryTransport(two) } },
        prefix: 'always',
        onWarning: () => undefined,
      });
      t.after(() => bridge.close());
      const client = await clientAt(bridge, date);
      await client.ask('tools/list');
      const seen: unknown[] = [];
      for (const name of ['one__job', 'two__job']) {
        const result = await client.ask('tools/call', { name, ...(date === core ? { task: {} } : {}) });
        const { taskId } = date === core ? (result['task'] as Json) : result;
        const ended = await whenTask(client, taskId, (task) => task['status'] === 'completed');
        const { content } = date === core ? await client.ask('tasks/result', { taskId }) : (ended['result'] as Json);
        seen.push((content as readonly Json[])[0]?.['text']);
      }
      assert.deepEqual(seen, ['one', 'two']);
      assert.equal((await client.ask('tasks/get', { taskId: 'never' }))['code'], -32602);
    });

  it('a stream tells of the tasks of all of them', async (t) => {
    const [one, two] = [serverWith(t, newest, () => 'one'), serverWith(t, newest, () => 'two')];
    const bridge = await createBridge({
      upstreams: { one: { upstream: memoryTransport(one) }, two: { upstream: memoryTransport(two) } },
      prefix: 'always',
      onWarning: () => undefined,
    });
    t.after(() => bridge.close());
    const client = await clientAt(bridge, newest);
    const taskIds: unknown[] = [];
    for (const name of ['one__job', 'two__job']) taskIds.push((await client.ask('tools/call', { name }))['taskId']);
    void client
      .ask('subscriptions/listen', { notifications: { taskIds: [...taskIds, 'never'] } })
      .catch(() => undefined);
    const ended = (): ReadonlySet<unknown> =>
      new Set(
        client.heard
          .filter(
            ({ method, params }) => method === 'notifications/tasks' && (params as Json)['status'] === 'completed',
          )
          .map(({ params }) => (params as Json)['taskId']),
      );
    await until(() => ended().size === 2, 'the end of both');
    assert.deepEqual(paramsOf(client.heard[0])['notifications'], { taskIds });
    assert.deepEqual(ended(), new Set(taskIds));
    client.close();
  });
});
