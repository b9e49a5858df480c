/** Watches of single resources, where all clients share one connection to a stateless server. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bridgeTo } from '../../../../../test/support/bridged.ts';
import { open, settle, statelessDate, type Json, type Raw } from '../../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../../test/support/scripted-upstream.ts';
import { until } from '../../../../../test/support/turns.ts';
import { metaKey } from '../../protocol/meta.ts';
import type { ScriptedPeer, SentMessage } from '../../testing/scripted.ts';
import type { Bridge } from '../bridge.ts';

/** A stateless server that watches whatever it is asked to, but for what is called bad. */
class Watching {
  readonly #streams = new Map<unknown, { readonly sent: SentMessage; readonly peer: ScriptedPeer }>();
  readonly #upstream = scriptedUpstream({
    up: statelessDate,
    capabilities: { resources: { subscribe: true } },
    answers: { 'subscriptions/listen': (sent, peer) => this.#listen(sent, peer) },
  });
  readonly warnings: string[] = [];
  begun = 0;

  bridge(t: TestContext): Promise<Bridge> {
    return bridgeTo(t, this.#upstream, { warnings: this.warnings });
  }

  /** The resources of every open stream. */
  get streams(): readonly (readonly string[])[] {
    for (const { message } of this.#upstream.sent)
      if (message['method'] === 'notifications/cancelled') this.#streams.delete(Object(message['params']).requestId);
    return [...this.#streams.values()].map(({ sent }) => urisOf(sent));
  }

  update(uri: string): void {
    for (const [id, { sent, peer }] of this.#streams) {
      const params = { uri, _meta: { [metaKey.subscriptionId]: id } };
      if (urisOf(sent).includes(uri)) peer.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params });
    }
  }

  /** Ends every stream in good order. */
  end(): void {
    for (const [id, { sent, peer }] of this.#streams)
      peer.reply(sent, { resultType: 'complete', _meta: { [metaKey.subscriptionId]: id } });
    this.#streams.clear();
  }

  #listen(sent: SentMessage, peer: ScriptedPeer): void {
    this.begun++;
    const { id } = sent.message;
    if (urisOf(sent).includes('memo:bad')) return peer.refuse(sent, { code: -32602, message: 'not that one' });
    this.#streams.set(id, { sent, peer });
    const { notifications } = Object(sent.message['params']);
    const params = { notifications, _meta: { [metaKey.subscriptionId]: id } };
    peer.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params });
  }
}

function urisOf({ message }: SentMessage): readonly string[] {
  return Object(Object(message['params']).notifications).resourceSubscriptions ?? [];
}

function urisHeard(raw: Raw): unknown[] {
  return raw
    .take()
    .filter(({ method }) => method === 'notifications/resources/updated')
    .map(({ params }) => Object(params).uri);
}

/** What a client asks for beside the parameters of a revision. */
function listenTo(...resourceSubscriptions: string[]): Json {
  return { notifications: { resourceSubscriptions } };
}

describe('a handshake session that watches a resource of a stateless server', () => {
  // "loses its resource watch for good when the upstream ends the listen stream in good order"
  it('is followed again when the stream ended in good order, and told', async (t) => {
    // Closing takes a turn of the real clock.
    t.after(() => t.mock.timers.reset());
    const server = new Watching();
    const raw = await open(await server.bridge(t), '2025-06-18');
    await raw.result('resources/subscribe', { uri: 'memo:one' });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    for (let ends = 0; ends < 3; ends++) {
      server.end();
      await until(() => {
        t.mock.timers.tick(1_000);
        return raw.heard.length > 0;
      });
      assert.deepEqual(urisHeard(raw), ['memo:one']);
      server.update('memo:one');
      await until(() => raw.heard.length > 0);
      assert.deepEqual(urisHeard(raw), ['memo:one']);
    }
    await raw.result('resources/unsubscribe', { uri: 'memo:one' });
    await until(() => server.streams.length === 0);
    t.mock.timers.tick(60_000);
    await settle();
    assert.equal(server.begun, 4);
  });

  it('is not followed again when it ended meanwhile, or the bridge did', async (t) => {
    t.after(() => t.mock.timers.reset());
    const server = new Watching();
    const bridge = await server.bridge(t);
    const [leaving, closing] = [await open(bridge, '2025-06-18'), await open(bridge, '2025-06-18')];
    await leaving.result('resources/subscribe', { uri: 'memo:one' });
    await closing.result('resources/subscribe', { uri: 'memo:two' });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    server.end();
    await settle();
    await leaving.result('resources/unsubscribe', { uri: 'memo:one' });
    t.mock.timers.reset();
    await bridge.close();
    assert.equal(server.begun, 2);
  });
});

describe('clients that watch resources of one stateless server', () => {
  // "Shared watches: one refused URI leaks the others' streams"
  it('leave no stream behind when one resource of several is refused', async (t) => {
    const server = new Watching();
    const bridge = await server.bridge(t);
    const [session, other] = [await open(bridge, '2025-11-25'), await open(bridge, statelessDate)];
    await session.result('resources/subscribe', { uri: 'memo:one' });
    for (let tries = 0; tries < 3; tries++)
      assert.equal(
        (await other.error('subscriptions/listen', listenTo('memo:one', 'memo:two', 'memo:bad'))).code,
        -32602,
      );
    assert.equal((await session.error('resources/subscribe', { uri: 'memo:bad' })).code, -32602);
    assert.deepEqual(server.streams, [['memo:one']]);
    server.update('memo:one');
    await until(() => session.heard.length > 0);
    assert.deepEqual(other.take(), []);
    await session.result('resources/unsubscribe', { uri: 'memo:one' });
    await until(() => server.streams.length === 0);
  });

  it('have streams of their own, as many as one client may have', async (t) => {
    const server = new Watching();
    const bridge = await server.bridge(t);
    const [first, second] = await Promise.all(
      ['first', 'second'].map((principal) => open(bridge, '2025-11-25', { auth: { principal } })),
    );
    const all = Array.from({ length: 450 }, (_, at) => `memo:${at}`);
    for (const uri of all) await first?.result('resources/subscribe', { uri });
    const error = await first?.error('resources/subscribe', { uri: 'memo:more' });
    const message = 'too many streams of resource subscriptions of one principal; the limit is 450';
    assert.deepEqual(error, { code: -32600, message });
    await second?.result('resources/subscribe', { uri: 'memo:more' });
    await second?.result('resources/subscribe', { uri: 'memo:0' });
    assert.deepEqual(
      server.streams,
      [...all, 'memo:more'].map((uri) => [uri]),
    );
    for (const uri of ['memo:0', 'memo:449', 'memo:more']) server.update(uri);
    await settle();
    assert.deepEqual(
      [first, second].map((raw) => raw && urisHeard(raw)),
      [
        ['memo:0', 'memo:449'],
        ['memo:0', 'memo:more'],
      ],
    );
    for (const uri of all) await first?.result('resources/unsubscribe', { uri });
    await until(() => server.streams.length === 2);
    await first?.result('resources/subscribe', { uri: 'memo:again' });
  });

  it('hear of parts of what they watch, once, whoever watches those too', async (t) => {
    const server = new Watching();
    const bridge = await server.bridge(t);
    const [whole, part] = [await open(bridge, '2025-11-25'), await open(bridge, '2025-11-25')];
    await whole.result('resources/subscribe', { uri: 'memo:one' });
    await part.result('resources/subscribe', { uri: 'memo:one/part' });
    server.update('memo:one/part');
    await until(() => whole.heard.length > 0 && part.heard.length > 0);
    assert.deepEqual([urisHeard(whole), urisHeard(part)], [['memo:one/part'], ['memo:one/part']]);
  });

  it('leave room for each other, whatever one of them watches', async (t) => {
    const server = new Watching();
    const bridge = await server.bridge(t);
    const [greedy, other] = await Promise.all(
      ['greedy', 'other'].map((principal) => open(bridge, statelessDate, { auth: { principal } })),
    );
    const thousand = (at: number): Json => listenTo(...Array.from({ length: 1_000 }, (_, nth) => `memo:${at}/${nth}`));
    for (let at = 0; at < 50; at++) {
      void greedy?.send('subscriptions/listen', thousand(at), at);
      await until(() => greedy?.heard.length === at + 1);
    }
    const error = await greedy?.error('subscriptions/listen', listenTo('memo:more'));
    assert.deepEqual(error, {
      code: -32600,
      message: 'too many resource subscriptions of one principal; the limit is 50000',
    });
    void other?.send('subscriptions/listen', listenTo('memo:more'), 'mine');
    await until(() => other?.heard.length === 1);
    // What is not watched any more leaves its room.
    await greedy?.notify('notifications/cancelled', { requestId: 7 });
    await until(() => server.streams.length === 50);
    void greedy?.send('subscriptions/listen', thousand(50), 50);
    await until(() => greedy?.heard.length === 51);
  });

  it('leave room for each other, however many streams one of them opens at once', async (t) => {
    const answers = { 'subscriptions/listen': () => undefined };
    const upstream = scriptedUpstream({ up: statelessDate, capabilities: { resources: { subscribe: true } }, answers });
    const bridge = await bridgeTo(t, upstream);
    const [greedy, other] = await Promise.all(
      ['greedy', 'other'].map((principal) => open(bridge, statelessDate, { auth: { principal } })),
    );
    const outcomes = Array.from({ length: 1_000 }, async (_, at) =>
      greedy?.send('subscriptions/listen', listenTo(`memo:${at}`), at),
    );
    const refused = Object((await outcomes.at(-1))?.['error']);
    assert.match(refused.message, /too many streams of resource subscriptions of one principal; the limit is 450/);
    void other?.send('subscriptions/listen', listenTo('memo:more'), 'mine');
    await until(() => upstream.sent.some((sent) => urisOf(sent).includes('memo:more')));
  });
});

/** Time that a test lets pass, for streams that last and those that do not. */
function clockOf(t: TestContext): (seconds: number) => Promise<void> {
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  return async (seconds) => {
    for (let second = 0; second < seconds; second++) {
      now += 1_000;
      t.mock.timers.tick(1_000);
      for (let turn = 0; turn < 10; turn++) await settle();
    }
  };
}

describe('clients that watch resources of a server whose streams are cut again and again', () => {
  // Closing takes a turn of the real clock.
  const bridged = async (t: TestContext, upstream: (t: TestContext) => Promise<Bridge>): Promise<Bridge> => {
    t.after(() => t.mock.timers.reset());
    return await upstream(t);
  };

  /** Cuts what there is each 8 seconds, a moment after it was there again, and counts what a client hears. */
  async function cutting(raw: Raw, pass: (seconds: number) => Promise<void>, cut: () => void): Promise<void> {
    const heard: number[] = [];
    for (let times = 0; times < 8; times++) {
      await pass(6);
      cut();
      await pass(2);
      heard.push(urisHeard(raw).length);
    }
    // At the beginning, and at the end of each pause.
    assert.deepEqual(heard, [2, 0, 0, 0, 2, 0, 0, 0]);
    await pass(30);
    assert.equal(urisHeard(raw).length, 2);
    await pass(60);
    assert.equal(urisHeard(raw).length, 0);
  }

  for (const [whose, date] of [
    ['a session', '2025-06-18'],
    ['a listen stream', statelessDate],
  ] as const)
    it(`hear that they may have missed something once in 30 seconds, the last time too: ${whose}`, async (t) => {
      const server = new Watching();
      const raw = await open(await bridged(t, (test) => server.bridge(test)), date);
      if (date === statelessDate) void raw.send('subscriptions/listen', listenTo('memo:one', 'memo:two'));
      else for (const uri of ['memo:one', 'memo:two']) await raw.result('resources/subscribe', { uri });
      await until(() => server.streams.flat().length === 2);
      await cutting(raw, clockOf(t), () => server.end());
    });

  it('hear so once in 30 seconds of a connection of their own', async (t) => {
    const upstream = scriptedUpstream({
      up: '2025-06-18',
      capabilities: { resources: { subscribe: true } },
      answers: { 'resources/subscribe': {} },
    });
    const raw = await open(await bridged(t, (test) => bridgeTo(test, upstream)), '2025-06-18');
    for (const uri of ['memo:one', 'memo:two']) await raw.result('resources/subscribe', { uri });
    await cutting(raw, clockOf(t), () => upstream.peers.at(-1)?.end());
  });
});
