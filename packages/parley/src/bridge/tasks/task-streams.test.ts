/** Tasks of the extension through a bridge: who declared it, and who listens. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bridgeBefore, bridgeTo } from '../../../../../test/support/bridged.ts';
import {
  begun,
  clientAt,
  createdAs,
  newest,
  paramsOf,
  scripted,
  serverWith,
  taskOf,
  type Json,
} from '../../../../../test/support/bridged-tasks.ts';
import { settle } from '../../../../../test/support/raw.ts';
import { extension, taskClient, type TaskClient } from '../../../../../test/support/task-client.ts';
import { until } from '../../../../../test/support/turns.ts';
import { metaKey } from '../../protocol/meta.ts';
import type { ScriptedPeer } from '../../testing/scripted.ts';

describe('in the extension a bridge', () => {
  it('declares it, and refuses who does not, whatever the id [tasks-053, tasks-086, tasks-092]', async (t) => {
    const bridge = await bridgeBefore(t, serverWith(t, newest));
    const client = await taskClient(bridge, { revision: newest });
    const { capabilities } = await client.ask('server/discover');
    assert.deepEqual((capabilities as Json)['extensions'], { [extension]: {} });
    assert.equal((capabilities as Json)['tasks'], undefined);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { code, data } = await client.ask(method, { taskId: 'any', inputResponses: {} });
      assert.deepEqual([code, data], [-32021, { requiredCapabilities: { extensions: { [extension]: {} } } }]);
    }
    for (const method of ['tasks/list', 'tasks/result'])
      assert.equal((await client.ask(method, { taskId: 'any' }))['code'], -32601);
    const listening = await client.ask('subscriptions/listen', { notifications: { taskIds: [] } });
    assert.equal(listening['code'], -32021);
  });

  it('refuses a task that its client did not ask to be given [tasks-050, tasks-052]', async (t) => {
    const bridge = await bridgeTo(t, scripted(newest, { 'tools/call': createdAs(newest, 'x') }));
    const other = { extensions: { 'com.example/other': {} } };
    for (const capabilities of [{}, other]) {
      const client = await taskClient(bridge, { revision: newest, capabilities });
      assert.equal((await client.ask('tools/call', { name: 'job' }))['code'], -32603);
    }
  });

  it('tells of the tasks that a client listens to, and of nobody else’s [tasks-079]', async (t) => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const bridge = await bridgeBefore(
      t,
      serverWith(t, newest, () => finished.then(() => 'done')),
    );
    const [ann, eve] = [await clientAt(bridge, newest, 'ann'), await clientAt(bridge, newest, 'eve')];
    const [mine, theirs] = [String((await begun(ann, newest))['taskId']), String((await begun(eve, newest))['taskId'])];
    const flood = Array.from({ length: 10_000 }, (_, at) => `forged-${at}`);
    void ann
      .ask('subscriptions/listen', { notifications: { taskIds: [mine, theirs, mine, ...flood] } })
      .catch(() => undefined);
    await until(() => ann.heard.length > 0, 'the acknowledgement');
    const [acknowledged] = ann.heard;
    assert.equal(acknowledged?.['method'], 'notifications/subscriptions/acknowledged');
    assert.deepEqual(paramsOf(acknowledged)['notifications'], { taskIds: [mine] });
    finish();
    const told = (): readonly Json[] =>
      ann.heard.filter(({ method }) => method === 'notifications/tasks').map(({ params }) => params as Json);
    await until(() => told().some(({ status }) => status === 'completed'), 'the end of the task');
    assert.deepEqual([...new Set(told().map(({ taskId }) => taskId))], [mine]);
    assert.equal(
      told().every(({ _meta }) => (_meta as Json)[metaKey.subscriptionId] !== undefined),
      true,
    );
    ann.close();
  });

  it('ends a stream in good order where the server does not tell of its tasks any more', async (t) => {
    const transport = scripted(newest, {
      'tools/call': createdAs(newest, 'x'),
      'subscriptions/listen': (sent, peer) => {
        const _meta = { [metaKey.subscriptionId]: sent.message['id'] };
        const params = { notifications: { taskIds: ['x', 'not asked for', 7] }, _meta };
        peer.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params });
        const told = { ...taskOf('not asked for'), _meta };
        for (const task of [told, { ...told, taskId: 'x', status: 7 }, { _meta }])
          peer.send({ jsonrpc: '2.0', method: 'notifications/tasks', params: task });
        peer.end();
      },
    });
    const warnings: string[] = [];
    const client = await clientAt(await bridgeTo(t, transport, { warnings }), newest);
    const { taskId } = await begun(client, newest);
    const ended = await client.ask('subscriptions/listen', { notifications: { taskIds: [taskId] } });
    assert.equal(ended['resultType'], 'complete');
    assert.deepEqual(paramsOf(client.heard[0])['notifications'], { taskIds: [taskId] });
    assert.equal(client.heard.length, 1);
    assert.equal(warnings.filter((warning) => warning.endsWith('malformed task notification')).length, 1);
  });

  it('passes a notification of another extension on a stream of tasks to the client of that stream alone', async (t) => {
    const streams: (readonly [Json, ScriptedPeer])[] = [];
    const transport = scripted(newest, {
      'tools/call': createdAs(newest, 'x'),
      'subscriptions/listen': (sent, peer) => {
        const _meta = { [metaKey.subscriptionId]: sent.message['id'] };
        streams.push([_meta, peer]);
        const params = { notifications: { taskIds: ['x'] }, _meta };
        peer.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params });
      },
    });
    const bridge = await bridgeTo(t, transport);
    const [ann, bob] = [await clientAt(bridge, newest), await clientAt(bridge, newest)];
    for (const client of [ann, bob]) {
      const { taskId } = await begun(client, newest);
      void client.ask('subscriptions/listen', { notifications: { taskIds: [taskId] } }).catch(() => undefined);
      await until(() => client.heard.length > 0, 'the acknowledgement');
    }
    const [first] = streams;
    assert.ok(first !== undefined);
    const [_meta, peer] = first;
    const method = 'notifications/x.example/moved';
    for (const params of [{ of: 'ann', _meta }, { of: 'nobody' }, { of: 'nobody', _meta: {} }])
      peer.send({ jsonrpc: '2.0', method, params });
    await settle();
    const moved = (client: TaskClient): readonly unknown[] =>
      client.heard.filter((one) => one['method'] === method).map((one) => paramsOf(one)['of']);
    assert.deepEqual([moved(ann), moved(bob)], [['ann'], []]);
    const named = ann.heard.map((one) => Object(paramsOf(one)['_meta'])[metaKey.subscriptionId] as unknown);
    assert.equal(new Set(named).size, 1);
    for (const client of [ann, bob]) client.close();
  });

  it('warns if the server refuses to tell of tasks, and not if the client left', async (t) => {
    const warnings: string[] = [];
    let isRefused = false;
    const transport = scripted(newest, {
      'tools/call': createdAs(newest, 'x'),
      'subscriptions/listen': (sent, peer) => {
        if (isRefused) return peer.refuse(sent, { code: -32603, message: 'not today' });
        const _meta = { [metaKey.subscriptionId]: sent.message['id'] };
        const params = { notifications: { taskIds: ['x'] }, _meta };
        peer.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params });
      },
    });
    const client = await clientAt(await bridgeTo(t, transport, { warnings }), newest);
    const { taskId } = await begun(client, newest);
    const listen = (): Promise<unknown> =>
      client.ask('subscriptions/listen', { notifications: { taskIds: [taskId] } }).catch(() => undefined);
    void listen();
    await until(() => client.heard.length > 0, 'the acknowledgement');
    client.close();
    await settle();
    assert.deepEqual(warnings, []);
    isRefused = true;
    const other = await clientAt(await bridgeTo(t, transport, { warnings }), newest);
    const { taskId: second } = await begun(other, newest);
    void other.ask('subscriptions/listen', { notifications: { taskIds: [second] } }).catch(() => undefined);
    await until(() => other.heard.length > 0, 'the acknowledgement');
    assert.match(warnings.join(), /^the tasks of a client cannot be followed: .*not today/);
    other.close();
  });

  it('agrees to tell of no task where the server does not', async (t) => {
    const bridge = await bridgeTo(t, scripted(newest, { 'tools/call': createdAs(newest, 'x') }));
    const client = await clientAt(bridge, newest);
    const { taskId } = await begun(client, newest);
    void client
      .ask('subscriptions/listen', { notifications: { taskIds: [taskId], toolsListChanged: true } })
      .catch(() => undefined);
    await until(() => client.heard.length > 0, 'the acknowledgement');
    assert.deepEqual(paramsOf(client.heard[0])['notifications'], { taskIds: [] });
    client.close();
  });
});
