/** Tasks of 2025-11-25 whose client comes to another process of the bridge than the one that holds what they ask. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bridgeBefore, bridgeTo, type QuietOptions } from '../../../../../../test/support/bridged.ts';
import {
  begun,
  clientAt,
  core,
  createdAs,
  keys,
  newest,
  person,
  scripted,
  serverWith,
  taskOf,
  type Json,
} from '../../../../../../test/support/bridged-tasks.ts';
import { whenTask, type TaskClient } from '../../../../../../test/support/task-client.ts';
import { until } from '../../../../../../test/support/turns.ts';
import type { ToolContext } from '../../../server/definition/tool-context.ts';
import { metaKey } from '../../../protocol/meta.ts';
import { memoryBus, type Bus } from '../../../storage/bus.ts';
import { memoryStore } from '../../../storage/memory/store.ts';

const asks = async (ctx: ToolContext): Promise<string> => {
  const { action, content } = await ctx.elicit({ message: 'who?', schema: person });
  return `${action} ${String(content?.['name'])}`;
};
const isAsked = ({ inputRequests }: Json): boolean => inputRequests !== undefined;
const hasEnded = ({ status }: Json): boolean => status !== 'working' && status !== 'input_required';

/** Answers to all that a task asks. */
function answersTo({ inputRequests }: Json, name = 'Ada'): Json {
  const answer = { action: 'accept', content: { name } };
  return Object.fromEntries(Object.keys(inputRequests as Json).map((key) => [key, answer]));
}

/** Clients of two processes before one server, whose tool asks. */
async function two(t: TestContext, shared: QuietOptions, run = asks): Promise<readonly [TaskClient, TaskClient]> {
  const server = serverWith(t, core, run);
  const options: QuietOptions = { tasks: 'always', rounds: { keys }, ...shared };
  const [here, there] = [await bridgeBefore(t, server, options), await bridgeBefore(t, server, options)];
  return [await clientAt(here, newest), await clientAt(there, newest)];
}

describe('what a task of 2025-11-25 asks through another process', () => {
  const shared: readonly (readonly [string, () => QuietOptions])[] = [
    ['a bus', () => ({ rounds: { keys, bus: memoryBus() } })],
    ['a store', () => ({ store: memoryStore() })],
  ];
  for (const [what, options] of shared)
    it(`is seen and answered there over ${what}`, async (t) => {
      const [here, there] = await two(t, options());
      const { taskId } = await begun(here, newest);
      const asked = await whenTask(here, taskId, isAsked);
      const seen = await there.ask('tasks/get', { taskId });
      assert.deepEqual(seen['inputRequests'], asked['inputRequests']);
      const ack = await there.ask('tasks/update', { taskId, inputResponses: answersTo(asked) });
      assert.equal(ack['resultType'], 'complete');
      for (const client of [there, here]) {
        const { result } = await whenTask(client, taskId, hasEnded);
        assert.deepEqual((result as Json)['content'], [{ type: 'text', text: 'accept Ada' }]);
      }
    });

  it('opens one request for the result alone', async (t) => {
    const options: QuietOptions = { tasks: 'always', rounds: { keys, bus: memoryBus() } };
    const transport = scripted(core, {
      'tools/list': {
        tools: [{ name: 'job', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }],
      },
      'tools/call': createdAs(core, 'upstream-task-1'),
      'tasks/get': taskOf('upstream-task-1', 'input_required'),
      'tasks/result': (_, peer) => {
        const _meta = { [metaKey.relatedTask]: { taskId: 'upstream-task-1' } };
        const params = { message: 'who?', requestedSchema: person, _meta };
        peer.send({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params });
      },
    });
    const [here, there] = [await bridgeTo(t, transport, options), await bridgeTo(t, transport, options)];
    const [one, other] = [await clientAt(here, newest), await clientAt(there, newest)];
    const { taskId } = await begun(one, newest);
    for (const client of [one, other, other])
      assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'input_required');
    assert.equal(transport.methods.filter((method) => method === 'tasks/result').length, 1);
  });

  it('is not lost silently where the processes share nothing but keys, or their bus fails', async (t) => {
    const failing: Bus = {
      publish: () => Promise.reject(new Error('away')),
      subscribe: () => Promise.reject(new Error('away')),
    };
    for (const bus of [undefined, failing]) {
      const warnings: string[] = [];
      const rounds = { keys, ...(bus === undefined ? {} : { bus }) };
      const [here, there] = await two(t, { rounds, warnings });
      const { taskId } = await begun(here, newest);
      const asked = await whenTask(here, taskId, isAsked);
      const inputResponses = answersTo(asked);
      const { code, message } = await there.ask('tasks/update', { taskId, inputResponses });
      assert.equal(code, -32603);
      assert.match(String(message), /not taken.*ask for the task again/);
      assert.equal(warnings.length > 0, bus !== undefined);
      await here.ask('tasks/update', { taskId, inputResponses });
      const { status } = await whenTask(here, taskId, hasEnded);
      // What is answered twice, or was never asked, may be ignored.
      assert.equal(status, 'completed');
      const late = await there.ask('tasks/update', { taskId, inputResponses: { ...inputResponses, never: {} } });
      assert.equal(late['resultType'], 'complete');
    }
  });

  it('is out of reach for another principal, and for whoever knows no key', async (t) => {
    const server = serverWith(t, core, asks);
    const bus = memoryBus();
    const [here, there, stranger] = [
      await bridgeBefore(t, server, { tasks: 'always', rounds: { keys, bus } }),
      await bridgeBefore(t, server, { tasks: 'always', rounds: { keys, bus } }),
      await bridgeBefore(t, server, { tasks: 'always', rounds: { bus } }),
    ];
    const ann = await clientAt(here, newest, 'ann');
    const { taskId } = await begun(ann, newest);
    const asked = await whenTask(ann, taskId, isAsked);
    for (const client of [await clientAt(there, newest, 'eve'), await clientAt(stranger, newest, 'ann')])
      for (const method of ['tasks/get', 'tasks/update'])
        assert.equal((await client.ask(method, { taskId, inputResponses: answersTo(asked, 'Eve') }))['code'], -32602);
    await ann.ask('tasks/update', { taskId, inputResponses: answersTo(asked) });
    const { result } = await whenTask(ann, taskId, hasEnded);
    assert.deepEqual((result as Json)['content'], [{ type: 'text', text: 'accept Ada' }]);
  });

  it('is forgotten by the bus when the task ends, and when the bridge is closed', async (t) => {
    const open = new Set<string>();
    const inner = memoryBus();
    const bus: Bus = {
      publish: (channel, text) => inner.publish(channel, text),
      subscribe: async (channel, hear) => {
        const end = await inner.subscribe(channel, hear);
        open.add(channel);
        return async () => (open.delete(channel), await end());
      },
    };
    const server = serverWith(t, core, asks);
    const here = await bridgeBefore(t, server, { tasks: 'always', rounds: { keys, bus } });
    const client = await clientAt(here, newest);
    const { taskId } = await begun(client, newest);
    const asked = await whenTask(client, taskId, isAsked);
    assert.equal(open.size, 1);
    assert.equal([...open].join('').includes(String(taskId)), false);
    await client.ask('tasks/update', { taskId, inputResponses: answersTo(asked) });
    await whenTask(client, taskId, hasEnded);
    await until(() => open.size === 0, 'the end of the subscription');
    const { taskId: second } = await begun(client, newest);
    await whenTask(client, second, isAsked);
    assert.equal(open.size, 1);
    await here.close();
    await until(() => open.size === 0, 'the end of the subscription');
  });
});
