/** Notifications of extensions on streams of a stateless server, before clients that share the bridge's connection. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeTo } from '../../../../test/support/bridged.ts';
import { begun, clientAt, core, createdAs, scripted } from '../../../../test/support/bridged-tasks.ts';
import { open, settle, type Json, type Raw } from '../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import { casts, twoPeople } from '../../../../test/support/two-people.ts';
import { until } from '../../../../test/support/turns.ts';
import { metaKey } from '../protocol/meta.ts';
import type { ScriptedPeer, SentMessage } from '../testing/scripted.ts';

const moved = 'notifications/x.example/moved';

/** Streams of the upstream, by the resource that each is about. */
type Streams = Map<string, readonly [SentMessage, ScriptedPeer]>;

/** A server that watches everything, and tells of its extension with each acknowledgement. */
function watching(kind: 'memory' | 'http', streams: Streams) {
  return scriptedUpstream({
    up: '2026-07-28',
    kind,
    capabilities: { resources: { subscribe: true } },
    answers: {
      'subscriptions/listen': (sent, peer) => {
        const { notifications } = Object(sent.message['params']);
        const params = { notifications, _meta: metaOf(sent) };
        streams.set(String(notifications.resourceSubscriptions), [sent, peer]);
        say([sent, peer], 'notifications/subscriptions/acknowledged', params);
        say([sent, peer], moved, { early: true, _meta: metaOf(sent) });
      },
    },
  });
}

function metaOf({ message }: SentMessage): Json {
  return { [metaKey.subscriptionId]: message['id'] };
}

function say([sent, peer]: readonly [SentMessage, ScriptedPeer], method: string, params: Json): void {
  peer.within(sent, { jsonrpc: '2.0', method, params });
}

/** Listens to a resource; what the acknowledgement brought is taken. */
async function listens(raw: Raw, uri: string, id: number): Promise<readonly Json[]> {
  void raw.send('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }, id);
  await until(() => raw.heard.length > 0);
  await settle();
  return raw.take();
}

const movedOf = (heard: readonly Json[]): readonly unknown[] =>
  heard.flatMap(({ method, params }) => (method === moved ? [params] : []));

const kinds = ['memory', 'http'] as const;

for (const [kind, cast] of kinds.flatMap((one) => casts.map((cast) => [one, cast] as const))) {
  it(`a notification of an extension goes by its subscription id over ${kind}, of ${cast.title}`, async (t) => {
    const streams: Streams = new Map();
    const bridge = await bridgeTo(t, watching(kind, streams));
    const [ann, bob] = await twoPeople(bridge, cast);
    const early = await listens(ann, 'memo:ann', 7);
    assert.deepEqual(
      early.map(({ method }) => method),
      ['notifications/subscriptions/acknowledged', moved],
    );
    assert.deepEqual(movedOf(early), [{ early: true, _meta: { [metaKey.subscriptionId]: 7 } }]);
    await listens(bob, 'memo:bob', 8);
    assert.deepEqual(ann.take(), []);
    const stream = streams.get('memo:bob');
    assert.ok(stream !== undefined);
    say(stream, moved, { of: 'bob', _meta: { own: 1, ...metaOf(stream[0]) } });
    await settle();
    assert.deepEqual(movedOf(bob.take()), [{ of: 'bob', _meta: { own: 1, [metaKey.subscriptionId]: 8 } }]);
    assert.deepEqual(ann.take(), []);
  });

  it(`a notification of an extension on a stream of two clients goes to nobody over ${kind}, of ${cast.title}`, async (t) => {
    const streams: Streams = new Map();
    const bridge = await bridgeTo(t, watching(kind, streams));
    const [ann, bob] = await twoPeople(bridge, cast);
    await listens(ann, 'memo:one', 7);
    await listens(bob, 'memo:one', 8);
    const stream = streams.get('memo:one');
    assert.ok(stream !== undefined);
    for (const _meta of [metaOf(stream[0]), { [metaKey.subscriptionId]: 99 }, {}]) say(stream, moved, { _meta });
    await settle();
    assert.deepEqual([ann.take(), bob.take()], [[], []]);
  });

  it(`a notification of an extension on the connection of a session reaches its client over ${kind}, of ${cast.title}`, async (t) => {
    const streams: Streams = new Map();
    const bridge = await bridgeTo(t, watching(kind, streams));
    const [ann, bob] = await twoPeople(bridge, cast, {}, '2025-11-25');
    await ann.result('resources/subscribe', { uri: 'memo:ann' });
    ann.take();
    const stream = streams.get('memo:ann');
    assert.ok(stream !== undefined);
    say(stream, moved, { of: 'ann', _meta: { own: 1, ...metaOf(stream[0]) } });
    await settle();
    assert.deepEqual(movedOf(ann.take()), [{ of: 'ann', _meta: { own: 1 } }]);
    assert.deepEqual(bob.take(), []);
  });
}

it('a change on the connection of one client’s calls brings others none of its words', async (t) => {
  const upstream = scriptedUpstream({
    up: '2025-11-25',
    capabilities: { tools: { listChanged: true } },
    answers: {
      'tools/call': (sent, peer) => {
        const params = { more: 1, _meta: { 'x.example/of': 'ann' } };
        peer.within(sent, { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params });
        peer.reply(sent, { content: [] });
      },
    },
  });
  const bridge = await bridgeTo(t, upstream);
  const [ann, bob] = [await open(bridge, '2026-07-28'), await open(bridge, '2026-07-28')];
  void bob.send('subscriptions/listen', { notifications: { toolsListChanged: true } }, 1);
  await until(() => bob.take().length > 0);
  await ann.result('tools/call', { name: 'any' });
  await until(() => bob.heard.length > 0);
  assert.deepEqual(
    bob.take().map(({ params }) => params),
    [{ _meta: { [metaKey.subscriptionId]: 1 } }],
  );
});

it('a notification of an extension on the stream for changes of lists is for no client', async (t) => {
  const changed = 'notifications/tools/list_changed';
  let stream: readonly [SentMessage, ScriptedPeer] | undefined;
  const upstream = scriptedUpstream({
    up: '2026-07-28',
    kind: 'http',
    capabilities: { tools: { listChanged: true } },
    answers: {
      'subscriptions/listen': (sent, peer) => {
        stream = [sent, peer];
        const { notifications } = Object(sent.message['params']);
        say(stream, 'notifications/subscriptions/acknowledged', { notifications, _meta: metaOf(sent) });
      },
    },
  });
  const raw = await open(await bridgeTo(t, upstream), '2026-07-28');
  void raw.send('subscriptions/listen', { notifications: { toolsListChanged: true } }, 7);
  await until(() => raw.heard.length > 0 && stream !== undefined);
  await settle();
  raw.take();
  assert.ok(stream);
  for (const method of [moved, changed]) say(stream, method, { _meta: metaOf(stream[0]) });
  await until(() => raw.heard.length > 0);
  await settle();
  assert.deepEqual(
    raw.take().map(({ method }) => method),
    [changed],
  );
});

for (const sharing of ['per-client', 'shared'] as const)
  it(`a notification of an extension on stdio goes by its related task to that client alone (${sharing})`, async (t) => {
    // Each is the connection on which a task began.
    const peers: ScriptedPeer[] = [];
    const upstream = scripted(core, {
      'tools/call': (sent, peer) => {
        peers.push(peer);
        peer.reply(sent, createdAs(core, `task-${peers.length}`));
      },
    });
    const bridge = await bridgeTo(t, upstream, { sharing });
    const [ann, bob] = [await clientAt(bridge, core), await clientAt(bridge, core)];
    const { taskId } = await begun(ann, core);
    await begun(bob, core);
    const _meta = { [metaKey.relatedTask]: { taskId: 'task-1' } };
    peers[0]?.send({ jsonrpc: '2.0', method: moved, params: { of: 'ann', _meta } });
    if (sharing === 'per-client') await until(() => ann.heard.length > 0);
    await settle();
    // On a connection of several clients, no client can be known to have the task.
    const told = { of: 'ann', _meta: { [metaKey.relatedTask]: { taskId } } };
    assert.deepEqual(movedOf(ann.heard), sharing === 'shared' ? [] : [told]);
    assert.deepEqual(movedOf(bob.heard), []);
  });
