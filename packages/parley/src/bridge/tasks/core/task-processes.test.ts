/** Tasks of a server of 2025-11-25 whose connections are processes, for clients of 2026-07-28. */

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { bridgeTo } from '../../../../../../test/support/bridged.ts';
import { clientAt, core, createdAs, newest, taskOf, type Json } from '../../../../../../test/support/bridged-tasks.ts';
import { scriptedUpstream } from '../../../../../../test/support/scripted-upstream.ts';
import type { TaskClient } from '../../../../../../test/support/task-client.ts';
import type { ScriptedTransport } from '../../../testing/scripted.ts';

interface Stage {
  readonly transport: ScriptedTransport;
  readonly client: TaskClient;
  /** How tasks stand, by their ids. */
  readonly standing: Map<unknown, string>;
}

/** A server each of whose processes knows the tasks that it made, and no others. */
async function stage(t: TestContext): Promise<Stage> {
  const standing: Stage['standing'] = new Map();
  const made = new Map<string, number>();
  const execution = { taskSupport: 'optional' };
  const transport = scriptedUpstream({
    up: core,
    kind: 'stdio',
    capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
    answers: {
      'tools/list': { tools: [{ name: 'job', inputSchema: { type: 'object' }, execution }] },
      'tools/call': (sent, peer) => {
        const taskId = `task-${made.size + 1}`;
        made.set(taskId, sent.conversation);
        standing.set(taskId, 'working');
        peer.reply(sent, createdAs(core, taskId));
      },
      'tasks/get': (sent, peer) => {
        const taskId = String(Object(sent.message['params'])['taskId']);
        if (made.get(taskId) !== sent.conversation) return peer.refuse(sent, { code: -32602, message: 'unknown task' });
        peer.reply(sent, taskOf(taskId, standing.get(taskId)));
      },
      'tasks/result': (sent, peer) => peer.reply(sent, { content: [] }),
    },
  });
  const client = await clientAt(await bridgeTo(t, transport, { tasks: 'always' }), newest);
  return { transport, client, standing };
}

const begin = async ({ client }: Stage): Promise<Json> => await client.ask('tools/call', { name: 'job' });

/** The processes that have got a call. */
function processes({ transport }: Stage): readonly number[] {
  return transport.sent
    .filter(({ message }) => message['method'] === 'tools/call')
    .map(({ conversation }) => conversation);
}

it('a task is asked for in the process that made it', async (t) => {
  const scene = await stage(t);
  const tasks = [await begin(scene), await begin(scene)];
  assert.equal(new Set(processes(scene)).size, 2);
  for (const { taskId } of tasks) {
    const task = await scene.client.ask('tasks/get', { taskId });
    assert.equal(task['status'], 'working', JSON.stringify(task));
  }
});

it('a process serves other calls that may be asked when its task has ended', async (t) => {
  const scene = await stage(t);
  const { taskId } = await begin(scene);
  scene.standing.set('task-1', 'completed');
  assert.equal((await scene.client.ask('tasks/get', { taskId }))['status'], 'completed');
  await begin(scene);
  assert.equal(new Set(processes(scene)).size, 1);
});

it('a task whose process is gone is unknown', async (t) => {
  const scene = await stage(t);
  const { taskId } = await begin(scene);
  const [first = 0] = processes(scene);
  scene.transport.peers[first - 1]?.end();
  const task = await scene.client.ask('tasks/get', { taskId });
  assert.equal(task['code'], -32602, JSON.stringify(task));
});
