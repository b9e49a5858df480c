/** Tasks through a bridge between two revisions that have them in the same form. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bridgeBefore, bridgeTo, type QuietOptions } from '../../../../../test/support/bridged.ts';
import {
  begun,
  clientAt,
  core,
  createdAs,
  keys,
  newest,
  paramsOf,
  person,
  scripted,
  serverWith,
  taskOf,
  type Json,
} from '../../../../../test/support/bridged-tasks.ts';
import { paramsSent } from '../../../../../test/support/scripted-upstream.ts';
import { whenTask } from '../../../../../test/support/task-client.ts';
import { until } from '../../../../../test/support/turns.ts';
import { metaKey } from '../../protocol/meta.ts';

for (const date of [core, newest] as const) {
  describe(`a task between client and server at ${date}`, () => {
    it('is begun, followed to its end and told whole [tasks-051, tasks-059, tasks-065, tasks-020]', async (t) => {
      const client = await clientAt(await bridgeBefore(t, serverWith(t, date)), date);
      const { taskId, status } = await begun(client, date);
      assert.equal(status, 'working');
      const ended = await whenTask(client, taskId, (task) => task['status'] !== 'working');
      assert.equal(ended['status'], 'completed');
      const result = date === core ? await client.ask('tasks/result', { taskId }) : (ended['result'] as Json);
      assert.deepEqual(result['content'], [{ type: 'text', text: 'done' }]);
      if (date === core) assert.deepEqual(result['_meta'], { [metaKey.relatedTask]: { taskId } });
      if (date === newest) assert.equal(ended['resultType'], 'complete');
    });

    it('has one id for its client, which is not that of the server', async (t) => {
      const transport = scripted(date, {
        'tools/call': createdAs(date, 'upstream-task-1'),
        'tasks/get': taskOf('upstream-task-1'),
      });
      const client = await clientAt(await bridgeTo(t, transport), date);
      const [one, another] = [await begun(client, date), await begun(client, date)];
      assert.equal(one['taskId'], another['taskId']);
      assert.equal(JSON.stringify(one).includes('upstream-task-1'), false);
      const got = await client.ask('tasks/get', { taskId: one['taskId'] });
      assert.equal(got['taskId'], one['taskId']);
      assert.equal(paramsSent(transport, 'tasks/get')['taskId'], 'upstream-task-1');
    });

    it('is out of reach under any id that was not given to its client, which learns nothing [tasks-041, tasks-043, tasks-084, tasks-095, tasks-096]', async (t) => {
      const transport = scripted(date, {
        'tools/call': createdAs(date, 'upstream-task-1'),
        'tasks/get': taskOf('upstream-task-1'),
      });
      const bridge = await bridgeTo(t, transport);
      const [ann, eve] = [await clientAt(bridge, date, 'ann'), await clientAt(bridge, date, 'eve')];
      const other = await clientAt(
        await bridgeTo(t, scripted(date, { 'tools/call': createdAs(date, 'x') })),
        date,
        'ann',
      );
      const mine = String((await begun(ann, date))['taskId']);
      const elsewhere = String((await begun(other, date))['taskId']);
      const flipped = `${mine.slice(0, 30)}${mine[30] === 'A' ? 'B' : 'A'}${mine.slice(31)}`;
      const ids = [
        '',
        'upstream-task-1',
        mine.slice(0, -1),
        `${mine}A`,
        flipped,
        elsewhere,
        'A'.repeat(100_000),
        '__proto__',
      ];
      const methods = ['tasks/get', 'tasks/cancel', date === core ? 'tasks/result' : 'tasks/update'];
      const answers = new Set<string>();
      for (const method of methods) {
        for (const taskId of ids) answers.add(JSON.stringify(await ann.ask(method, { taskId, inputResponses: {} })));
        answers.add(JSON.stringify(await eve.ask(method, { taskId: mine, inputResponses: {} })));
      }
      assert.deepEqual([...answers], [JSON.stringify({ code: -32602, message: 'the task does not exist' })]);
      assert.equal(
        transport.methods.some((method) => method.startsWith('tasks/')),
        false,
      );
      assert.equal((await ann.ask('tasks/get', { taskId: mine }))['status'], 'working');
    });

    it('that the server does not have any more is as one that nobody ever had', async (t) => {
      const transport = scripted(date, {
        'tools/call': createdAs(date, 'upstream-task-1'),
        'tasks/get': (sent, peer) => peer.refuse(sent, { code: -32602, message: 'upstream-task-1 expired' }),
      });
      const client = await clientAt(await bridgeTo(t, transport), date);
      const { taskId } = await begun(client, date);
      const gone = await client.ask('tasks/get', { taskId });
      assert.deepEqual(gone, await client.ask('tasks/get', { taskId: 'never' }));
    });

    it('has the id of its client in an error about it, up to 4,096 characters and from an id of 8', async (t) => {
      for (const [id, length, isNamed] of [
        ['upstream-task-1', 4_096, true],
        ['upstream-task-1', 4_097, false],
        ['task-345', 100, true],
        ['task-34', 100, false],
      ] as const) {
        const message = `${id}${'x'.repeat(length - id.length)}`;
        const transport = scripted(date, {
          'tools/call': createdAs(date, id),
          'tasks/get': (sent, peer) => peer.refuse(sent, { code: -32603, message }),
        });
        const client = await clientAt(await bridgeTo(t, transport), date);
        const { taskId } = await begun(client, date);
        const error = await client.ask('tasks/get', { taskId });
        assert.equal(error['message'], isNamed ? message.replace(id, String(taskId)) : message);
      }
    });

    it('is reached through every process that has the keys', async (t) => {
      const upstream = serverWith(t, date);
      const options: QuietOptions = { rounds: { keys } };
      const { taskId } = await begun(await clientAt(await bridgeBefore(t, upstream, options), date), date);
      const again = await clientAt(await bridgeBefore(t, upstream, options), date);
      const ended = await whenTask(again, taskId, (task) => task['status'] !== 'working');
      assert.deepEqual([ended['status'], ended['taskId']], ['completed', taskId]);
    });

    it('is cancelled', async (t) => {
      let aborted = false;
      const upstream = serverWith(t, date, async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        aborted = true;
      });
      const client = await clientAt(await bridgeBefore(t, upstream), date);
      const { taskId } = await begun(client, date);
      const answer = await client.ask('tasks/cancel', { taskId });
      if (date === core) assert.deepEqual([answer['status'], answer['taskId']], ['cancelled', taskId]);
      else assert.deepEqual(Object.keys(answer).toSorted(), ['_meta', 'resultType']);
      assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'cancelled');
      await until(() => aborted, 'the end of the run');
    });

    it('asks its client, and goes on with the answer [tasks-030, tasks-066, tasks-068]', async (t) => {
      const upstream = serverWith(t, date, async (ctx) => {
        const { content } = await ctx.elicit({ message: 'who?', schema: person });
        return `hello ${String(content?.['name'])}`;
      });
      const client = await clientAt(await bridgeBefore(t, upstream), date);
      const { taskId } = await begun(client, date);
      if (date === core) {
        const result = await client.ask('tasks/result', { taskId });
        assert.deepEqual(result['content'], [{ type: 'text', text: 'hello Ada' }]);
        const question = paramsOf(client.heard.find(({ method }) => method === 'elicitation/create'));
        assert.deepEqual((question['_meta'] as Json)[metaKey.relatedTask], { taskId });
        return;
      }
      const asking = await whenTask(client, taskId, (task) => task['status'] === 'input_required');
      const [key = ''] = Object.keys(asking['inputRequests'] as Json);
      const answers = { [key]: { action: 'accept', content: { name: 'Ada' } } };
      const taken = await client.ask('tasks/update', { taskId, inputResponses: answers });
      assert.equal(taken['resultType'], 'complete');
      const ended = await whenTask(client, taskId, (task) => task['status'] === 'completed');
      assert.deepEqual((ended['result'] as Json)['content'], [{ type: 'text', text: 'hello Ada' }]);
    });

    it('that a server speaks of in words that are none fails the request alone', async (t) => {
      const nonsense = [
        date === core ? { task: { taskId: 'x' } } : { resultType: 'task', taskId: 'x' },
        createdAs(date, ''),
        createdAs(date, 'x'.repeat(100_000)),
        date === core ? { task: [] } : { resultType: 'task', ...taskOf('x', 'asleep') },
      ];
      const transport = scripted(date, {
        'tools/call': (sent, peer) => peer.reply(sent, nonsense.shift() ?? createdAs(date, 'x')),
        'tasks/get': { taskId: 'x', status: 7 },
      });
      const client = await clientAt(await bridgeTo(t, transport), date);
      while (nonsense.length > 0) {
        const { code } = await client.ask('tools/call', { name: 'job', ...(date === core ? { task: {} } : {}) });
        assert.equal(code, -32603);
      }
      const { taskId } = await begun(client, date);
      assert.equal((await client.ask('tasks/get', { taskId }))['code'], -32603);
    });

    it('that a server loses as it dies fails what waits for it', async (t) => {
      const transport = scripted(date, {
        'tools/call': createdAs(date, 'x'),
        [date === core ? 'tasks/result' : 'tasks/update']: (_, peer) => peer.end(),
      });
      const client = await clientAt(await bridgeTo(t, transport), date);
      const { taskId } = await begun(client, date);
      const method = date === core ? 'tasks/result' : 'tasks/update';
      assert.equal((await client.ask(method, { taskId, inputResponses: {} }))['code'], -32603);
    });
  });
}
