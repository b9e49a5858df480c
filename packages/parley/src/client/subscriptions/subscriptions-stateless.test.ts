import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  stateless,
  handshake,
  idKey,
  listened,
  notification,
  acknowledging,
  paramsOf,
  everything,
} from '../../../../../test/support/listened.ts';
import { turns } from '../../../../../test/support/turns.ts';
import type { Script } from '../../testing/scripted.ts';
import type { SubscriptionEvent } from '../api/subscription.ts';

describe('a subscription at a stateless revision', () => {
  it('is one listen request, with what is wanted alone [C64] [C65] [C67]', async () => {
    const one = await listened(acknowledging());
    await one.client.subscribe(everything, one.heard);
    await one.client.subscribe({ prompts: true, tools: false, updates: [] }, one.heard);
    const filters = paramsOf(one, 'subscriptions/listen').map(
      (params) => (params as { notifications: unknown }).notifications,
    );
    assert.deepEqual(filters, [
      {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['file:///x', 'file:///y'],
      },
      { promptsListChanged: true },
    ]);
    assert.equal(one.transport.listens, 0);
  });

  it('never opens the stream that handshake revisions have [C62] [C63]', async () => {
    const one = await listened(acknowledging(), { kind: 'http' });
    await one.client.subscribe(everything, one.heard);
    assert.equal(one.transport.listens, 0);
    assert.ok(!one.transport.methods.includes('resources/subscribe'));
  });

  it('says what the server agreed to, and no more than was asked [subs-005] [C66]', async () => {
    const agreed = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ['file:///y', 'file:///z'],
    };
    const one = await listened(acknowledging(agreed));
    const topics = { tools: true, resources: true, updates: ['file:///x', 'file:///y'] };
    const subscription = await one.client.subscribe(topics, one.heard);
    assert.deepEqual(subscription.honored, { tools: true, updates: ['file:///y'] });
  });

  it('tells what changed', async () => {
    const one = await listened(acknowledging());
    await one.client.subscribe(everything, one.heard);
    const [id] = one.ids();
    one.peer().send(notification('notifications/tools/list_changed', id));
    one.peer().send(notification('notifications/prompts/list_changed', id));
    one.peer().send(notification('notifications/resources/list_changed', id));
    one.peer().send(notification('notifications/resources/updated', id, { uri: 'file:///x' }));
    one.peer().send(notification('notifications/resources/updated', id, { uri: 'part-of-y' }));
    assert.deepEqual(one.events, [
      { type: 'list', list: 'tools' },
      { type: 'list', list: 'prompts' },
      { type: 'list', list: 'resources' },
      { type: 'update', uri: 'file:///x' },
      { type: 'update', uri: 'part-of-y' },
    ]);
    assert.deepEqual(one.warnings, []);
  });

  it('without subscriptionId is told what its topics cover, with a warning', async () => {
    const one = await listened((sent, peer) => {
      const { notifications } = sent.message['params'] as { readonly notifications: unknown };
      peer.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications } });
    });
    const other: SubscriptionEvent[] = [];
    const first = await one.client.subscribe({ tools: true, updates: ['file:///x'] }, one.heard);
    const second = await one.client.subscribe({ prompts: true }, (event) => void other.push(event));
    assert.deepEqual([first.honored, second.honored], [{ tools: true, updates: ['file:///x'] }, { prompts: true }]);
    for (const [what, params] of [
      ['tools/list_changed', {}],
      ['prompts/list_changed', {}],
      ['resources/list_changed', {}],
      ['resources/updated', { uri: 'file:///x' }],
      ['resources/updated', { uri: 'part-of-x' }],
    ] as const)
      one.peer().send({ jsonrpc: '2.0', method: `notifications/${what}`, params });
    assert.deepEqual(one.events, [
      { type: 'list', list: 'tools' },
      { type: 'update', uri: 'file:///x' },
      { type: 'update', uri: 'part-of-x' },
    ]);
    assert.deepEqual(other, [{ type: 'list', list: 'prompts' }]);
    assert.equal(one.warnings.filter((warning) => /names no subscription/.test(warning)).length, 1);
  });

  it('is told apart from others by its id [subs-007] [stdio-008]', async () => {
    const one = await listened(acknowledging());
    const own: SubscriptionEvent[][] = [[], []];
    for (const events of own) await one.client.subscribe({ tools: true }, (event) => void events.push(event));
    const [first, second] = one.ids();
    one.peer().send(notification('notifications/tools/list_changed', second));
    assert.deepEqual(
      own.map((events) => events.length),
      [0, 1],
    );
    one.peer().send(notification('notifications/tools/list_changed', first));
    one.peer().send(notification('notifications/tools/list_changed', 'nobody'));
    assert.deepEqual(
      own.map((events) => events.length),
      [1, 1],
    );
  });

  it('of several opened at once each gets its own acknowledgement, in any order', async () => {
    const waiting: (() => void)[] = [];
    const one = await listened((sent, peer) => void waiting.unshift(() => void acknowledging()(sent, peer)));
    const opening = [{ tools: true }, { prompts: true }].map((topics) => one.client.subscribe(topics, one.heard));
    await turns();
    for (const acknowledge of waiting) acknowledge();
    const subscriptions = await Promise.all(opening);
    assert.deepEqual(
      subscriptions.map(({ honored }) => honored),
      [{ tools: true }, { prompts: true }],
    );
  });

  it('does not take progress and log messages, which is a warning [C64]', async () => {
    const logs: unknown[] = [];
    const options = {
      onLog: (message: unknown) => void logs.push(message),
      onProgress: (message: unknown) => void logs.push(message),
    };
    const one = await listened(acknowledging(), { options });
    await one.client.subscribe({ tools: true }, one.heard);
    const [id] = one.ids();
    one.peer().send(notification('notifications/message', id, { level: 'info', data: 'x' }));
    one.peer().send(notification('notifications/progress', id, { progressToken: 1, progress: 1 }));
    assert.deepEqual([logs, one.events], [[], []]);
    assert.equal(one.warnings.length, 2);
    one.peer().send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } });
    assert.equal(logs.length, 1);
  });

  it('does not take what was not asked for, which is a warning', async () => {
    const one = await listened(acknowledging());
    await one.client.subscribe({ tools: true }, one.heard);
    const [id] = one.ids();
    one.peer().send(notification('notifications/prompts/list_changed', id));
    one.peer().send(notification('notifications/resources/updated', id, { uri: 'file:///x' }));
    one.peer().send(notification('notifications/resources/updated', id, { uri: 7 }));
    assert.deepEqual(one.events, []);
    assert.equal(one.warnings.length, 2);
  });

  it('survives a listener that throws', async () => {
    const one = await listened(acknowledging());
    await one.client.subscribe({ tools: true }, () => {
      throw new Error('mine');
    });
    one.peer().send(notification('notifications/tools/list_changed', one.ids()[0]));
    assert.match(one.warnings.join(), /threw/);
  });

  for (const [name, script, kind] of [
    ['a refusal', (sent, peer) => peer.refuse(sent, { code: -32601, message: 'no' }), 'methodNotFound'],
    [
      'a malformed acknowledgement',
      (sent, peer) =>
        peer.send(notification('notifications/subscriptions/acknowledged', sent.message['id'], { notifications: 7 })),
      'invalid-message',
    ],
    [
      'an end without acknowledgement',
      (sent, peer) => peer.reply(sent, { _meta: { [idKey]: sent.message['id'] } }),
      'closed',
    ],
  ] as readonly (readonly [string, Script, string])[]) {
    it(`fails with ${name}`, async () => {
      const one = await listened(script);
      await assert.rejects(
        one.client.subscribe({ tools: true }, one.heard),
        (error: { kind?: string; reason?: string }) => {
          assert.equal(error.kind ?? error.reason, kind);
          return true;
        },
      );
      assert.equal(one.ids().length, 1);
    });
  }

  it('is refused here when it is about nothing, or about too much', async () => {
    const one = await listened(acknowledging());
    const many = Array.from({ length: 10_001 }, (_, at) => `file:///${at}`);
    for (const topics of [{}, { tools: false, updates: [] }, { updates: many }])
      await assert.rejects(one.client.subscribe(topics, one.heard), TypeError);
    assert.deepEqual(one.ids(), []);
  });

  it('is closed with the client, which is graceful', async () => {
    const one = await listened(acknowledging());
    const subscription = await one.client.subscribe({ tools: true }, one.heard);
    await one.client.close();
    assert.deepEqual(await subscription.closed, { graceful: true });
  });

  it('settles first whether a server that is only remembered still speaks so', async () => {
    const first = await listened(acknowledging());
    const negotiated = first.client.negotiated;
    const one = await listened((sent, peer) => (sent.message['id'] === undefined ? undefined : peer.reply(sent, {})), {
      revision: handshake,
      options: { negotiated },
    });
    assert.equal(one.client.revision, stateless);
    const subscription = await one.client.subscribe({ tools: true, updates: ['file:///x'] }, one.heard);
    assert.equal(one.client.revision, handshake);
    assert.deepEqual(subscription.honored, { tools: true, updates: ['file:///x'] });
  });
});
