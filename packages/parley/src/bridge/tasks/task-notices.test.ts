/** Tasks of 2025-11-25 through a bridge: lists, notices and questions. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bridgeTo, type QuietOptions } from '../../../../../test/support/bridged.ts';
import {
  begun,
  clientAt,
  core,
  createdAs,
  paramsOf,
  person,
  scripted,
  taskOf,
  type Json,
} from '../../../../../test/support/bridged-tasks.ts';
import { paramsSent, scriptedUpstream } from '../../../../../test/support/scripted-upstream.ts';
import { until } from '../../../../../test/support/turns.ts';
import { metaKey } from '../../protocol/meta.ts';

describe('in 2025-11-25 a bridge', () => {
  it('declares what the server does, but lists no tasks where all clients are one there [tasks-001, tasks-046]', async (t) => {
    const declared = async (options: QuietOptions): Promise<unknown> => {
      const bridge = await bridgeTo(t, scripted(core), options);
      const clientInfo = { name: 'c', version: '1' };
      const params = { protocolVersion: core, capabilities: {}, clientInfo };
      const conversation = bridge.endpoint.openConnection({ lasting: true, send: () => undefined });
      const response = await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      return ((response as unknown as { result: Json }).result['capabilities'] as Json)['tasks'];
    };
    const unlisted = { cancel: {}, requests: { tools: { call: {} } } };
    assert.deepEqual(await declared({}), { list: {}, ...unlisted });
    assert.deepEqual(await declared({ sharing: 'shared' }), unlisted);
  });

  it('lists the tasks of a client under the ids that it knows', async (t) => {
    const transport = scripted(core, {
      'tools/call': createdAs(core, 'upstream-task-1'),
      'tasks/list': { tasks: [taskOf('upstream-task-1'), taskOf('upstream-task-2')], nextCursor: 'more' },
    });
    const client = await clientAt(await bridgeTo(t, transport), core);
    const { taskId } = await begun(client, core);
    const { tasks, nextCursor } = await client.ask('tasks/list', { cursor: 'here' });
    const [first, second] = tasks as readonly Json[];
    assert.deepEqual([first?.['taskId'], nextCursor], [taskId, 'more']);
    assert.notEqual(second?.['taskId'], 'upstream-task-2');
    assert.equal(paramsSent(transport, 'tasks/list')['cursor'], 'here');
  });

  it('tells how a task stands, how far it is and what it logs, under the id that the client knows [tasks-025, tasks-027]', async (t) => {
    const related = { [metaKey.relatedTask]: { taskId: 'upstream-task-1' } };
    let tell: (method: string, params: Json) => void = () => undefined;
    let token: unknown;
    const transport = scripted(core, {
      'tools/call': (sent, peer) => {
        token = (paramsOf({ ...sent.message })['_meta'] as Json)['progressToken'];
        tell = (method, params) => peer.send({ jsonrpc: '2.0', method, params });
        peer.reply(sent, createdAs(core, 'upstream-task-1'));
      },
      'tasks/result': { content: [] },
    });
    const client = await clientAt(await bridgeTo(t, transport), core);
    const created = await client.ask('tools/call', { name: 'job', task: {}, _meta: { progressToken: 'mine' } });
    const { taskId } = created['task'] as Json;
    const status = 'notifications/tasks/status';
    tell(status, { taskId: 7 });
    for (const at of ['working', 'input_required', 'completed']) tell(status, taskOf('upstream-task-1', at));
    tell('notifications/progress', { progressToken: token, progress: 1, _meta: related });
    tell('notifications/message', { level: 'info', data: 'said', _meta: related });
    await until(() => client.heard.length === 5, 'what is told');
    const told = (method: string): readonly Json[] =>
      client.heard.filter((message) => message['method'] === method).map(({ params }) => params as Json);
    assert.deepEqual(
      told(status).map((params) => [params['taskId'], params['status']]),
      ['working', 'input_required', 'completed'].map((at) => [taskId, at]),
    );
    const _meta = { [metaKey.relatedTask]: { taskId } };
    assert.deepEqual(told('notifications/progress'), [{ progressToken: 'mine', progress: 1, _meta }]);
    assert.deepEqual(told('notifications/message'), [{ level: 'info', data: 'said', _meta }]);
    // What is told after the end is of nothing.
    await client.ask('tasks/result', { taskId });
    tell('notifications/progress', { progressToken: token, progress: 2, _meta: related });
    tell(status, taskOf('upstream-task-1', 'completed'));
    await until(() => told(status).length === 4, 'the last notice');
    assert.equal(told('notifications/progress').length, 1);
  });

  it('asks its client for no task, whatever the server wishes [tasks-003]', async (t) => {
    const transport = scripted(core, {
      'tools/call': (_, peer) => {
        const params = { message: 'who?', requestedSchema: person, task: { ttl: 5 } };
        peer.send({ jsonrpc: '2.0', id: 'question', method: 'elicitation/create', params });
      },
    });
    const client = await clientAt(await bridgeTo(t, transport), core);
    void client.ask('tools/call', { name: 'job' }).catch(() => undefined);
    await until(() => client.heard.length > 0, 'the question');
    assert.deepEqual(client.heard[0]?.['params'], { message: 'who?', requestedSchema: person });
  });

  it('answers a question of a task in the words of the server', async (t) => {
    const related = { [metaKey.relatedTask]: { taskId: 'upstream-task-1' } };
    const transport = scripted(core, {
      'tools/call': createdAs(core, 'upstream-task-1'),
      'tasks/result': (_, peer) => {
        const params = { message: 'who?', requestedSchema: person, _meta: related };
        peer.send({ jsonrpc: '2.0', id: 'question', method: 'elicitation/create', params });
      },
    });
    const client = await clientAt(await bridgeTo(t, transport), core);
    const { taskId } = await begun(client, core);
    void client.ask('tasks/result', { taskId }).catch(() => undefined);
    const answers = (): readonly Json[] =>
      transport.sent.filter(({ message }) => message['id'] === 'question').map(({ message }) => message);
    await until(() => answers().length > 0, 'the answer');
    assert.deepEqual(answers()[0]?.['result'], { action: 'accept', content: { name: 'Ada' }, _meta: related });
  });

  it('asks for no task of a server that did not declare them [tasks-002, tasks-009]', async (t) => {
    const transport = scriptedUpstream({ up: core, answers: { 'tools/call': { content: [] } } });
    const client = await clientAt(await bridgeTo(t, transport), core);
    assert.deepEqual((await client.ask('tools/call', { name: 'job', task: {} }))['content'], []);
    assert.deepEqual(paramsSent(transport, 'tools/call'), { name: 'job' });
  });
});
