/** Who hears that a resource changed, in this process. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settle } from '../../../../test/support/raw.ts';
import type { ServerSession } from './runtime/server-core.ts';
import type { McpError } from '../protocol/error.ts';
import { Subscriptions } from './definition/subscriptions.ts';

const updated = 'notifications/resources/updated';

function scene(mayHear: (uri: string) => boolean = () => true, listeners = 1) {
  const subscriptions = new Subscriptions({ limits: { resourcesPerClient: 2, listeners }, mayHear });
  const session = () => {
    const heard: string[] = [];
    const changes: unknown[] = [];
    const one = {
      state: new Map(),
      auth: undefined,
      notify: (method: string, { uri }: { readonly uri?: string }) => void heard.push(uri ?? method),
      changed: (change: unknown) => void changes.push(change),
    } as unknown as ServerSession;
    subscriptions.opened(one);
    return { one, changes, take: () => heard.splice(0) };
  };
  const listener = (requestId: number) => {
    const sent: (readonly [string, unknown])[] = [];
    let leave = (): void => undefined;
    const call = {
      requestId,
      send: (method: string, params: unknown) => void sent.push([method, params]),
      onLeave: (run: () => void) => (leave = run),
    };
    return { call: call as never, take: () => sent.splice(0), leave: () => leave() };
  };
  const update = async (...uris: readonly string[]): Promise<void> => {
    for (const uri of uris) subscriptions.resourceUpdated(uri);
    await settle();
  };
  return { subscriptions, session, listener, update };
}

describe('a session', () => {
  test('hears of the resources that it watches, once for each turn, until it ends', async () => {
    const { subscriptions, session, update } = scene();
    const [one, other] = [session(), session()];
    subscriptions.watch(one.one, 'a:1');
    subscriptions.watch(one.one, 'a:2');
    subscriptions.watch(other.one, 'a:1');
    await update('a:1', 'a:1', 'a:3');
    assert.deepEqual([one.take(), other.take()], [['a:1'], ['a:1']]);
    subscriptions.unwatch(one.one, 'a:1');
    subscriptions.unwatch(one.one, 'a:9');
    await update('a:1', 'a:2');
    assert.deepEqual([one.take(), other.take()], [['a:2'], ['a:1']]);
    assert.deepEqual(one.changes, [
      { kind: 'watch', uri: 'a:1' },
      { kind: 'watch', uri: 'a:2' },
      { kind: 'unwatch', uri: 'a:1' },
    ]);
    subscriptions.closed(one.one);
    subscriptions.closed(other.one);
    assert.equal(subscriptions.watched.size, 0);
    subscriptions.watch(one.one, 'a:1');
    assert.equal(subscriptions.watched.size, 0);
  });

  test('watches what its client asked another process for, and nothing else', async () => {
    const { subscriptions, session, update } = scene();
    const { one, take } = session();
    subscriptions.watch(one, 'a:1');
    subscriptions.watch(one, 'a:2');
    subscriptions.watches(one, ['a:2', 'a:3']);
    await settle();
    assert.deepEqual(take(), ['a:3']);
    await update('a:1', 'a:2', 'a:3');
    assert.deepEqual(take(), ['a:2', 'a:3']);
    assert.deepEqual([...subscriptions.watched.keys()], ['a:2', 'a:3']);
    subscriptions.watches(one, []);
    await update('a:2', 'a:3');
    assert.deepEqual([take(), subscriptions.watched.size], [[], 0]);
  });

  test('may watch as many resources as allowed, of 8,192 characters together', () => {
    const { subscriptions, session } = scene();
    const { one } = session();
    const long = `a:${'x'.repeat(8_190 - 3)}`;
    subscriptions.watch(one, long);
    const refused = (uri: string): void =>
      assert.throws(
        () => subscriptions.watch(one, uri),
        (error: McpError) => error.kind === 'invalidRequest',
      );
    refused('a:123');
    subscriptions.watch(one, 'a:1');
    subscriptions.watch(one, 'a:1');
    refused('a:2');
  });

  test('hears of nothing that it may not know of, and of all that it may have missed', async () => {
    const { subscriptions, session, update } = scene((uri) => uri === 'a:1');
    const { one, take } = session();
    subscriptions.watch(one, 'a:1');
    subscriptions.watch(one, 'a:2');
    await update('a:1', 'a:2');
    assert.deepEqual(take(), ['a:1']);
    subscriptions.missed(one);
    const lists = ['prompts', 'resources', 'tools'].map((list) => `notifications/${list}/list_changed`);
    assert.deepEqual(take().toSorted(), ['a:1', ...lists]);
  });
});

describe('a listen stream', () => {
  const all = new Set(['tools', 'updates', 'tasks'] as const) as never;

  test('acknowledges what it will hear of, and hears until its client leaves', async () => {
    const { subscriptions, listener, update } = scene();
    const { call, take, leave } = listener(7);
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 7 };
    const asked = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ['a:1', 'a:2', 'a:3'],
      taskIds: ['t'],
    };
    const ended = subscriptions.listen(call, asked, all);
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['a:1', 'a:2'], taskIds: ['t'] };
    assert.deepEqual(take(), [['notifications/subscriptions/acknowledged', { notifications, _meta }]]);
    assert.throws(() => subscriptions.listen(listener(8).call, {}, all), /the limit is 1/);
    subscriptions.listChanged('tools');
    subscriptions.listChanged('prompts');
    await update('a:1', 'a:3');
    assert.deepEqual(take(), [
      ['notifications/tools/list_changed', { _meta }],
      [updated, { uri: 'a:1', _meta }],
    ]);
    leave();
    assert.deepEqual(await ended, { _meta });
    await update('a:1');
    assert.deepEqual([take(), subscriptions.watched.size], [[], 0]);
    void subscriptions.listen(listener(8).call, {}, all);
  });

  test('of what is not offered hears nothing, and ends with the server', async () => {
    const { subscriptions, listener } = scene();
    const { call, take } = listener('x' as never);
    const asked = { toolsListChanged: true, resourceSubscriptions: ['a:1'], taskIds: ['t'] };
    const ended = subscriptions.listen(call, asked, new Set());
    assert.deepEqual(Object(take()[0]?.[1]).notifications, {});
    subscriptions.listChanged('tools');
    await settle();
    assert.deepEqual(take(), []);
    await subscriptions.end();
    assert.deepEqual(await ended, { _meta: { 'io.modelcontextprotocol/subscriptionId': 'x' } });
  });
});

test('the end waits for what goes to other processes', async () => {
  const { subscriptions } = scene();
  let close = (): void => undefined;
  const closing = new Promise<void>((resolve) => (close = resolve));
  subscriptions.share(Promise.resolve({ close: () => closing } as never));
  let isOver = false;
  const ended = subscriptions.end().then(() => (isOver = true));
  await settle();
  assert.equal(isOver, false);
  close();
  await ended;
});

describe('very many who hear of a change', () => {
  const count = 200;

  test('are told in slices, between which others have their turn', async () => {
    const { subscriptions, session, listener } = scene(undefined, count);
    const filter = { toolsListChanged: true, resourceSubscriptions: ['a:1'] };
    const heard = (all: readonly { take(): readonly unknown[] }[]) => (): number =>
      all.filter(({ take }) => take().length > 0).length;
    const sessions = Array.from({ length: count }, () => session());
    for (const { one } of sessions) subscriptions.watch(one, 'a:1');
    const streams = Array.from({ length: count }, (_, id) => listener(id));
    const ends = streams.map(({ call }) => subscriptions.listen(call, filter, new Set(['tools', 'updates'] as const)));
    const [ofSessions, ofStreams] = [heard(sessions), heard(streams)];
    ofStreams();
    for (const tell of [() => subscriptions.resourceUpdated('a:1'), () => subscriptions.listChanged('tools')]) {
      tell();
      const told = { sessions: 0, streams: 0, most: 0 };
      while (told.sessions + told.streams < 2 * count) {
        await settle();
        const now = [ofSessions(), ofStreams()] as const;
        told.sessions += now[0];
        told.streams += now[1];
        told.most = Math.max(told.most, now[0] + now[1]);
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.deepEqual([told.sessions, told.streams], [count, count]);
      assert.ok(told.most < count, `${told.most} in one turn`);
    }
    const ended = subscriptions.end();
    let over = 0;
    for (const end of ends) void end.then(() => over++);
    await settle();
    assert.ok(over < count);
    await ended;
    await Promise.all(ends);
  });
});
