/** What a server sends on a connection beside its answers, and whom it is for. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callOf, connection, loud } from '../../../../../test/support/played-connection.ts';
import { settle } from '../../../../../test/support/raw.ts';
import type { JsonObject } from '../../protocol/features/common.ts';

const message = { level: 'info', data: 'text' } as const;

describe('a log message', () => {
  async function running(...calls: readonly ReturnType<typeof callOf>[]) {
    // Requests go in their order where no level is set first.
    const scene = connection({ logging: false });
    const all = calls.map(({ call }) => scene.upstream.carry({}, call));
    await settle();
    return {
      ...scene,
      end: async () => {
        for (const request of scene.requests) await request.answer();
        await Promise.all(all);
        scene.took();
      },
    };
  }

  test('is for the call in whose exchange it came, if that wants it', async () => {
    const [one, other] = [loud(), callOf({ logLevel: 'error' })];
    const { events, took, end } = await running(one, other);
    events().onLog(message, { request: 1 } as never);
    events().onLog(message, { request: 2 } as never);
    events().onLog({ ...message, level: 'error' }, { request: 2 } as never);
    assert.deepEqual([one.heard, other.heard, took()], [['text'], ['text'], []]);
    await end();
  });

  test('that names no call is for the only one that can have caused it', async () => {
    const only = loud();
    const alone = await running(only);
    alone.events().onLog(message, { request: undefined } as never);
    assert.deepEqual([only.heard, alone.took()], [['text'], []]);
    await alone.end();

    const two = [loud(), callOf()];
    const scene = await running(...two);
    scene.events().onLog(message, { request: undefined } as never);
    assert.deepEqual([two.map(({ heard }) => heard), scene.took()], [[[], []], ['heard text']]);
    await scene.end();
  });

  for (const [title, one, other] of [
    ['sessions', { session: { state: {} } }, { session: { state: {} } }],
    ['principals', { auth: { principal: 'ann' } }, { auth: { principal: 'bob' } }],
    ['a session and none', { session: { state: {} } }, {}],
  ] as const)
    for (const up of ['2025-11-25', '2026-07-28'] as const)
      test(`that names no call is for no call after those of two clients: ${title}, server of ${up}`, async () => {
        const asCall = (more: object): ReturnType<typeof callOf> => callOf({ logLevel: 'debug', ...more });
        const [ended, running_] = [asCall(one), asCall(other)];
        const scene = connection({ up, options: { events: { onWarning: (text) => warnings.push(text) } } });
        const warnings: string[] = [];
        const first = scene.upstream.carry({}, ended.call);
        await settle();
        await scene.requests[0]?.answer();
        await first;
        const second = scene.upstream.carry({}, running_.call);
        await settle();
        scene.events().onLog(message, { request: undefined } as never);
        scene.events().onLog(message, { request: 2 } as never);
        assert.deepEqual([ended.heard, running_.heard], [[], ['text']]);
        assert.match(warnings.join(), /while several clients use the connection: messages without a call are dropped$/);
        // Another process knows nothing of the first client.
        scene.opened[0]?.end();
        await settle();
        scene.events().onLog(message, { request: undefined } as never);
        assert.deepEqual(running_.heard, ['text', 'text']);
        await scene.requests[1]?.answer();
        await second;
      });

  test('of a stateless server is for the only call that wants such messages, after calls that wanted none', async () => {
    const [quiet, wanting] = [
      callOf({ session: { state: {} } } as never),
      callOf({ logLevel: 'debug', session: { state: {} } } as never),
    ];
    const scene = connection({ up: '2026-07-28' });
    const first = scene.upstream.carry({}, quiet.call);
    await settle();
    await scene.requests[0]?.answer();
    await first;
    const second = scene.upstream.carry({}, wanting.call);
    await settle();
    scene.events().onLog(message, { request: undefined } as never);
    assert.deepEqual([quiet.heard, wanting.heard], [[], ['text']]);
    await scene.requests[1]?.answer();
    await second;
  });

  test('after the last call is for whoever hears the connection, as that call wanted it', async () => {
    const scene = await running(callOf({ logLevel: 'warning' }));
    await scene.end();
    scene.events().onLog(message, { request: undefined } as never);
    scene.events().onLog({ ...message, level: 'error' }, { request: undefined } as never);
    assert.deepEqual(scene.took(), ['heard text']);
  });
});

describe('a notification', () => {
  test('that the protocol knows is for whoever hears the connection', async () => {
    const { upstream, events, took } = connection();
    await upstream.client();
    upstream.calls.began('t');
    const told = (method: string, params: JsonObject, request?: number): void =>
      events().onNotification(method, params, { request } as never);
    told('notifications/tools/list_changed', {}, 7);
    told('notifications/tasks/status', { taskId: 't', status: 'working' });
    assert.equal(upstream.calls.hasTasks, true);
    told('notifications/tasks/status', { taskId: 't', status: 'completed' });
    assert.equal(upstream.calls.hasTasks, false);
    told('notifications/progress', { progressToken: 1, progress: 1 });
    const status = 'notifications/tasks/status';
    assert.deepEqual(took(), ['notifications/tools/list_changed', status, status]);
  });

  test('of an extension is for the call in whose exchange it came; the streams of the connection hear others', async () => {
    for (const isOwn of [false, true]) {
      const { upstream, requests, events, took } = connection({ isOwn });
      const { call, heard } = callOf();
      const calling = upstream.carry({}, call);
      await settle();
      const moved = 'notifications/x.example/moved';
      events().onNotification(moved, {}, { request: 1 } as never);
      events().onNotification(moved, {}, { request: undefined } as never);
      await requests[0]?.answer();
      await calling;
      events().onNotification(moved, {}, { request: 1 } as never);
      assert.deepEqual([heard, took()], [[moved], [moved, moved]]);
    }
  });
});

describe('a question of the server', () => {
  const signal = new AbortController().signal;
  const asked = { signal, request: undefined } as never;

  test('on the connection of a session is for its call, or for the latest', async () => {
    const { upstream, requests, events, took } = connection({ isOwn: true });
    const calls = [callOf(), callOf()];
    const all = calls.map(({ call }) => upstream.carry({}, call));
    await settle();
    const [one, other] = calls.map(({ call }) => call.requestId);
    const on = async (request: number | undefined): Promise<unknown> =>
      (await events().onRequest('roots/list', {}, { signal, request } as never))['on'];
    assert.deepEqual([await on(1), await on(2), await on(undefined), await on(9)], [one, other, other, other]);
    for (const request of requests) await request.answer();
    await Promise.all(all);
    assert.deepEqual([await on(undefined), took()], [undefined, []]);
  });

  test('on a shared one is for the call that may be asked', async () => {
    const { upstream, requests, events, took } = connection();
    const calling = upstream.carry({}, callOf({ ask: async () => ({ roots: [] }) }).call);
    await settle();
    assert.deepEqual(await events().onRequest('roots/list', {}, asked), { roots: [] });
    assert.deepEqual([took(), upstream.doubtful], [['asked'], false]);
    await requests[0]?.answer();
    await calling;
    // It comes for a call that has ended: nobody knows when that stops.
    await assert.rejects(events().onRequest('roots/list', {}, asked));
    assert.equal(upstream.doubtful, true);
    events().onReconnect();
    await assert.rejects(events().onRequest('roots/list', {}, asked));
    assert.equal(upstream.doubtful, false);
  });
});
